package cli

import (
	"fmt"
	"strings"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

// showChecked writes a table for each file or client in which something was found,
// and a line that counts.
func showChecked(t *output.TextWriter, v checkView) {
	configs := 0
	for _, c := range v.Checked {
		configs += c.Configs
		if len(c.Findings) == 0 {
			continue
		}
		if c.Instance != "" {
			t.Line("%s (client id %s)", claimed(c.Instance), claimed(*c.ClientID))
		}
		var rows [][]output.Cell
		for _, f := range c.Findings {
			if len(rows) == maxRows {
				break
			}
			rows = append(rows, findingRow(f))
		}
		t.Table([]string{"LEVEL", "KEY", "WITH", "REASON", "SOURCE"}, rows)
		moreRows(t, len(c.Findings))
		t.Line("")
	}
	t.Line("%s of %s: %s, %s", plural(configs, "configuration"), whatWasChecked(v), plural(v.Errors, "error"), plural(v.Warnings, "warning"))
}

func whatWasChecked(v checkView) string {
	if len(v.Checked) == 1 && v.Checked[0].File != "" {
		if v.Checked[0].File == "-" {
			return "standard input"
		}
		return output.Text(v.Checked[0].File)
	}
	return fmt.Sprintf("%s, which is what they claim", plural(len(v.Checked), "client"))
}

func findingRow(f client.ConfigFinding) []output.Cell {
	style := output.Doubtful
	if f.Level == client.FindingError {
		style = output.Bad
	}
	return append([]output.Cell{{Text: string(f.Level), Style: style}},
		output.Of(claimed(f.Key), strings.Join(f.With, ", "), f.Reason, f.Source)...)
}
