package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/fleet"
)

// clientFilter are the flags that choose clients. A name that is given and empty is
// the empty name.
type clientFilter struct {
	flags *pflag.FlagSet

	user, clientID, group, host, software, instance, kind, state string
	configs                                                      []string
	deviates, stale                                              bool
}

func addClientFilter(cmd *cobra.Command) *clientFilter {
	f := &clientFilter{flags: cmd.Flags()}
	fs := f.flags
	fs.StringVar(&f.user, "user", "", "only clients that take themselves for this `user`, without User:")
	fs.StringVar(&f.clientID, "client-id", "", "only clients with this `id`; '' for those whose id is empty")
	fs.StringVar(&f.group, "group", "", "only clients in this `group`; '' for those in none")
	fs.StringVar(&f.host, "host", "", "only clients on the host of this `name`")
	fs.StringVar(&f.software, "software", "", "only clients made with this `library`, such as kgo or kgo/v1.22.3")
	fs.StringVar(&f.instance, "instance", "", "only clients whose instance id begins with this `prefix`")
	fs.StringVar(&f.kind, "kind", "", "only clients of this `kind`: producer, consumer, share, admin, or several with commas between")
	fs.StringVar(&f.state, "state", "", "only clients with a dynamic configuration in this state, or one key in it: `[key=]state`")
	fs.StringArrayVar(&f.configs, "config", nil, "only clients with this configuration in force, overrides too: `key=value`; may be repeated")
	fs.BoolVar(&f.deviates, "deviates", false, "only clients with a value that their application chose and that is not the default")
	fs.BoolVar(&f.stale, "stale", false, fmt.Sprintf("also clients that told nothing for %s or more", kcfg.ClientAliveFor))
	complete(cmd, "kind", "producer", "consumer", "share", "admin")
	complete(cmd, "state", names(overrideStates)...)
	return f
}

var overrideStates = []kcfg.OverrideState{
	kcfg.OverrideApplied, kcfg.OverridePending, kcfg.OverrideRejected,
	kcfg.OverrideNotApplicable, kcfg.OverrideUnsupported, kcfg.OverrideStatic,
}

// query returns what the flags ask for. Clients that are stale at now are hidden
// unless the user asks for them.
func (f *clientFilter) query(now time.Time) (fleet.Query, error) {
	q := fleet.Query{Instance: f.instance, Deviates: f.deviates}
	if err := notEmpty(f.flags, "instance", "kind", "state"); err != nil {
		return q, err
	}
	for flag, to := range map[string]struct {
		value string
		into  **string
	}{
		"user": {f.user, &q.User}, "client-id": {f.clientID, &q.ClientID}, "group": {f.group, &q.Group},
		"host": {f.host, &q.Host}, "software": {f.software, &q.Software},
	} {
		if f.flags.Changed(flag) {
			*to.into = &to.value
		}
	}
	if f.kind != "" {
		var err error
		if q.Kind, err = parseKind(f.kind); err != nil {
			return q, err
		}
	}
	if err := f.queryState(&q); err != nil {
		return q, err
	}
	for _, c := range f.configs {
		key, value, ok := strings.Cut(c, "=")
		if !ok || key == "" {
			return q, errors.New("--config: a configuration is key=value")
		}
		if q.Configs == nil {
			q.Configs = make(map[string]string)
		}
		if other, twice := q.Configs[key]; twice && other != value {
			return q, fmt.Errorf("--config: no client has two values of %s", key)
		}
		q.Configs[key] = value
	}
	if !f.stale {
		q.NotStale = now
	}
	return q, nil
}

// parseKind understands --kind, which is one kind at least.
func parseKind(text string) (kind kcfg.Kind, err error) {
	if err := kind.UnmarshalText([]byte(text)); err != nil || kind == 0 {
		return 0, fmt.Errorf("--kind: there is no %q; there are producer, consumer, share, admin", text)
	}
	return kind, nil
}

func (f *clientFilter) queryState(q *fleet.Query) error {
	if f.state == "" {
		return nil
	}
	key, state, ok := strings.Cut(f.state, "=")
	if !ok {
		key, state = "", f.state
	}
	q.StateKey = key
	for _, s := range overrideStates {
		if string(s) == state {
			q.State = s
			return nil
		}
	}
	return fmt.Errorf("--state: there is no %q; there are %s", state, joined(overrideStates))
}
