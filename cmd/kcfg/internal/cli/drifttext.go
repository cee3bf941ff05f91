package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/fleet"
)

// keyOf is a key of a group, for rows in either order.
type keyOf struct {
	name string
	key  fleet.KeyDrift
}

// table prints a row for each value.
func (d *drift) table(t *output.TextWriter, got fleet.Drift) {
	var all []keyOf
	more := 0
	for _, g := range got.Groups {
		for _, k := range g.Keys {
			all = append(all, keyOf{g.Name, k})
		}
		more += g.MoreKeys
	}
	if d.byKey {
		slices.SortStableFunc(all, func(a, b keyOf) int { return cmp.Compare(a.key.Key, b.key.Key) })
	}
	var rows [][]output.Cell
	for _, k := range all {
		rows = append(rows, k.rows()...)
	}
	if len(rows) == 0 {
		return
	}
	head := "CLIENT-ID"
	if d.options.By == fleet.ByGroup {
		head = "GROUP"
	}
	t.Table([]string{head, "KEY", "VALUE", "CLIENTS", "FROM", "DEFAULT", "INSTANCES"}, rows)
	if more > 0 {
		t.Line("and %d more keys, which fewer clients have", more)
	}
}

func (k keyOf) rows() [][]output.Cell {
	var rows [][]output.Cell
	start := func(value string, clients int) []output.Cell {
		return output.Of(claimed(k.name), claimed(k.key.Key), value, fmt.Sprintf("%d of %d", clients, k.key.Clients))
	}
	for _, v := range k.key.Values {
		row := append(start(configText(v.Value), v.Clients), fromCell(v), output.Cell{Text: optionalText(k.key.Default)})
		rows = append(rows, append(row, output.Cell{Text: instancesText(v)}))
	}
	if n := k.key.MoreValues; n > 0 {
		row := append(start(fmt.Sprintf("(%d more)", n), k.key.MoreClients), output.Cell{}, output.Cell{Text: optionalText(k.key.Default)})
		rows = append(rows, append(row, output.Cell{}))
	}
	return rows
}

// fromCell says where a value comes from: the library's default, the application, or
// an operator.
func fromCell(v fleet.DriftValue) output.Cell {
	var from []string
	c := output.Cell{}
	if v.Defaults > 0 {
		from = append(from, "default")
	}
	if v.Clients > v.Defaults+v.Overrides {
		from = append(from, "set")
		c.Style = output.Doubtful
	}
	if v.Overrides > 0 {
		from = append(from, "override")
	}
	c.Text = strings.Join(from, ", ")
	return c
}

func instancesText(v fleet.DriftValue) string {
	out := make([]string, 0, len(v.Instances)+1)
	for _, i := range v.Instances {
		out = append(out, claimed(i))
	}
	if v.Clients > len(v.Instances) {
		out = append(out, "...")
	}
	return strings.Join(out, ", ")
}
