package cli

import (
	"slices"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

// altered is what became of an alteration.
type altered struct {
	Entity  []kcfg.EntityPart `json:"entity"`
	Changes []change          `json:"changes"`
	// Message is what Kafka's tool would print, empty unless all was done.
	Message string   `json:"message,omitempty"`
	Watch   *watched `json:"watch,omitempty"`
}

// change is what became of a change of one key.
type change struct {
	API     string `json:"api"`
	Key     string `json:"key"`
	Op      string `json:"op"`
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
}

const (
	done   = "done"
	failed = "failed"
)

func changesOf(steps []step) []change {
	out := []change{}
	for _, s := range steps {
		for _, op := range s.ops {
			c := change{API: s.api, Key: op.Key, Op: op.Kind.String(), Outcome: done}
			if s.err != nil {
				c.Outcome, c.Error = failed, s.err.Error()
			}
			out = append(out, c)
		}
	}
	return out
}

// printAltered shows what was done: as Kafka's tool does if that is all of it, and key
// by key if something else was not.
func (j *alteration) printAltered(steps []step, w *watched) error {
	out := altered{Entity: j.t.Parts(), Changes: changesOf(steps)}
	if w != nil && w.looked {
		out.Watch = w
	}
	bad := slices.ContainsFunc(steps, func(s step) bool { return s.err != nil })
	if !bad {
		out.Message = j.t.Completed()
	}
	return j.a.print.Print(out, func(t *output.TextWriter) {
		switch {
		case w != nil: // it was shown before the watch
			w.write(t)
		case !bad:
			t.Line("%s", out.Message)
		default:
			j.writeChanges(t, out.Changes)
		}
	})
}

func (j *alteration) writeChanges(t *output.TextWriter, changes []change) {
	columns := typesOf(j.t.Parts())
	var rows [][]output.Cell
	for _, c := range changes {
		row := append(output.Of(c.API), nameCells(columns, j.t.Parts())...)
		rows = append(rows, append(row, output.Cell{Text: output.Text(c.Key)}, output.Cell{Text: c.Op}, outcomeCell(c.Outcome)))
	}
	t.Table(slices.Concat([]string{"API"}, headings(columns), []string{"KEY", "OP", "OUTCOME"}), rows)
}

func outcomeCell(outcome string) output.Cell {
	if outcome == failed || outcome == wouldFail {
		return output.Cell{Text: outcome, Style: output.Bad}
	}
	return output.Cell{Text: outcome, Style: output.Good}
}

func typesOf(parts []kcfg.EntityPart) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.Type)
	}
	return out
}
