package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/entityargs"
)

const alterHelp = `Alter sets and deletes configurations: of users and their client ids quotas and
dynamic client configurations (KIP-649), of topics, brokers, groups and client
metrics their configurations (KIP-133), where append and subtract change lists.

It takes the arguments of kafka-configs.sh, and short forms of them: behind the flags
stand words, set key=value ... delete key ... append key=value ... subtract
key=value ..., each of which stands until the next one. What is set by words is taken
as it is; in --add-config, values with commas stand in square brackets. A name may be
empty, and is not the default then: that is --entity-default, or --user-defaults.

Of a user, quotas go to another API than the rest. Both are done though one fails.

--dry-run asks the cluster to check everything and to change nothing, and tells which
clients it would reach. --watch waits until the clients have taken what was set, or
refused it. Both know of clients what these tell of themselves in topics (see kcfg
setup). All of that is a claim.`

const alterExamples = `  kcfg alter --bootstrap-server localhost:9092 --alter --entity-type users --entity-name alice --entity-type clients --entity-name orders --add-config acks=0,heartbeat.interval.ms=2000,producer_byte_rate=60000 --delete-config session.timeout.ms
  kcfg alter --bootstrap-server localhost:9092 --user alice --client-id orders set acks=1
  kcfg alter --bootstrap-server localhost:9092 --user-defaults set producer_byte_rate=60000
  kcfg alter --bootstrap-server localhost:9092 --topic orders set cleanup.policy=compact,delete delete retention.ms
  kcfg alter --bootstrap-server localhost:9092 --user ANONYMOUS --client-id orders-api set acks=1 --dry-run`

// alterFlags are the flags of the verb that name neither entities nor changes.
type alterFlags struct {
	dryRun, watch bool
	watchTimeout  time.Duration
	watchInterval time.Duration
}

// watchParts is how many things are done with --watch that each may take --timeout: to
// connect, to see whether there is something to watch, to alter, and the first look.
const watchParts = 4

// check refuses flags that do nothing without --watch.
func (f *alterFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"watch-timeout", "watch-interval"} {
		if cmd.Flags().Changed(name) && !f.watch {
			return fmt.Errorf("--%s is for --watch", name)
		}
	}
	return nil
}

func (a *app) alterVerb() *cobra.Command {
	var flags *entityargs.Flags
	var changes *entityargs.Changes
	var f alterFlags
	cmd := &cobra.Command{
		Use:               "alter [set KEY=VALUE ...] [delete KEY ...] [append KEY=VALUE ...] [subtract KEY=VALUE ...]",
		Short:             "Change what is set for users, client ids, topics, brokers and groups",
		Long:              alterHelp,
		Example:           alterExamples,
		ValidArgsFunction: cobra.FixedCompletions(entityargs.Words(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, words []string) error {
			job, err := a.newAlteration(flags, changes, words, f)
			if err == nil {
				err = f.check(cmd)
			}
			if err != nil {
				return usage(err)
			}
			switch {
			case f.dryRun:
				return a.connected(cmd.Context(), "checking", job.rehearse)
			case f.watch:
				return a.connectedFor(cmd.Context(), watchParts*a.timeout+f.watchTimeout, job.progress, job.alterAndWatch)
			}
			return a.connected(cmd.Context(), "altering", job.alter)
		},
	}
	flags = entityFlags(cmd)
	fs := cmd.Flags()
	changes = entityargs.AddChangeFlags(fs)
	fs.BoolVar(&f.dryRun, "dry-run", false, "have everything checked and change nothing")
	fs.BoolVar(&f.watch, "watch", false, "wait until the clients have taken or refused it")
	fs.DurationVar(&f.watchTimeout, "watch-timeout", 6*time.Minute, "stop watching after this `time`; clients ask once every metadata.max.age.ms, by default 5m")
	fs.DurationVar(&f.watchInterval, "watch-interval", 2*time.Second, "look again after this `time`, and after four times what a look took at the least")
	likeKafka(cmd, "alter", "describe")
	return cmd
}

// alteration is one run of the verb.
type alteration struct {
	a     *app
	t     entityargs.Target
	plan  entityargs.Plan
	flags alterFlags
	doing doing
}

// newAlteration understands the arguments, and finds all that is wrong with them.
func (a *app) newAlteration(flags *entityargs.Flags, changes *entityargs.Changes, words []string, f alterFlags) (*alteration, error) {
	t, err := flags.Target()
	if err != nil {
		return nil, err
	}
	if err := t.Complete(); err != nil {
		return nil, err
	}
	ops, err := changes.Ops(a.streams.In, words)
	if err != nil {
		return nil, err
	}
	plan, err := t.Route(ops)
	switch {
	case err != nil:
		return nil, err
	case f.watch && f.dryRun:
		return nil, errors.New("--watch and --dry-run do not go together")
	case f.watch && len(plan.Dynamic) == 0:
		return nil, errors.New("--watch is for dynamic client configurations: only of those clients tell")
	case f.watchTimeout <= 0 || f.watchInterval <= 0:
		return nil, errors.New("--watch-timeout and --watch-interval must be above zero")
	}
	return &alteration{a: a, t: t, plan: plan, flags: f}, nil
}

func (j *alteration) progress() string { return j.doing.text("altering") }

// alter makes the changes, and shows what became of them.
func (j *alteration) alter(ctx context.Context, s session) error {
	steps := j.apply(ctx, s, false)
	if err := j.printAltered(steps, nil); err != nil {
		return err
	}
	return stepsError(steps)
}

// stepsError says what failed.
func stepsError(steps []step) error {
	var errs []error
	for _, s := range steps {
		if s.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.api, s.err))
		}
	}
	return together(errs, len(errs) < len(steps))
}
