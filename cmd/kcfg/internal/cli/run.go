// Package cli is the kcfg command: one file for each of its verbs, which parses
// arguments, calls the library, and shows what it says. What decides anything is in
// the library.
package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

// Streams are where the command reads and writes. It takes colors and progress for
// wanted where they are terminals.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run runs the command with the arguments behind its name, until it is done or ctx
// ends, and returns its exit code.
func Run(ctx context.Context, s Streams, args []string) int {
	a := &app{streams: s}
	root := a.root()
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetArgs(append([]string{}, args...)) // of nil it takes the process's own
	err := root.ExecuteContext(ctx)
	if err != nil && !a.started {
		err = usage(err) // cobra's own: nothing of ours has run
	}
	if err != nil {
		fmt.Fprintf(s.Err, "kcfg: %s\n", output.Printable(err.Error()))
	}
	return code(err)
}
