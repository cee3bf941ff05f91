package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/internal/topicstore"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// TransportKind is how client configurations get to a cluster and back.
type TransportKind uint8

// The transports.
const (
	// TransportRPC is the RPCs of the proposals. On a cluster whose brokers do not
	// speak them nothing is sent.
	TransportRPC TransportKind = iota
	// TransportTopics is two compacted topics, on any Kafka from 2.8 on (tested are 3.9
	// and 4.4), once an operator has made them (Admin.SetupTopics).
	TransportTopics
	// TransportAuto is the RPCs where a broker speaks them, and else the topics.
	TransportAuto
)

// String returns the name that Status has.
func (k TransportKind) String() string {
	switch k {
	case TransportRPC:
		return "rpc"
	case TransportTopics:
		return "topics"
	case TransportAuto:
		return "auto"
	}
	return fmt.Sprintf("TransportKind(%d)", uint8(k))
}

// TopicNames are the names of the two topics of TransportTopics.
type TopicNames struct {
	// Dynamic has what operators set, by default _kcfg_dynamic_configs.
	Dynamic string
	// Clients has what clients tell of themselves, by default _kcfg_clients.
	Clients string
}

// AnyOption is an option of clients and of an Admin alike.
type AnyOption interface {
	Option
	AdminOption
}

// places is what clients and admins are told about the transport.
type places struct {
	kind     TransportKind
	kindSet  bool
	names    topicstore.Names
	namesSet bool
}

type placeOption func(*places)

func (o placeOption) apply(c *config)           { o(&c.places) }
func (o placeOption) applyAdmin(c *adminConfig) { o(&c.places) }

// Transport sets how client configurations get to a cluster and back, overriding
// the default of TransportRPC; that of an Admin is its client's.
func Transport(k TransportKind) AnyOption {
	return placeOption(func(p *places) { p.kind, p.kindSet = k, true })
}

// Topics sets the names of the topics of TransportTopics, overriding the defaults.
// An empty name stands for its default.
func Topics(names TopicNames) AnyOption {
	return placeOption(func(p *places) { p.names, p.namesSet = topicstore.Names(names), true })
}

// Principal tells the name of the user that the client is for the cluster, without
// "User:", overriding the default of ANONYMOUS for a client without SASL, client
// certificates and an own dialer. TransportTopics needs it to find what is set for
// the client: credentials are never looked into. Where it is missing, nothing is
// asked for, and Status says so. The RPCs do not use it.
func Principal(name string) Option {
	return option(func(c *config) { c.principal, c.principalSet = name, true })
}

// inherit takes over what was not given.
func (p *places) inherit(from places) {
	if !p.kindSet {
		p.kind = from.kind
	}
	if !p.namesSet {
		p.names = from.names
	}
}

func (p *places) check() error {
	var errs []error
	if p.kind > TransportAuto {
		errs = append(errs, errors.New("client: Transport: none of TransportRPC, TransportTopics and TransportAuto"))
	}
	def := topicstore.DefaultNames()
	if p.names.Dynamic == "" {
		p.names.Dynamic = def.Dynamic
	}
	if p.names.Clients == "" {
		p.names.Clients = def.Clients
	}
	for _, name := range []string{p.names.Dynamic, p.names.Clients} {
		if !validTopic(name) {
			errs = append(errs, fmt.Errorf("client: Topics: %q is no name of a topic", name))
		}
	}
	if p.names.Dynamic == p.names.Clients {
		errs = append(errs, errors.New("client: Topics: the two names must differ"))
	}
	return errors.Join(errs...)
}

// validTopic is Kafka's rule for names of topics.
func validTopic(name string) bool {
	const longest = 249
	if name == "" || name == "." || name == ".." || len(name) > longest {
		return false
	}
	for _, r := range name {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !letter && r != '.' && r != '_' && r != '-' {
			return false
		}
	}
	return true
}

// user returns the name of the client's user, and false if it cannot be known.
func (p *Plugin) user(cl *kgo.Client) (string, bool) {
	switch {
	case p.cfg.principalSet:
		return p.cfg.principal, true
	case len(optOf[[]sasl.Mechanism](cl, kgo.SASL)) > 0, p.cfg.dialerSet, hasCertificate(p.cfg.tls):
		return "", false
	}
	return "ANONYMOUS", true
}

func hasCertificate(cfg *tls.Config) bool {
	return cfg != nil && (len(cfg.Certificates) > 0 || cfg.GetClientCertificate != nil)
}

// newStore makes the transport over topics. It runs in OnNewClient.
func (p *Plugin) newStore(cl *kgo.Client) *topicstore.Store {
	user, known := p.user(cl)
	cfg := topicstore.Config{
		Names:    p.cfg.places.names,
		Dial:     p.dialer.Dial,
		Seeds:    p.seeds,
		Validate: configdef.ValidateDynamic,
		Known:    dynamicKey,
		Record:   p.record,
		Log:      p.log,
	}
	if known {
		cfg.Principal = &user
	}
	return topicstore.New(cl, cfg)
}

// seeds returns the client's seed brokers as they are now.
func (p *Plugin) seeds() []string {
	p.mu.Lock()
	source := p.source
	p.mu.Unlock()
	return source.Seeds()
}

func dynamicKey(key string) bool {
	_, ok := configdef.DynamicOf(key)
	return ok
}

// via returns the transport for a request with a key of the RPCs.
func (p *Plugin) via(key int16) transport.Transport {
	if p.topics == nil || p.cfg.places.kind == TransportAuto && p.conns.Supported(key) {
		return p.rpc
	}
	return p.topics
}

// reachable reports whether anything can be asked with a key: where topics were
// chosen, only asking tells.
func (p *Plugin) reachable(key int16) bool {
	return p.topics != nil || p.conns.Supported(key)
}

// gone reports whether the topics are what is left: no broker speaks the RPC that
// one spoke before. What the topics say is never ErrUnsupported.
func (p *Plugin) gone(err error) bool {
	return p.topics != nil && errors.Is(err, cfgerrors.ErrUnsupported) && !errors.Is(err, kerr.UnsupportedVersion)
}

// forget takes back what the client told of itself in the topics.
func (p *Plugin) forget() {
	if p.topics == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), forgetWait)
	defer cancel()
	if err := p.topics.Forget(ctx); err != nil {
		p.log(kgo.LogLevelInfo, "kcfg: unable to take back the client's record, which ends by itself in a day", "err", err)
	}
}
