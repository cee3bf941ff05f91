// This example is about an application's own configurations: which of them would
// leave the process if they were given to client.ExtraConfig, and a unit test
// that keeps it so. Copy configs_test.go into your application.
//
//	go run ./examples/sensitive
//
// Nothing is sent and nothing is dialed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/kcfg-go/kcfg/examples/internal/program"
	"github.com/kcfg-go/kcfg/examples/internal/table"
	"github.com/kcfg-go/kcfg/sensitive"
)

func main() { program.Main("sensitive", run) }

func run(_ context.Context, out io.Writer, args []string) error {
	fs := flag.NewFlagSet("sensitive", flag.ContinueOnError)
	if done, err := program.Parse(fs, out, args); done || err != nil {
		return err
	}
	clean, held := sensitive.Filter(configs(load())...)
	var rows [][]string
	for _, c := range clean {
		e := c.Entry()
		rows = append(rows, []string{e.Key, e.Type.String(), "may leave"})
	}
	for _, h := range held {
		rows = append(rows, []string{h.Key, h.Type.String(), "stays: " + h.Reason.String()})
	}
	if err := table.Write(out, "Configurations of this application", []string{"KEY", "TYPE", "DECISION"}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "Keys can be judged before there is a value: orders.session.token,", sensitive.Check("orders.session.token", sensitive.String))
	return err
}
