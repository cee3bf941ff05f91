package output

import (
	"fmt"
	"io"
)

// TextWriter writes what people read. It keeps the first error.
type TextWriter struct {
	out   io.Writer
	color bool
	err   error
}

// Line prints a line. Arguments that come from somebody else go through Text, Name
// or Printable before.
func (t *TextWriter) Line(format string, args ...any) {
	if t.err != nil {
		return
	}
	_, t.err = fmt.Fprintf(t.out, format+"\n", args...)
}

// sgr are the colors of styles, as ECMA-48 has them (select graphic rendition).
var sgr = map[Style]string{Good: "32", Bad: "31", Doubtful: "33", Heading: "1"}

// painted returns text in the color of its style, if there are colors.
func (t *TextWriter) painted(text string, s Style) string {
	if !t.color || sgr[s] == "" {
		return text
	}
	return "\x1b[" + sgr[s] + "m" + text + "\x1b[0m"
}

// NewLines returns a TextWriter without colors, for what is told line by line.
func NewLines(out io.Writer) *TextWriter { return &TextWriter{out: out} }

// Err returns the first error.
func (t *TextWriter) Err() error { return t.err }
