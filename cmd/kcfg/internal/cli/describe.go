package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/entityargs"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

const describeHelp = `Describe tells what is set: for users and their client ids the quotas and the
dynamic client configurations (KIP-649), for topics, brokers, groups and client
metrics their configurations (KIP-133). Without a name it tells of all of the type.

It takes the arguments of kafka-configs.sh, and short forms of them. A name may be
empty, and is not the default then: that is --entity-default, or --user-defaults.
Values that are sensitive are shown as [redacted].`

const describeExamples = `  kcfg describe --bootstrap-server localhost:9092 --entity-type users
  kcfg describe --bootstrap-server localhost:9092 --user ANONYMOUS --client-id orders-api
  kcfg describe --bootstrap-server localhost:9092 --topic orders --all
  kcfg describe --bootstrap-server localhost:9092 --entity-type brokers --output json`

func (a *app) describeVerb() *cobra.Command {
	var flags *entityargs.Flags
	var all bool
	cmd := &cobra.Command{
		Use:               "describe",
		Short:             "Tell what is set for users, client ids, topics, brokers and groups",
		Long:              describeHelp,
		Example:           describeExamples,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := flags.Target()
			if err != nil {
				return usage(err)
			}
			if t.Head().Type == entityargs.BrokerLoggers {
				if err := t.Complete(); err != nil {
					return usage(err)
				}
			}
			return a.connected(cmd.Context(), "describing", func(ctx context.Context, s session) error {
				return a.describe(ctx, s, t, all)
			})
		},
	}
	flags = entityFlags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "of topics, brokers and groups, tell what nobody chose too")
	likeKafka(cmd, "describe", "alter")
	return cmd
}

// told is what was described, and what could not be.
type told struct {
	Entities []settings `json:"entities"`
	// DynamicNotSetUp is set if there are no dynamic client configurations, because
	// the cluster has neither the RPCs nor the topics.
	DynamicNotSetUp bool       `json:"dynamicNotSetUp,omitempty"`
	Errors          []apiError `json:"errors,omitempty"`
}

// apiError is an API that failed, or a part of what it was asked.
type apiError struct {
	API   string `json:"api"`
	Error string `json:"error"`
	err   error
}

func (t *told) failed(api string, err error) {
	t.Errors = append(t.Errors, apiError{api, err.Error(), err})
}

// err says what is missing. It is partly so if there is something.
func (t *told) err(answered bool) error {
	errs := make([]error, 0, len(t.Errors))
	for _, e := range t.Errors {
		errs = append(errs, fmt.Errorf("%s: %w", e.API, e.err))
	}
	return together(errs, answered)
}

// together joins the errors of what was done in several parts, of which others may
// have succeeded. Who has no right to any part of it is not authorized; else it
// failed in part.
func together(errs []error, others bool) error {
	err := errors.Join(errs...)
	if err != nil && (others || mixed(errs)) {
		return partly(err)
	}
	return err
}

// mixed reports whether the errors do not all come to the same exit code.
func mixed(errs []error) bool {
	for _, e := range errs {
		if code(e) != code(errs[0]) {
			return true
		}
	}
	return false
}

// withoutStore takes it for an answer, and no failure, that nobody has ever set up
// dynamic client configurations: quotas are on every Kafka. It stays a failure for who
// says where they are kept.
func (a *app) withoutStore(t *told) {
	if kind, err := a.transportKind(); err != nil || kind != client.TransportAuto || a.topics.Dynamic != "" {
		return
	}
	t.Errors = slices.DeleteFunc(t.Errors, func(e apiError) bool {
		setup, is := errors.AsType[*cfgerrors.NotSetUpError](e.err)
		missing := is && setup.Missing
		t.DynamicNotSetUp = t.DynamicNotSetUp || missing
		return missing
	})
}

func (a *app) describe(ctx context.Context, s session, t entityargs.Target, all bool) error {
	var out told
	var answered bool
	if t.OfClients() || t.Head().Type == entityargs.IPs {
		out, answered = s.describeClients(ctx, t)
		a.withoutStore(&out)
	} else {
		out = s.describeResources(ctx, t, all)
		answered = len(out.Entities) > 0
	}
	if err := a.printTold(t, out); err != nil {
		return err
	}
	return out.err(answered)
}
