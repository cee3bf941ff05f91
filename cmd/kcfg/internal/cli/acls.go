package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

const aclsHelp = `List the rights that applications, operators and those who run kcfg setup need,
and no other, as commands for kafka-acls.sh, or create them.

--transport says how client configurations travel: auto takes the rights of both
ways. Operators describe and alter client configurations, and the configurations
of what --topic, --group and --cluster name.`

// aclsPlan is what the flags of acls say.
type aclsPlan struct {
	client.ACLPlan

	topics, groups []string
	cluster, apply bool
}

func (a *app) aclsVerb() *cobra.Command {
	var p aclsPlan
	cmd := &cobra.Command{
		Use:   "acls",
		Short: "List the rights that applications and operators need, or give them",
		Long:  aclsHelp,
		Example: `  kcfg acls --application User:orders --operator User:ops
  kcfg acls --transport topics --operator "User:CN=ops,O=Example" --topic orders --installer User:admin
  kcfg acls --application User:orders --authorize-self --output yaml`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := notEmpty(cmd.Flags(), "topic", "group"); err != nil {
				return usage(err)
			}
			return a.acls(cmd.Context(), p)
		},
	}
	fs := cmd.Flags()
	principalFlag(fs, &p.Applications, "application", "an application, whose clients tell their configuration and take overrides")
	principalFlag(fs, &p.Operators, "operator", "an operator, who describes and alters")
	principalFlag(fs, &p.Installers, "installer", "who runs kcfg setup")
	fs.StringArrayVar(&p.topics, "topic", nil, "operators alter this `topic` too; may be repeated")
	fs.StringArrayVar(&p.groups, "group", nil, "operators alter this `group` too; may be repeated")
	fs.BoolVar(&p.cluster, "cluster", false, "operators alter brokers too")
	fs.BoolVar(&p.AuthorizeSelf, "authorize-self", false, "the brokers ask for a right from clients that ask for their own configurations")
	fs.BoolVar(&p.apply, "apply", false, "create the ACLs in the cluster that --bootstrap-server names")
	return cmd
}

// aclMade is a right, as JSON has it, and what became of it with --apply.
type aclMade struct {
	Principal    string `json:"principal"`
	Host         string `json:"host"`
	Operation    string `json:"operation"`
	ResourceType string `json:"resourceType"`
	ResourceName string `json:"resourceName"`
	Command      string `json:"command"`
	// Created is null where nothing was to be created.
	Created *bool  `json:"created"`
	Error   string `json:"error,omitempty"`
}

func (a *app) acls(ctx context.Context, p aclsPlan) error {
	kind, err := a.transportKind()
	err = errors.Join(err, checkPrincipals("application", p.Applications), checkPrincipals("operator", p.Operators), checkPrincipals("installer", p.Installers))
	if err != nil {
		return usage(err)
	}
	if len(p.Applications)+len(p.Operators)+len(p.Installers) == 0 {
		return usage(errors.New("for whom? name --application, --operator or --installer"))
	}
	if len(p.Operators) == 0 && (p.cluster || len(p.topics)+len(p.groups) > 0) {
		return usage(errors.New("--topic, --group and --cluster are for an --operator"))
	}
	p.Transport, p.Topics = kind, a.topics
	for _, name := range p.topics {
		p.Resources = append(p.Resources, kcfg.TopicResource(name))
	}
	for _, name := range p.groups {
		p.Resources = append(p.Resources, kcfg.GroupResource(name))
	}
	if p.cluster {
		p.Resources = append(p.Resources, kcfg.ClusterResource())
	}
	acls := client.RequiredACLs(p.ACLPlan)
	if !p.apply {
		return a.printACLs(aclList(acls), false)
	}
	return a.connected(ctx, "creating ACLs", func(ctx context.Context, s session) error {
		made, err := createACLs(ctx, s, acls)
		return errors.Join(err, a.printACLs(made, true))
	})
}

func aclList(acls []client.ACL) []aclMade {
	out := make([]aclMade, 0, len(acls))
	for _, acl := range acls {
		out = append(out, aclMade{
			Principal: acl.Principal, Host: "*", Operation: acl.Operation.String(),
			ResourceType: acl.Type.String(), ResourceName: acl.Name, Command: acl.Command(),
		})
	}
	return out
}

// createACLs creates one after the other, so that each has an outcome.
func createACLs(ctx context.Context, s session, acls []client.ACL) ([]aclMade, error) {
	made := aclList(acls)
	var errs []error
	for i, acl := range acls {
		err := createACL(ctx, s, acl)
		made[i].Created = new(err == nil)
		if err != nil {
			made[i].Error = err.Error()
			errs = append(errs, fmt.Errorf("%s on %s %q for %q: %w", acl.Operation, acl.Type, acl.Name, acl.Principal, err))
		}
	}
	err := errors.Join(errs...)
	if err != nil && len(errs) < len(acls) {
		err = partly(err)
	}
	return made, err
}

func createACL(ctx context.Context, s session, acl client.ACL) error {
	results, err := s.kadm.CreateACLs(ctx, acl.Builder())
	for _, r := range results {
		if code, ok := errors.AsType[*kerr.Error](r.Err); ok {
			if isRefused(code) {
				r.ErrMessage = "" // a dump of the request, where a broker forwarded it
			}
			return cfgerrors.WithOperation(cfgerrors.FromCode(code.Code, r.ErrMessage), "Alter", "cluster")
		}
		err = errors.Join(err, r.Err)
	}
	return err
}

func (a *app) printACLs(made []aclMade, applied bool) error {
	return a.print.Print(made, func(t *output.TextWriter) {
		switch {
		case len(made) == 0:
			t.Line("No right is needed.")
		case applied:
			t.Table([]string{"PRINCIPAL", "OPERATION", "RESOURCE", "NAME", "RESULT"}, aclRows(made))
		default:
			for _, m := range made {
				t.Line("%s", typed(m.Command))
			}
		}
	})
}

func aclRows(made []aclMade) (rows [][]output.Cell) {
	for _, m := range made {
		row := output.Of(output.Text(m.Principal), m.Operation, m.ResourceType, output.Text(m.ResourceName))
		result := output.Cell{Text: "created", Style: output.Good}
		if !*m.Created {
			result = output.Cell{Text: "failed", Style: output.Bad}
		}
		rows = append(rows, append(row, result))
	}
	return rows
}
