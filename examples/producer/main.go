// The producer shows the usual way: client.NewProducer with options and hooks,
// and what the client's Status says in the end.
//
//	go run ./examples/producer
//	go run ./examples/producer -brokers localhost:9092 -topic orders
//
// Without -brokers it starts the reference broker, so that there is somebody who
// listens.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/examples/internal/program"
	"github.com/kcfg-go/kcfg/sensitive"
)

func main() { program.Main("producer", run) }

func run(ctx context.Context, out io.Writer, args []string) error {
	fs := flag.NewFlagSet("producer", flag.ContinueOnError)
	flags := connect.AddFlags(fs)
	topic := fs.String("topic", "orders", "produce to this `topic`, which must exist")
	n := fs.Int("records", 10, "produce this `number` of records")
	timeout := fs.Duration("timeout", 30*time.Second, "give up after this `time`")
	if done, err := program.Parse(fs, out, args); done || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()

	target, end, err := flags.Open(*topic)
	if err != nil {
		return err
	}
	defer end()

	events := newEvents()
	cl, err := client.NewProducer(target.Kgo(
		kgo.ClientID("orders-api"),
		kgo.DefaultProduceTopic(*topic),
		kgo.ProducerLinger(5*time.Millisecond),
	), target.Options(
		client.ExtraConfig("orders.release", "1.4.2", sensitive.String), // goes with the others
		client.ExtraConfig("db.password", "wonder", sensitive.Password), // stays, and Status says why
		client.WithHooks(events),
	)...)
	if err != nil {
		return err
	}
	defer cl.Close()
	if err := target.Reach(ctx, cl); err != nil {
		return err
	}

	// The configurations are pushed meanwhile. Nothing here waits for that.
	if err := produce(ctx, cl.Client, *n); err != nil {
		return err
	}
	fmt.Fprintf(out, "produced %d records to %s\n", *n, *topic)

	// Only who wants to know the outcome waits for it.
	if err := cl.PushConfig(ctx); err != nil && !errors.Is(err, cfgerrors.ErrUnsupported) {
		fmt.Fprintln(out, "the push failed, and everything else works on:", err)
	}
	events.print(out)
	return program.PrintJSON(out, cl.Status())
}

func produce(ctx context.Context, cl *kgo.Client, n int) error {
	records := make([]*kgo.Record, 0, n)
	for i := range n {
		records = append(records, kgo.StringRecord(fmt.Sprintf("order %d", i)))
	}
	return cl.ProduceSync(ctx, records...).FirstErr()
}
