package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/entityargs"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

// notSetUp is said where a cluster can have quotas only.
const notSetUp = "There are no dynamic client configurations in this cluster: they are not set up (see kcfg setup)."

func (a *app) printTold(t entityargs.Target, out told) error {
	return a.print.Print(out, func(w *output.TextWriter) {
		var rows [][]output.Cell
		columns := columnsOf(t)
		for _, one := range out.Entities {
			rows = append(rows, rowsOf(columns, one)...)
		}
		switch {
		case len(rows) > 0 && t.Resource().IsZero() && (t.OfClients() || t.Head().Type == entityargs.IPs):
			w.Table(append(headings(columns), "KEY", "VALUE", "KIND"), rows)
		case len(rows) > 0:
			w.Table(append(headings(columns), "KEY", "VALUE", "TYPE", "SOURCE", "NOTE"), rows)
		case len(out.Errors) == 0:
			w.Line("Nothing is set.")
		}
		if out.DynamicNotSetUp {
			w.Line(notSetUp)
		}
	})
}

// columnsOf are the types that name an entity in a table.
func columnsOf(t entityargs.Target) []string {
	if t.OfClients() {
		return []string{kcfg.EntityUser, kcfg.EntityClientID}
	}
	return []string{quotaType(t.Head().Type)}
}

func headings(columns []string) []string {
	out := make([]string, 0, len(columns))
	for _, c := range columns {
		out = append(out, strings.ToUpper(c))
	}
	return out
}

// nameCells show an entity in the columns of its types.
func nameCells(columns []string, parts []kcfg.EntityPart) []output.Cell {
	out := make([]output.Cell, len(columns))
	for i, c := range columns {
		if p := partOf(parts, c); p != nil {
			out[i].Text = output.Name(p.Name)
		}
	}
	return out
}

func rowsOf(columns []string, one settings) [][]output.Cell {
	var rows [][]output.Cell
	add := func(cells ...output.Cell) { rows = append(rows, append(nameCells(columns, one.Entity), cells...)) }
	for _, s := range one.Configs {
		switch s.Kind {
		case kindConfig:
			add(output.Of(output.Text(s.Key), valueText(s.Value), s.Type, s.Source, note(s))...)
		default:
			add(output.Of(output.Text(s.Key), valueText(s.Value), s.Kind)...)
		}
	}
	for _, software := range slices.Sorted(maps.Keys(one.Supported)) {
		keys := strings.Join(one.Supported[software], ",")
		add(output.Of(kcfg.SupportedConfigs, output.Text(software+": "+keys), "supported")...)
	}
	return rows
}

// valueText shows a value; one that is not there is an empty cell.
func valueText(v *string) string {
	if v == nil {
		return ""
	}
	return output.Text(*v)
}

func note(s setting) string {
	var notes []string
	if s.ReadOnly {
		notes = append(notes, "read-only")
	}
	if s.Sensitive {
		notes = append(notes, "sensitive")
	}
	return strings.Join(notes, ", ")
}
