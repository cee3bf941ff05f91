package output

import (
	"fmt"
	"io"
	"strings"
)

// The formats.
const (
	Table = "table"
	JSON  = "json"
	YAML  = "yaml"
)

// Formats returns the names of the formats, the default first.
func Formats() []string { return []string{Table, JSON, YAML} }

// Printer prints results in the format that the user asked for.
type Printer struct {
	out    io.Writer
	format string
	color  bool
}

// NewPrinter returns a Printer. Colors are for tables only.
func NewPrinter(out io.Writer, format string, color bool) (*Printer, error) {
	switch format {
	case Table, JSON, YAML:
		return &Printer{out: out, format: format, color: color}, nil
	}
	return nil, fmt.Errorf("there is no output format %q; there are %s", format, strings.Join(Formats(), ", "))
}

// ForPeople reports whether the format is the table.
func (p *Printer) ForPeople() bool { return p.format == Table }

// Print prints a result: what its MarshalJSON and field tags say as JSON or YAML, and
// for people what text writes.
func (p *Printer) Print(v any, text func(t *TextWriter)) error {
	if p.format == Table {
		t := &TextWriter{out: p.out, color: p.color}
		text(t)
		return t.err
	}
	b, err := document(v)
	if err != nil {
		return err
	}
	encode := toJSON
	if p.format == YAML {
		encode = toYAML
	}
	if b, err = encode(b); err != nil {
		return err
	}
	_, err = p.out.Write(b)
	return err
}
