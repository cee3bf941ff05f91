package output

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// none is what an empty cell shows.
const none = "-"

// Style is what a cell means, for its color.
type Style int

// The styles.
const (
	Plain Style = iota
	Good
	Bad
	Doubtful
	Heading
)

// Cell is a cell of a table. Its text is printed as it is: make it with Text or Name
// where it comes from somebody else.
type Cell struct {
	Text  string
	Style Style
}

// Of returns plain cells.
func Of(texts ...string) []Cell {
	out := make([]Cell, 0, len(texts))
	for _, t := range texts {
		out = append(out, Cell{Text: t})
	}
	return out
}

// width does not depend on the user's locale, so that output is the same anywhere.
var width = func() *runewidth.Condition {
	c := runewidth.NewCondition()
	c.EastAsianWidth = false
	return c
}()

const gap = 2

// Table prints rows in columns under a header. An empty cell shows as -.
func (t *TextWriter) Table(header []string, rows [][]Cell) {
	widths := make([]int, len(header))
	for i, h := range header {
		widths[i] = width.StringWidth(h)
	}
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], width.StringWidth(shown(c)))
		}
	}
	head := make([]Cell, len(header))
	for i, h := range header {
		head[i] = Cell{h, Heading}
	}
	t.row(head, widths)
	for _, row := range rows {
		t.row(row, widths)
	}
}

func shown(c Cell) string {
	if c.Text == "" {
		return none
	}
	return c.Text
}

func (t *TextWriter) row(cells []Cell, widths []int) {
	var b strings.Builder
	for i, c := range cells {
		b.WriteString(t.painted(shown(c), c.Style))
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-width.StringWidth(shown(c))+gap))
		}
	}
	t.Line("%s", b.String())
}
