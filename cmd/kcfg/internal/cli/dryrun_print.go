package cli

import (
	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/fleet"
)

// claims says what records of clients are.
const claims = "What clients tell of themselves is a claim: nobody has checked it."

func (j *alteration) printRehearsed(out rehearsed) error {
	return j.a.print.Print(out, func(t *output.TextWriter) {
		t.Line("This is a dry run: nothing is changed.")
		t.Line("")
		var rows [][]output.Cell
		for _, c := range out.Changes {
			rows = append(rows, append(output.Of(output.Text(c.Key), valueText(c.Now), thenText(c), c.API), outcomeCell(c.Outcome)))
		}
		t.Table([]string{"KEY", "NOW", "THEN", "API", "OUTCOME"}, rows)
		if len(j.plan.Dynamic) > 0 {
			t.Line("")
			writeProspects(t, out)
		}
	})
}

// thenText shows what a key will be. Of a resource, one that is deleted takes a default
// where it is not known which.
func thenText(c foreseen) string {
	if c.Then == nil && c.Op == kcfg.OpDelete.String() && c.API == apiConfigs {
		return output.DefaultName
	}
	return valueText(c.Then)
}

func writeProspects(t *output.TextWriter, out rehearsed) {
	switch {
	case out.ClientsUnknown != "":
		t.Line("Which clients it would reach is not known: %s", oneLine(out.ClientsUnknown))
		return
	case len(out.Clients) == 0:
		t.Line("No client that tells of itself would be reached.")
		return
	}
	var rows [][]output.Cell
	for _, p := range out.Clients {
		row := output.Of(claimed(p.Instance), claimed(p.ClientID), output.Text(p.Key), claimedValue(p.Own), claimedValue(p.InForce), valueText(p.Wished))
		rows = append(rows, append(row, prospectCell(p.State), output.Cell{Text: oneLine(p.Reason)}))
	}
	t.Line("It would reach:")
	t.Table([]string{"INSTANCE", "CLIENT-ID", "KEY", "OWN", "IN FORCE", "WISHED", "STATE", "REASON"}, rows)
	t.Line("%s", claims)
}

func prospectCell(s fleet.OutcomeState) output.Cell {
	return map[fleet.OutcomeState]output.Cell{
		fleet.OutcomeTaken:       {Text: "would be taken", Style: output.Good},
		fleet.OutcomeRefused:     {Text: "would be refused", Style: output.Bad},
		fleet.OutcomeOverruled:   {Text: "would be overruled", Style: output.Doubtful},
		fleet.OutcomeUnconcerned: {Text: "is not concerned"},
	}[s]
}
