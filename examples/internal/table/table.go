// Package table prints what the examples show.
package table

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Write prints a title and rows in columns under a header, and an empty line
// behind them. Cells that are not printable ASCII are quoted: they may come from
// somebody else.
func Write(out io.Writer, title string, header []string, rows [][]string) error {
	if _, err := fmt.Fprintln(out, title); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, line(header))
	for _, row := range rows {
		fmt.Fprintln(w, line(row))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out)
	return err
}

func line(cells []string) string {
	shown := make([]string, 0, len(cells))
	for _, c := range cells {
		shown = append(shown, Cell(c))
	}
	return "  " + strings.Join(shown, "\t")
}

// Cell returns text as it is if it can be shown so, and else quoted.
func Cell(text string) string {
	for _, r := range text {
		if r < ' ' || r > '~' {
			return strconv.QuoteToASCII(text)
		}
	}
	return text
}
