package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/propfile"
)

const checkHelp = `Check judges the configurations of a client: those in a file of properties, in the
form of Kafka's own clients (- is standard input), or those that a running client
tells, which needs a cluster. A name that is both is the file; --file and --instance
say which.

It finds keys that no client has, values that are none, pairs that do not go together,
names that are too long (KIP-1233), keys that are held back from a push (KIP-1324),
and what a franz-go client cannot have. Errors are what Kafka's own client or a broker
refuses; with one, the exit code is 2. No value is shown.

kcfg check producer.properties --kind producer needs no cluster.`

func (a *app) checkVerb() *cobra.Command {
	var c check
	cmd := &cobra.Command{
		Use:   "check FILE|INSTANCE",
		Short: "Find what is wrong in a client's configurations, in a file or in a running client",
		Long:  checkHelp,
		Example: `  kcfg check --bootstrap-server localhost:9092 orders-api
  kcfg check --bootstrap-server localhost:9092 --client-id orders-api --output json`,
		Args: cobra.MaximumNArgs(1),
	}
	c.who.addFlags(cmd)
	cmd.Flags().StringVar(&c.file, "file", "", "the `file` of properties; - for standard input")
	cmd.Flags().StringVar(&c.kind, "kind", "", "what the file is for, one `kind` or several with commas between: producer, consumer, share, admin; any by default")
	complete(cmd, "kind", "producer", "consumer", "share", "admin")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := c.parse(cmd, args); err != nil {
			return usage(err)
		}
		return a.check(cmd.Context(), &c)
	}
	return cmd
}

// check is what a user wants to be judged: a file, or clients.
type check struct {
	file, kind string
	kinds      kcfg.Kind
	isFile     bool
	who        named
}

func (c *check) parse(cmd *cobra.Command, args []string) error {
	if cmd.Flags().Changed("kind") {
		var err error
		if c.kinds, err = parseKind(c.kind); err != nil {
			return err
		}
	}
	byName := cmd.Flags().Changed("instance") || cmd.Flags().Changed("client-id")
	switch {
	case cmd.Flags().Changed("file"):
		if len(args) > 0 || byName {
			return errors.New("name one: an argument, --file, --instance, or --client-id")
		}
		c.isFile = true
	case len(args) == 1 && !byName && isFile(args[0]):
		c.file, c.isFile = args[0], true
	case len(args) == 0 && !byName:
		return errors.New("what? name a file of properties, or a running client")
	}
	if c.isFile {
		return nil
	}
	if c.kind != "" {
		return errors.New("--kind is for files: a running client tells what it is")
	}
	return c.who.parse(cmd, args)
}

// isFile reports whether an argument is a file, or looks like nothing else.
func isFile(arg string) bool {
	if arg == "-" {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

// checkedView is what was found in one file or client.
type checkedView struct {
	File     string                 `json:"file,omitempty"`
	Instance string                 `json:"instance,omitempty"`
	ClientID *string                `json:"clientId,omitempty"`
	Configs  int                    `json:"configs"`
	Findings []client.ConfigFinding `json:"findings"`
}

type checkView struct {
	Checked  []checkedView `json:"checked"`
	Errors   int           `json:"errors"`
	Warnings int           `json:"warnings"`
}

func (a *app) check(ctx context.Context, c *check) error {
	var checked []checkedView
	var err error
	if c.isFile {
		checked, err = a.checkFile(c)
	} else {
		checked, err = a.checkClients(ctx, c)
	}
	if err != nil {
		return err
	}
	view := checkView{Checked: checked}
	for i := range checked {
		for _, f := range checked[i].Findings {
			if f.Level == client.FindingError {
				view.Errors++
			} else {
				view.Warnings++
			}
		}
	}
	if err := a.print.Print(view, func(t *output.TextWriter) { showChecked(t, view) }); err != nil {
		return err
	}
	if view.Errors > 0 {
		return errors.New(plural(view.Errors, "error") + " found")
	}
	return nil
}

func (a *app) checkFile(c *check) ([]checkedView, error) {
	read, err := propfile.Read(a.streams.In, c.file)
	if err != nil {
		return nil, usage(err)
	}
	configs := make(map[string]string, len(read))
	for _, kv := range read {
		configs[kv.Key] = kv.Value
	}
	return []checkedView{{File: c.file, Configs: len(configs), Findings: orEmpty(client.CheckConfigs(configs, c.kinds))}}, nil
}

func (a *app) checkClients(ctx context.Context, c *check) ([]checkedView, error) {
	all, err := a.records(ctx)
	if _, mistaken := errors.AsType[usageError](err); mistaken && !c.who.byInstance && !c.who.byID {
		return nil, usage(fmt.Errorf("there is no file %s; and for a running client: %w", output.Text(c.who.name), err))
	}
	if err != nil {
		return nil, err
	}
	found, err := c.who.among(all)
	if err != nil {
		return nil, err
	}
	var out []checkedView
	for _, r := range found {
		out = append(out, checkedView{Instance: r.Instance, ClientID: &r.ClientID, Configs: len(r.Configs), Findings: orEmpty(client.CheckClient(r))})
	}
	return out, nil
}

func orEmpty(all []client.ConfigFinding) []client.ConfigFinding {
	if all == nil {
		return []client.ConfigFinding{}
	}
	return all
}
