// Package program is what the examples' main functions have in common.
package program

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Run is an example: it writes to out and ends with ctx.
type Run func(ctx context.Context, out io.Writer, args []string) error

// Main runs an example until it is done or interrupted, and exits: with 0 if it
// returned nil, else with 1 and its error on standard error.
func Main(name string, run Run) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Parse parses flags. It returns done if the arguments asked for help, which it
// then printed. Nothing is printed about a mistake: the error says it.
func Parse(fs *flag.FlagSet, out io.Writer, args []string) (done bool, err error) {
	fs.SetOutput(io.Discard)
	err = fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fs.SetOutput(out)
		fs.Usage()
		return true, nil
	case err != nil:
		return false, err
	case fs.NArg() > 0:
		return false, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	return false, nil
}

// PrintJSON prints v as indented JSON.
func PrintJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
