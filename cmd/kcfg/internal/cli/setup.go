package cli

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

const setupHelp = `Make the two topics in which client configurations travel where brokers do not
speak the RPCs: with 12 partitions, compacted, and a header in every partition by
which clients know who made them. Applications must ask for them with
client.Transport.

It may be run again: what is missing is made, and settings that somebody changed
are corrected. A topic of the name that is another cluster's, or that has records
and no header, is left alone. It needs Create, Describe, DescribeConfigs,
AlterConfigs, Read and Write on both topics, and Alter on the cluster with
--apply-acls; see kcfg acls --installer.`

func (a *app) setupVerb() *cobra.Command {
	var plan kcfg.TopicSetup
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Make the topics in which client configurations travel",
		Long:  setupHelp,
		Example: `  kcfg setup --bootstrap-server localhost:9092
  kcfg setup --bootstrap-server localhost:9092 --application User:orders --operator User:ops`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.setup(cmd.Context(), plan) },
	}
	fs := cmd.Flags()
	principalFlag(fs, &plan.Applications, "application", "an application")
	principalFlag(fs, &plan.Operators, "operator", "an operator")
	fs.BoolVar(&plan.ApplyACLs, "apply-acls", false, "create the ACLs instead of printing the commands that do")
	fs.Int16Var(&plan.Replicas, "replicas", 0, "replication `factor`; by default 3, or the number of brokers where there are fewer")
	return cmd
}

func (a *app) setup(ctx context.Context, plan kcfg.TopicSetup) error {
	kind, err := a.transportKind()
	err = errors.Join(err, checkPrincipals("application", plan.Applications), checkPrincipals("operator", plan.Operators))
	switch {
	case err != nil:
		return usage(err)
	case kind == client.TransportRPC:
		return usage(errors.New("--transport rpc needs no topics: there is nothing to set up"))
	case plan.Replicas < 0:
		return usage(errors.New("--replicas must be above zero"))
	case plan.ApplyACLs && len(plan.Applications)+len(plan.Operators) == 0:
		return usage(errors.New("--apply-acls: for whom? name --application or --operator"))
	}
	return a.connected(ctx, "setting up the topics", func(ctx context.Context, s session) error {
		made, err := s.admin.SetupTopics(ctx, plan)
		if err != nil && !changed(made) {
			return err
		}
		if err != nil {
			err = partly(err)
		}
		return errors.Join(err, a.print.Print(made, func(t *output.TextWriter) { printSetup(t, made, plan.ApplyACLs) }))
	})
}

// changed reports whether anything was made.
func changed(made kcfg.TopicsMade) bool {
	for _, t := range made.Topics {
		if t.Created || len(corrected(t)) > 0 {
			return true
		}
	}
	return made.Headers > 0
}

// corrected are the settings that were other ones.
func corrected(t kcfg.TopicMade) (out []kcfg.TopicSetting) {
	for _, s := range t.Settings {
		if s.Was != "" {
			out = append(out, s)
		}
	}
	return out
}

func printSetup(t *output.TextWriter, made kcfg.TopicsMade, apply bool) {
	var topics, settings [][]output.Cell
	for _, m := range made.Topics {
		what := "was there"
		if m.Created {
			what = "created"
		}
		topics = append(topics, output.Of(output.Text(m.Name), what, strconv.Itoa(len(corrected(m)))))
		for _, s := range corrected(m) {
			settings = append(settings, output.Of(output.Text(m.Name), output.Text(s.Key), output.Text(s.Was), output.Text(s.Value)))
		}
	}
	t.Table([]string{"TOPIC", "STATE", "CORRECTED"}, topics)
	if len(settings) > 0 {
		t.Line("")
		t.Table([]string{"TOPIC", "SETTING", "WAS", "IS"}, settings)
	}
	t.Line("")
	t.Line("Partitions that got a header: %d", made.Headers)
	if len(made.ACLs) == 0 {
		return
	}
	t.Line("")
	switch {
	case made.ACLsApplied:
		t.Line("These rights were given:")
	case apply:
		t.Line("These rights were not all given:")
	default:
		t.Line("These commands give the rights; BROKERS stands for the brokers:")
	}
	for _, command := range made.ACLs {
		t.Line("%s", typed(command))
	}
}
