package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/connect"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

// app is one run of the command.
type app struct {
	streams Streams
	started bool // a verb of ours, and not cobra, is at work

	cluster   *connect.Flags
	transport string
	topics    client.TopicNames
	format    string
	color     string
	timeout   time.Duration

	print *output.Printer
	line  *progressLine

	warnSkipped sync.Once
}

const rootHelp = `kcfg shows which Kafka clients run with which configuration, and changes it: what
franz-go clients with the kcfg library tell of themselves (KIP-1324), the dynamic
configurations that operators set for them (KIP-649), and the configurations of
topics, brokers and groups (KIP-133).

Exit codes: 0 it is done; 1 the arguments are wrong, and nothing was sent; 2 it
failed, or a part of it did; 3 the user is not authorized; 4 it took too long.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "kcfg",
		Short:             "See and change the configuration of Kafka clients",
		Long:              rootHelp,
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: a.start,
	}
	fs := root.PersistentFlags()
	a.cluster = connect.AddFlags(fs)
	fs.StringVar(&a.transport, "transport", "auto", "how client configurations travel: `auto`, rpc or topics; auto is the RPCs where brokers speak them")
	fs.StringVar(&a.topics.Dynamic, "dynamic-topic", "", "`name` of the topic for what operators set, instead of _kcfg_dynamic_configs")
	fs.StringVar(&a.topics.Clients, "clients-topic", "", "`name` of the topic for what clients tell, instead of _kcfg_clients")
	fs.StringVarP(&a.format, "output", "o", output.Table, "print a `table`, json or yaml")
	fs.StringVar(&a.color, "color", "auto", "color tables: `auto` (on a terminal), always or never")
	fs.DurationVar(&a.timeout, "timeout", 30*time.Second, "give up after this `time`")
	complete(root, "transport", "auto", "rpc", "topics")
	complete(root, "output", output.Formats()...)
	complete(root, "color", "auto", "always", "never")
	complete(root, "sasl-mechanism", connect.Mechanisms()...)
	root.AddCommand(
		a.checkVerb(),
		a.clientsVerb(),
		a.driftVerb(),
		a.showVerb(),
		a.setupVerb(),
		a.aclsVerb(),
		a.brokerVerb(),
		a.alterVerb(),
		a.describeVerb(),
		a.versionVerb(),
	)
	group(root)
	return root
}

// complete offers values for a flag to the shell.
func complete(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // no such flag
	}
}

// start checks what all verbs share. It runs before every verb of ours.
func (a *app) start(cmd *cobra.Command, _ []string) error {
	if err := notEmpty(cmd.Flags(), "dynamic-topic", "clients-topic", "users-file"); err != nil {
		return err
	}
	if _, err := a.transportKind(); err != nil {
		return err
	}
	var color bool
	switch a.color {
	case "always":
		color = true
	case "auto":
		color = isTerminal(a.streams.Out) && os.Getenv("NO_COLOR") == "" // see no-color.org
	case "never":
	default:
		return fmt.Errorf("--color: there is no %q; there are auto, always, never", a.color)
	}
	if a.timeout <= 0 {
		return errors.New("--timeout must be above zero")
	}
	a.line = &progressLine{out: a.streams.Out, err: a.streams.Err}
	var err error
	if a.print, err = output.NewPrinter(a.line, a.format, color); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	a.started = true
	return nil
}

// notEmpty refuses an empty value for flags that mean nothing then: it comes of a
// variable of a script that is not set.
func notEmpty(fs *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if f := fs.Lookup(name); f != nil && f.Changed && isEmpty(f.Value) {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	return nil
}

// isEmpty reports whether a flag has an empty value, among others if it is repeated.
func isEmpty(v pflag.Value) bool {
	if several, ok := v.(pflag.SliceValue); ok {
		return slices.Contains(several.GetSlice(), "")
	}
	return v.String() == ""
}

func (a *app) transportKind() (client.TransportKind, error) {
	kinds := map[string]client.TransportKind{"auto": client.TransportAuto, "rpc": client.TransportRPC, "topics": client.TransportTopics}
	kind, ok := kinds[strings.ToLower(a.transport)]
	if !ok {
		return 0, fmt.Errorf("--transport: there is no %q; there are auto, rpc, topics", a.transport)
	}
	return kind, nil
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
