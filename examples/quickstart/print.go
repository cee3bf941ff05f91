package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/kcfg-go/kcfg/examples/internal/table"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// printReceived prints what the broker's policy received. It is here to show
// values; a policy of your own would rather not log them.
func printReceived(out io.Writer, clients []*told, calls []fakebroker.PolicyCall) error {
	kinds := make(map[string]string)
	for _, c := range clients {
		kinds[c.clientID] = c.status.Kinds.String() // the broker is not told
	}
	var rows [][]string
	for _, c := range calls {
		who := c.Context
		for _, e := range c.Configs.Entries {
			origin := "set"
			if e.IsDefault {
				origin = "default"
			}
			rows = append(rows, []string{
				who.ClientID, who.Principal, who.SoftwareName + " " + who.SoftwareVersion, kinds[who.ClientID],
				e.Key, e.Text, e.Type.String(), origin,
			})
		}
	}
	header := []string{"CLIENT ID", "PRINCIPAL", "SOFTWARE", "KIND", "KEY", "VALUE", "TYPE", "ORIGIN"}
	return table.Write(out, "What the broker's policy received", header, rows)
}

// printHeldBack prints the keys that stayed in the process, and why.
func printHeldBack(out io.Writer, clients []*told) error {
	var rows [][]string
	for _, c := range clients {
		for _, h := range c.status.HeldBack {
			rows = append(rows, []string{c.clientID, h.Key, h.Reason})
		}
	}
	return table.Write(out, "What was held back", []string{"CLIENT ID", "KEY", "REASON"}, rows)
}

func printTotals(out io.Writer, rows [][]string) error {
	return table.Write(out, "Totals", []string{"WHAT", "NUMBER"}, rows)
}

// totals counts what happened on the reference broker.
func totals(clients []*told, back tally, broker *fakebroker.Cluster, p plan) [][]string {
	var held, sent int
	for _, c := range clients {
		held += len(c.status.HeldBack)
		sent += len(c.status.Push.Keys)
	}
	searched := 0
	for _, s := range p.secrets {
		searched += len(forms(s.value.Reveal()))
	}
	row := func(what string, n int) []string { return []string{what, strconv.Itoa(n)} }
	return [][]string{
		row("records produced", records),
		row("different records that came back", len(back.times)),
		row("requests of this library", len(broker.Requests())),
		row("pushes that the policy accepted", len(broker.Pushes())),
		row("keys pushed", sent),
		row("keys held back", held),
		row("bytes that the broker received", len(broker.Received())),
		row(fmt.Sprintf("forms of %d planted secrets looked for in them", len(p.secrets)), searched),
	}
}
