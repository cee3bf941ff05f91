package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/fleet"
)

const clientsHelp = `Clients lists the clients that tell of themselves in the topics: who they take
themselves for, what they are made with, how many values their applications chose
(DEVIATIONS; an override in force hides one) and where the dynamic configurations
stand that are set for them (DYNAMIC; kcfg show tells more).

All of it is what clients claim. A client that uses the RPCs is not listed: brokers
keep what it pushes to themselves. One that was closed is gone; one that ended without
a word stays for up to a day, and is hidden when it has told nothing for 12 hours:
--stale shows those too.`

func (a *app) clientsVerb() *cobra.Command {
	var sort string
	var reverse bool
	cmd := &cobra.Command{
		Use:   "clients",
		Short: "List the live clients, what they deviate in, and where their dynamic configurations stand",
		Long:  clientsHelp,
		Example: `  kcfg clients --bootstrap-server localhost:9092
  kcfg clients --bootstrap-server localhost:9092 --user ANONYMOUS --sort deviations
  kcfg clients --bootstrap-server localhost:9092 --kind consumer --state session.timeout.ms=rejected
  kcfg clients --bootstrap-server localhost:9092 --config acks=1 --output json`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	filter := addClientFilter(cmd)
	cmd.Flags().StringVar(&sort, "sort", string(fleet.OrderInstance), "sort by `column`: instance, principal, client-id, group, host, software, since, at (when it told this), deviations (most first)")
	cmd.Flags().BoolVar(&reverse, "reverse", false, "sort the other way round")
	complete(cmd, "sort", names(fleet.Orders())...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		order, err := fleet.ParseOrder(sort)
		if err != nil {
			return usage(fmt.Errorf("--sort: there is no %q; there are %s", sort, joined(fleet.Orders())))
		}
		return a.clients(cmd.Context(), filter, order, reverse)
	}
	return cmd
}

// clientsView is what programs are shown.
type clientsView struct {
	Clients []clientView `json:"clients"`
	// StaleHidden counts clients that would be shown with --stale.
	StaleHidden int `json:"staleHidden"`
}

func (a *app) clients(ctx context.Context, filter *clientFilter, order fleet.Order, reverse bool) error {
	now := time.Now()
	q, err := filter.query(now)
	if err != nil {
		return usage(err)
	}
	all, err := a.records(ctx)
	if err != nil {
		return err
	}
	found := fleet.Sort(q.Select(all), order)
	if reverse {
		slices.Reverse(found)
	}
	view := clientsView{Clients: []clientView{}, StaleHidden: hidden(q, all, len(found))}
	for _, r := range found {
		view.Clients = append(view.Clients, viewClient(r, now))
	}
	return a.print.Print(view, func(t *output.TextWriter) {
		clientsTable(t, found, filter.stale, now)
		t.Line("%s%s; %s", plural(len(found), "client"), staleText(view.StaleHidden), claim)
	})
}

// hidden counts the clients that a query left out for being stale.
func hidden(q fleet.Query, all []kcfg.ClientRecord, shown int) int {
	if q.NotStale.IsZero() {
		return 0
	}
	q.NotStale = time.Time{}
	return len(q.Select(all)) - shown
}

func staleText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more that told nothing for %d hours (--stale)", n, int(kcfg.ClientAliveFor.Hours()))
}

func clientsTable(t *output.TextWriter, records []kcfg.ClientRecord, withStale bool, now time.Time) {
	header := []string{"INSTANCE", "PRINCIPAL", "CLIENT-ID", "GROUP", "KIND", "SOFTWARE", "HOST", "SINCE", "DEVIATIONS", "DYNAMIC"}
	if withStale {
		header = append(header, "STALE")
	}
	rows := make([][]output.Cell, 0, len(records))
	for _, r := range records {
		row := output.Of(
			column(r.Instance), principalText(r.Principal), column(r.ClientID), orNone(r.Group), r.Kinds.String(),
			softwareText(r.Software), orNone(r.Host), timeText(r.Since), fmt.Sprint(len(fleet.Deviations(r))))
		row = append(row, dynamicCell(r))
		if withStale {
			row = append(row, staleCell(r, now))
		}
		rows = append(rows, row)
	}
	t.Table(header, rows)
}

func staleCell(r kcfg.ClientRecord, now time.Time) output.Cell {
	if !fleet.Stale(r, now) {
		return output.Cell{}
	}
	at := timeText(r.At)
	if at == "" {
		return output.Cell{Text: "yes", Style: output.Doubtful}
	}
	return output.Cell{Text: "since " + at, Style: output.Doubtful}
}
