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
)

const showHelp = `Show tells everything that a client tells of itself: its configurations, with what is
the default, and where each dynamic configuration stands: what is wished, what is in
force, and what the client's own value is.

A name is an instance id, else the client id of one or several clients, else the
beginning of one instance id; --instance and --client-id say which. An empty client id
is --client-id ''. Clients that told nothing for 12 hours are shown too, and marked.`

func (a *app) showVerb() *cobra.Command {
	var who named
	cmd := &cobra.Command{
		Use:   "show INSTANCE|CLIENT-ID",
		Short: "Show all that clients tell: configurations, and where each dynamic one stands",
		Long:  showHelp,
		Example: `  kcfg show --bootstrap-server localhost:9092 orders-api
  kcfg show --bootstrap-server localhost:9092 --client-id orders-api --output yaml`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	who.addFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := who.parse(cmd, args); err != nil {
			return usage(err)
		}
		return a.show(cmd.Context(), who)
	}
	return cmd
}

// named is how a user names clients.
type named struct {
	name               string
	instance, clientID string
	byInstance, byID   bool
}

func (n *named) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.instance, "instance", "", "the client whose instance `id` is this, or begins so")
	cmd.Flags().StringVar(&n.clientID, "client-id", "", "all clients with this client `id`; '' for those whose id is empty")
}

func (n *named) parse(cmd *cobra.Command, args []string) error {
	n.byInstance, n.byID = cmd.Flags().Changed("instance"), cmd.Flags().Changed("client-id")
	given := len(args)
	for _, flag := range []bool{n.byInstance, n.byID} {
		if flag {
			given++
		}
	}
	switch {
	case given == 0:
		return errors.New("which client? name its instance or its client id")
	case given > 1:
		return errors.New("name one: an argument, --instance, or --client-id")
	case n.byInstance && n.instance == "", len(args) == 1 && args[0] == "":
		return errors.New("the name is empty; clients whose client id is empty are --client-id ''")
	case n.byInstance:
		n.name = n.instance
	case n.byID:
		n.name = n.clientID
	default:
		n.name = args[0]
	}
	return nil
}

// among returns the clients that are meant: one instance, or all of a client id.
func (n *named) among(records []kcfg.ClientRecord) ([]kcfg.ClientRecord, error) {
	var found []kcfg.ClientRecord
	byInstance := n.byInstance
	switch {
	case n.byInstance:
		found = fleet.Query{Instance: n.name}.Select(records)
		if len(found) > 1 && found[0].Instance == n.name { // they are sorted
			found = found[:1]
		}
	case n.byID:
		found = fleet.Query{ClientID: &n.name}.Select(records)
	default:
		found, byInstance = fleet.Named(records, n.name)
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("no client that tells of itself has the %s %s; kcfg clients --stale lists those that there are", n.what(), output.Text(n.name))
	case byInstance && len(found) > 1:
		return nil, fmt.Errorf("%d instances begin with %s, such as %s and %s; give more of the id", len(found), output.Text(n.name), claimed(found[0].Instance), claimed(found[1].Instance))
	}
	return found, nil
}

func (n *named) what() string {
	switch {
	case n.byInstance:
		return "instance"
	case n.byID:
		return "client id"
	}
	return "instance or client id"
}

// fullView is a client with all that it tells.
type fullView struct {
	clientView

	Configs   []kcfg.ClientConfig `json:"configs"`
	Supported []string            `json:"supported"`
}

type showView struct {
	Clients []fullView `json:"clients"`
}

func viewFull(r kcfg.ClientRecord, now time.Time) fullView {
	v := fullView{clientView: viewClient(r, now), Configs: []kcfg.ClientConfig{}, Supported: append([]string{}, r.Supported...)}
	for _, c := range r.Configs {
		c.Value = fleet.Shown(c)
		v.Configs = append(v.Configs, c)
	}
	v.Dynamic = v.Dynamic[:0]
	for _, s := range r.Dynamic {
		v.Dynamic = append(v.Dynamic, fleet.ShownState(s))
	}
	return v
}

func (a *app) show(ctx context.Context, who named) error {
	all, err := a.records(ctx)
	if err != nil {
		return err
	}
	found, err := who.among(all)
	if err != nil {
		return err
	}
	now := time.Now()
	view := showView{}
	for _, r := range found {
		view.Clients = append(view.Clients, viewFull(r, now))
	}
	return a.print.Print(view, func(t *output.TextWriter) {
		for i := range view.Clients {
			showClient(t, &view.Clients[i])
		}
		t.Line("%s; %s", plural(len(found), "client"), claim)
	})
}
