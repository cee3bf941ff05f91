// This example adds the library to a client that other code makes: a
// kgo.GroupTransactSession, which consumes, transforms and produces in
// transactions. client.NewPlugin gives the options for it.
//
//	go run ./examples/transactions
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/examples/internal/program"
	"github.com/kcfg-go/kcfg/examples/internal/table"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

const (
	orders   = "orders"
	receipts = "receipts"
	records  = 30
)

func main() { program.Main("transactions", run) }

func run(ctx context.Context, out io.Writer, args []string) error {
	fs := flag.NewFlagSet("transactions", flag.ContinueOnError)
	timeout := fs.Duration("timeout", 30*time.Second, "give up after this `time`")
	if done, err := program.Parse(fs, out, args); done || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, *timeout, fmt.Errorf("not done after %v", *timeout))
	defer cancel()

	broker, err := fakebroker.New(
		fakebroker.Brokers(3),
		fakebroker.Topics(3, orders, receipts),
		fakebroker.Policy(&fakebroker.RecordPolicy{}),
	)
	if err != nil {
		return err
	}
	defer broker.Close()
	seeds := kgo.SeedBrokers(broker.Addrs()...)
	if err := placeOrders(ctx, seeds); err != nil {
		return fmt.Errorf("place orders: %w", err)
	}

	plugin := client.NewPlugin()
	session, err := kgo.NewGroupTransactSession(append(plugin.Opts(), // before your own options
		seeds,
		kgo.ClientID("orders-clerk"),
		kgo.ConsumerGroup("clerks"),
		kgo.ConsumeTopics(orders),
		kgo.TransactionalID("orders-clerk-1"),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	)...)
	if err != nil {
		return err
	}
	defer session.Close() // ends the plugin's goroutine too

	n, err := transform(ctx, session)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d orders became receipts in %d transactions\n\n", records, n)
	if err := plugin.PushConfig(ctx); err != nil {
		return err
	}
	return show(out, plugin, broker)
}

// show prints what the client pushed. It is a producer and a consumer, so it
// has the keys of both.
func show(out io.Writer, plugin *client.Plugin, broker *fakebroker.Cluster) error {
	pushes := broker.Pushes()
	last := pushes[len(pushes)-1]
	var rows [][]string
	for _, e := range last.Configs.Entries {
		rows = append(rows, []string{e.Key, e.Text, e.Type.String()})
	}
	title := fmt.Sprintf("What %s pushed as %s", last.Context.ClientID, plugin.Status().Kinds)
	return table.Write(out, title, []string{"KEY", "VALUE", "TYPE"}, rows)
}
