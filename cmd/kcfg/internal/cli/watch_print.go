package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/fleet"
)

// announce shows what was altered before the watch begins. A document comes at its end.
func (j *alteration) announce(steps []step) error {
	if !j.a.print.ForPeople() {
		return nil
	}
	return j.printAltered(steps, nil)
}

// report takes what a look has seen, and shows which clients have come to an end since
// the last one.
func (j *alteration) report(w *watched, outcomes []fleet.Outcome) error {
	w.looked, w.Outcomes = true, append([]fleet.Outcome{}, outcomes...)
	clients := clientsOf(outcomes)
	settled := 0
	var lines []string
	for _, one := range clients {
		instance := one[0].Instance
		is := final(one)
		if is {
			settled++
		}
		if is && !w.reported[instance] {
			lines = append(lines, lineOf(one))
		}
		w.reported[instance] = w.reported[instance] || is
	}
	lines = append(lines, w.gone(clients)...)
	j.doing.set(fmt.Sprintf("watching: %d of %d clients have answered", settled, len(clients)))
	if !j.a.print.ForPeople() || len(lines) == 0 {
		return nil
	}
	return j.a.print.Print(nil, func(t *output.TextWriter) {
		for _, l := range lines {
			t.Line("%s", l)
		}
	})
}

// gone tells of clients that ended before they answered.
func (w *watched) gone(clients [][]fleet.Outcome) (lines []string) {
	for instance, told := range w.reported {
		here := slices.ContainsFunc(clients, func(c []fleet.Outcome) bool { return c[0].Instance == instance })
		if here {
			continue
		}
		delete(w.reported, instance)
		if !told {
			lines = append(lines, claimed(instance)+" has ended")
		}
	}
	slices.Sort(lines)
	return lines
}

// lineOf says what became of the changes at one client.
func lineOf(one []fleet.Outcome) string {
	var parts []string
	for _, o := range one {
		text := string(o.State) + " " + output.Text(o.Key)
		if o.Wished != nil {
			text += "=" + output.Text(*o.Wished)
		}
		if o.Reason != "" && o.State != fleet.OutcomeTaken {
			text += ": " + oneLine(o.Reason)
		}
		parts = append(parts, text)
	}
	return fmt.Sprintf("%s (client id %s): %s", claimed(one[0].Instance), claimed(one[0].ClientID), strings.Join(parts, "; "))
}

// oneLine is text of several words that cannot be taken for a line of ours.
func oneLine(s string) string {
	return strings.ReplaceAll(output.Printable(fleet.Cut(s, fleet.MaxText)), "\n", `\n`)
}

func claimedValue(v *string) string {
	if v == nil {
		return ""
	}
	return claimed(*v)
}

// tableTime is how tables show times.
const tableTime = "2006-01-02T15:04:05Z"

var outcomeStyles = map[fleet.OutcomeState]output.Style{
	fleet.OutcomeTaken: output.Good, fleet.OutcomeRefused: output.Bad, fleet.OutcomeOverruled: output.Doubtful,
	fleet.OutcomePending: output.Doubtful, fleet.OutcomeUnanswered: output.Doubtful,
}

// write shows how a watch ended.
func (w *watched) write(t *output.TextWriter) {
	if !w.looked {
		return
	}
	if len(w.Outcomes) == 0 {
		t.Line("No client that tells of itself is concerned.")
		return
	}
	var rows [][]output.Cell
	for _, o := range w.Outcomes {
		row := output.Of(claimed(o.Instance), claimed(o.ClientID), output.Text(o.Key), valueText(o.Wished), claimedValue(o.InForce))
		row = append(row, output.Cell{Text: string(o.State), Style: outcomeStyles[o.State]})
		rows = append(rows, append(row, output.Of(o.At.UTC().Format(tableTime), oneLine(o.Reason))...))
	}
	t.Line("")
	t.Table([]string{"INSTANCE", "CLIENT-ID", "KEY", "WISHED", "IN FORCE", "STATE", "TOLD", "REASON"}, rows)
	t.Line("%s", claims)
}
