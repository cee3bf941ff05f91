package cli

import (
	"strings"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/fleet"
)

// maxRows bounds the rows of a client's tables: our clients have some forty, and a
// record may claim to have thousands. Documents have all.
const maxRows = 512

// showClient writes a client for people, and an empty line.
func showClient(t *output.TextWriter, v *fullView) {
	since := output.Cell{Text: timeText(v.At)}
	if v.Stale {
		since = output.Cell{Text: since.Text + " (stale)", Style: output.Doubtful}
	}
	t.Table([]string{"INSTANCE", claimed(v.Instance)}, [][]output.Cell{
		output.Of("PRINCIPAL", principalText(v.Principal)),
		output.Of("CLIENT-ID", claimed(v.ClientID)),
		output.Of("GROUP", orNone(v.Group)),
		output.Of("KIND", v.Kinds.String()),
		output.Of("SOFTWARE", softwareText(v.Software)),
		output.Of("HOST", orNone(v.Host)),
		output.Of("SINCE", timeText(v.Since)),
		{{Text: "TOLD"}, since},
		output.Of("ACCEPTS", supportedText(v.Supported)),
	})
	t.Line("")
	showConfigs(t, v)
	t.Line("")
	showDynamic(t, v)
	t.Line("")
}

func supportedText(keys []string) string {
	var out []string
	for i, k := range keys {
		if i == maxRows {
			return strings.Join(append(out, "..."), ", ")
		}
		out = append(out, claimed(k))
	}
	return strings.Join(out, ", ")
}

func showConfigs(t *output.TextWriter, v *fullView) {
	var rows [][]output.Cell
	for _, c := range v.Configs {
		if len(rows) == maxRows {
			break
		}
		from := output.Cell{Text: "set", Style: output.Doubtful}
		if c.Default {
			from = output.Cell{Text: "default"}
		}
		rows = append(rows, append(output.Of(claimed(c.Key), configText(c.Value), orNone(c.Type)), from))
	}
	t.Table([]string{"KEY", "VALUE", "TYPE", "FROM"}, rows)
	moreRows(t, len(v.Configs))
}

func showDynamic(t *output.TextWriter, v *fullView) {
	if len(v.Dynamic) == 0 {
		t.Line("It tells nothing of dynamic configurations.")
		return
	}
	var rows [][]output.Cell
	for _, s := range v.Dynamic {
		if len(rows) == maxRows {
			break
		}
		row := output.Of(claimed(s.Key), optionalText(s.Wished), optionalText(s.InForce), optionalText(s.Static))
		row = append(row, output.Cell{Text: claimed(string(s.State)), Style: stateStyles[s.State]}, output.Cell{Text: reasonText(s.Reason)})
		rows = append(rows, row)
	}
	t.Table([]string{"DYNAMIC KEY", "WISHED", "IN FORCE", "OWN", "STATE", "REASON"}, rows)
	moreRows(t, len(v.Dynamic))
}

func moreRows(t *output.TextWriter, n int) {
	if n > maxRows {
		t.Line("and %d more", n-maxRows)
	}
}

func reasonText(s string) string {
	if s == "" {
		return ""
	}
	return claimed(s)
}

// configText is a value as a table shows it. What is redacted is no value, and not
// quoted.
func configText(s string) string {
	if s == fleet.Redacted {
		return s
	}
	return claimed(s)
}

func optionalText(s *string) string {
	if s == nil {
		return ""
	}
	return configText(*s)
}
