// The consumer shows a consumer group, waiting for the outcome of a push, and
// how its errors are told apart.
//
//	go run ./examples/consumer
//	go run ./examples/consumer -brokers localhost:9092 -topic orders -group readers
//
// Without -brokers it starts the reference broker and fills the topic first.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/examples/internal/program"
)

func main() { program.Main("consumer", run) }

func run(ctx context.Context, out io.Writer, args []string) error {
	fs := flag.NewFlagSet("consumer", flag.ContinueOnError)
	flags := connect.AddFlags(fs)
	topic := fs.String("topic", "orders", "consume this `topic`")
	group := fs.String("group", "orders-readers", "be a member of this `group`")
	n := fs.Int("records", 10, "stop after this `number` of records")
	timeout := fs.Duration("timeout", 30*time.Second, "give up after this `time`")
	if done, err := program.Parse(fs, out, args); done || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, *timeout, fmt.Errorf("not done after %v", *timeout))
	defer cancel()

	target, end, err := flags.Open(*topic)
	if err != nil {
		return err
	}
	defer end()
	if !flags.Named() {
		if err := fill(ctx, target, *topic, *n); err != nil {
			return fmt.Errorf("fill the topic: %w", err)
		}
	}

	cl, err := client.NewConsumer(target.Kgo(
		kgo.ClientID("orders-reader"),
		kgo.ConsumerGroup(*group),
		kgo.ConsumeTopics(*topic),
		kgo.SessionTimeout(30*time.Second),
	), target.Options(
		client.PushTimeout(10*time.Second),
	)...)
	if err != nil {
		return err
	}
	defer cl.Close()
	if err := target.Reach(ctx, cl); err != nil {
		return err
	}
	fmt.Fprintln(out, outcome(cl.PushConfig(ctx)))

	read, err := consume(ctx, cl.Client, *n)
	fmt.Fprintf(out, "read %d of %d records from %s\n", read, *n, *topic)
	if err != nil {
		return err
	}
	return program.PrintJSON(out, cl.Status())
}

// consume polls until n records came.
func consume(ctx context.Context, cl *kgo.Client, n int) (read int, err error) {
	for read < n {
		fs := cl.PollRecords(ctx, n-read)
		if ctx.Err() != nil {
			return read, context.Cause(ctx)
		}
		if err := fs.Err(); err != nil {
			return read, err
		}
		read += fs.NumRecords()
	}
	return read, nil
}

// fill produces n records with a client that has nothing to do with this library.
func fill(ctx context.Context, target connect.Target, topic string, n int) error {
	cl, err := kgo.NewClient(target.Kgo(kgo.DefaultProduceTopic(topic))...)
	if err != nil {
		return err
	}
	defer cl.Close()
	records := make([]*kgo.Record, 0, n)
	for i := range n {
		records = append(records, kgo.StringRecord(fmt.Sprintf("order %d", i)))
	}
	return cl.ProduceSync(ctx, records...).FirstErr()
}
