package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/fleet"
	"github.com/kcfg-go/kcfg/pushconfig"
	"github.com/kcfg-go/kcfg/sensitive"
)

const driftHelp = `Drift shows the values that differ among clients with one client id, or in one group,
or with --from-defaults the values that applications chose: how many clients have
each, and a few of them.

What is compared is the value in force. An operator's override that all clients took
is no drift, and one that some of them did not take is. Keys that differ by nature
(group.instance.id, transactional.id, client.rack, and client.id within a group) are
left out unless --key names them.

--by takes a configuration key as well, as --key does, or "key", which sorts by key.`

func (a *app) driftVerb() *cobra.Command {
	var by, keys []string
	var fromDefaults bool
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "Show which values differ within one client id or group, or from the defaults",
		Long:  driftHelp,
		Example: `  kcfg drift --bootstrap-server localhost:9092
  kcfg drift --bootstrap-server localhost:9092 --by group --key session.timeout.ms
  kcfg drift --bootstrap-server localhost:9092 --client-id orders-api --from-defaults
  kcfg drift --bootstrap-server localhost:9092 --by key --output json`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	filter := addClientFilter(cmd)
	cmd.Flags().StringArrayVar(&by, "by", nil, "compare clients `by` client-id (the default) or group")
	cmd.Flags().StringArrayVar(&keys, "key", nil, "look at this configuration `key` only; may be repeated")
	cmd.Flags().BoolVar(&fromDefaults, "from-defaults", false, "show what differs from the defaults, not what differs among clients")
	complete(cmd, "by", append(names(fleet.Bys()), byKey)...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		d := drift{options: fleet.DriftOptions{Keys: keys, FromDefaults: fromDefaults, Default: knownDefaults()}}
		if err := errors.Join(notEmpty(cmd.Flags(), "key"), d.parseBy(by)); err != nil {
			return usage(err)
		}
		return a.drift(cmd.Context(), filter, d)
	}
	return cmd
}

// drift is what a user wants to know.
type drift struct {
	options fleet.DriftOptions
	byKey   bool
}

const byKey = "key"

// parseBy takes everything that a user may mean: what clients have in common, and
// keys.
func (d *drift) parseBy(given []string) error {
	for _, name := range given {
		switch name {
		case string(fleet.ByClientID), "client.id":
			d.options.By = fleet.ByClientID
		case string(fleet.ByGroup), "group.id":
			d.options.By = fleet.ByGroup
		case byKey:
			d.byKey = true
		default:
			if pushconfig.TypeOf(name) == sensitive.Unknown {
				return fmt.Errorf("--by: there is no %q; there are %s, %s, and the keys of Kafka's clients", name, joined(fleet.Bys()), byKey)
			}
			d.options.Keys = append(d.options.Keys, name)
		}
	}
	return nil
}

// knownDefaults returns what kgo's defaults are in this command.
func knownDefaults() func(key string, kinds kcfg.Kind) (string, bool) {
	known := make(map[kcfg.Kind]map[string]string)
	return func(key string, kinds kcfg.Kind) (string, bool) {
		if known[kinds] == nil {
			known[kinds] = make(map[string]string)
			for _, e := range pushconfig.Defaults(kinds) {
				known[kinds][e.Key] = e.Value
			}
		}
		value, ok := known[kinds][key]
		return value, ok
	}
}

func (a *app) drift(ctx context.Context, filter *clientFilter, d drift) error {
	q, err := filter.query(time.Now())
	if err != nil {
		return usage(err)
	}
	all, err := a.records(ctx)
	if err != nil {
		return err
	}
	found := q.Select(all)
	got := fleet.FindDrift(found, d.options)
	return a.print.Print(got, func(t *output.TextWriter) {
		d.table(t, got)
		t.Line("%s; %s", d.summary(got)+staleText(hidden(q, all, len(found))), claim)
	})
}

func (d *drift) summary(got fleet.Drift) string {
	keys := 0
	for _, g := range got.Groups {
		keys += len(g.Keys) + g.MoreKeys
	}
	what := "drift in"
	if d.options.FromDefaults {
		what = "not the defaults:"
	}
	out := fmt.Sprintf("%s %s, in %s of %s", what, plural(keys, "key"), plural(len(got.Groups), d.inCommon()), plural(got.Clients, "client"))
	if keys == 0 {
		out = "nothing found among " + plural(got.Clients, "client")
	}
	if got.Ungrouped > 0 {
		out += fmt.Sprintf(" (%d in no group)", got.Ungrouped)
	}
	return out
}

func (d *drift) inCommon() string {
	if d.options.By == fleet.ByGroup {
		return "group"
	}
	return "client id"
}
