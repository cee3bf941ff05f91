// The quickstart shows what a client tells its cluster, and proves that its
// secrets stay in the process:
//
//	go run ./examples/quickstart
//
// It starts the reference broker, lets a producer and a consumer push their
// configurations, moves 1,000 records from one to the other, and compares what
// the broker's policy got, and every byte that came in, with what should have
// been sent. Then an operator changes the acks and the session timeout of two
// running clients and takes it back, while records flow: the timeline shows when
// the clients and the broker noticed.
//
// With -brokers it runs on your own cluster, which has no config push and takes no
// notice. With -transport topics it does not need the RPCs: it makes two topics, in
// which the clients tell their configurations and read their overrides, on any
// Kafka from 2.8 on, and deletes them at the end.
//
// The last line is OK, or the exit status is 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/examples/internal/program"
)

func main() { program.Main("quickstart", run) }

func run(ctx context.Context, out io.Writer, args []string) error {
	fs := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags := connect.AddFlags(fs)
	transport := fs.String("transport", "rpc", "tell configurations and read overrides over `rpc or topics`")
	timeout := fs.Duration("timeout", time.Minute, "give up after this `time`")
	if done, err := program.Parse(fs, out, args); done || err != nil {
		return err
	}
	if err := flags.Check(); err != nil {
		return err
	}
	if *transport != "rpc" && *transport != "topics" {
		return fmt.Errorf("-transport %q is neither rpc nor topics", *transport)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, *timeout, fmt.Errorf("not done after %v", *timeout))
	defer cancel()

	show := onEmbedded
	if flags.Named() || *transport == "topics" {
		target, end, err := flags.Open()
		if err != nil {
			return err
		}
		defer end()
		on := onCluster
		if *transport == "topics" {
			on = onTopics
		}
		show = func(ctx context.Context, out io.Writer, p plan) error { return on(ctx, out, target, p) }
	}
	err := show(ctx, out, newPlan())
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintln(out, "OK")
	return err
}
