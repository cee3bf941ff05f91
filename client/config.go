package client

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/dynconfig"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/sensitive"
)

// config is what the options set.
type config struct {
	kind    kcfg.Kind
	kindSet bool

	dialer      DialFunc
	dialerSet   bool
	tls         *tls.Config
	tlsSet      bool
	versions    *kversion.Versions
	versionsSet bool

	noPush      bool
	pushKeys    []string
	extra       []sensitive.Entry
	backoffMin  time.Duration
	backoffMax  time.Duration
	backoffSet  bool
	pushTimeout time.Duration
	timeoutSet  bool

	noDynamic     bool
	auditOnly     bool
	rules         dynconfig.Rules
	boundsSet     bool
	pollInterval  time.Duration
	pollSet       bool
	firstFetch    time.Duration
	firstFetchSet bool
	rejoinDelay   *time.Duration

	places       places
	principal    string
	principalSet bool

	enforceLimits bool

	proto     kcfg.Protocol
	hooks     []Hook
	hooking   sync.Mutex // one hook at a time
	logger    kgo.Logger
	loggerSet bool
}

// newConfig applies the options and judges all of them, so that a user sees
// every mistake at once.
func newConfig(opts []Option) (*config, error) {
	c := &config{proto: kcfg.DefaultProtocol()}
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("client: option %d is nil", i))
			continue
		}
		o.apply(c)
	}
	return c, errors.Join(append(errs,
		c.checkGiven(),
		c.checkTimes(),
		c.checkExtra(),
		c.checkDynamic(),
		c.places.check(),
		c.checkPrincipal(),
		checkProtocol(c.proto),
		checkHooks(c.hooks),
	)...)
}

func (c *config) checkGiven() error {
	var errs []error
	given := func(set, ok bool, option, want string) {
		if set && !ok {
			errs = append(errs, fmt.Errorf("client: %s: %s", option, want))
		}
	}
	given(c.kindSet, c.kind.Valid(), "WithKind", "the kind is none of the known ones")
	given(c.dialerSet, c.dialer != nil, "Dialer", "the function is nil")
	given(c.tlsSet, c.tls != nil, "DialTLSConfig", "the config is nil")
	given(c.versionsSet, c.versions != nil, "MaxVersions", "the versions are nil")
	given(c.loggerSet, c.logger != nil, "WithLogger", "the logger is nil")
	return errors.Join(errs...)
}

func (c *config) checkPrincipal() error {
	if c.principalSet && (c.principal == "" || !utf8.ValidString(c.principal)) {
		return errors.New("client: Principal: the name of a user is neither empty nor anything but UTF-8")
	}
	if strings.HasPrefix(c.principal, "User:") {
		return errors.New("client: Principal: the name of a user is without the User: in front")
	}
	if _, err := judgeName(IdentifierACLPrincipal, c.principal, c.enforceLimits); err != nil {
		return fmt.Errorf("client: Principal: %w", err)
	}
	return nil
}

func (c *config) checkTimes() error {
	var errs []error
	if c.backoffSet && (c.backoffMin <= 0 || c.backoffMax < c.backoffMin) {
		errs = append(errs, fmt.Errorf("client: RetryBackoff(%v, %v): both must be above zero, and the first not above the second", c.backoffMin, c.backoffMax))
	}
	if c.timeoutSet && c.pushTimeout <= 0 {
		errs = append(errs, fmt.Errorf("client: PushTimeout(%v): must be above zero", c.pushTimeout))
	}
	return errors.Join(errs...)
}

// checkExtra refuses what cannot be meant. Sensitive keys are not refused: they
// are held back, as everywhere.
func (c *config) checkExtra() error {
	var errs []error
	seen := make(map[string]bool)
	for _, e := range c.extra {
		switch {
		case e.Key == "":
			errs = append(errs, errors.New("client: ExtraConfig: the key is empty"))
		case seen[e.Key]:
			errs = append(errs, fmt.Errorf("client: ExtraConfig(%q): given twice", e.Key))
		default:
			errs = append(errs, checkEntry(e))
		}
		seen[e.Key] = true
	}
	for _, k := range c.pushKeys {
		if k == "" {
			errs = append(errs, errors.New("client: PushKeys: a key is empty"))
		}
	}
	return errors.Join(errs...)
}

// checkEntry refuses what a broker would: one bad entry loses the whole push.
func checkEntry(e sensitive.Entry) error {
	if name := configdef.Spelling(e.Key); name != "" && name != e.Key {
		return fmt.Errorf("client: ExtraConfig(%q): Kafka writes this key %s", e.Key, name)
	}
	if t := configdef.TypeOf(e.Key); t != sensitive.Unknown && t != e.Type {
		return fmt.Errorf("client: ExtraConfig(%q): Kafka's type of this key is %s, not %s", e.Key, t, e.Type)
	}
	if e.Type < sensitive.Boolean || e.Type > sensitive.List {
		return nil // held back
	}
	if _, err := configdef.Parse(e.Type, e.Value); err != nil {
		return fmt.Errorf("client: ExtraConfig(%q): %w", e.Key, err)
	}
	return nil
}

// checkProtocol refuses numbers that mean something else. A request of ours
// under one of Kafka's own keys could be taken for that: an old prototype's
// number now means UnregisterController.
func checkProtocol(p kcfg.Protocol) error {
	var errs []error
	seen := make(map[int16]bool)
	for _, k := range p.Keys() {
		switch {
		case k < 0:
			errs = append(errs, fmt.Errorf("client: WithProtocol: the API key %d is negative", k))
		case kmsg.RequestForKey(k) != nil:
			errs = append(errs, fmt.Errorf("client: WithProtocol: the API key %d is Kafka's %s", k, kmsg.NameForKey(k)))
		case seen[k]:
			errs = append(errs, fmt.Errorf("client: WithProtocol: the API key %d is given twice", k))
		}
		seen[k] = true
	}
	if p.ConfigTooLargeCode == 0 || p.ResourceIdentifierTooLargeCode == 0 || p.ConfigTooLargeCode == p.ResourceIdentifierTooLargeCode {
		errs = append(errs, errors.New("client: WithProtocol: the error codes must differ from each other and from 0"))
	}
	return errors.Join(errs...)
}
