package cli

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
)

const demoTopic = "orders"

// demo makes of the flags those of a cluster to try the other verbs on: as Kafka is
// today, without the RPCs, with the topics set up.
func (f *brokerFlags) demo(cmd *cobra.Command) error {
	for _, flag := range []string{"user", "users-file", "policy", "dynamic-configs", "topic"} {
		if cmd.Flags().Changed(flag) {
			return errors.New("--demo goes without --" + flag)
		}
	}
	f.policy, f.dynamic, f.setup = "none", false, true
	f.topics = []string{demoTopic + ":3"}
	return nil
}

// demoPause is how often a producer of the demonstration produces, so that there is a
// request which can carry an override.
const demoPause = 200 * time.Millisecond

// demoClients are clients as an operator finds them: one of each pair is not as the
// other, and one of the producers cannot take an override of acks.
func demoClients() []struct {
	id   string
	opts []kgo.Opt
} {
	member := []kgo.Opt{kgo.ConsumerGroup("billing"), kgo.ConsumeTopics(demoTopic)}
	return []struct {
		id   string
		opts []kgo.Opt
	}{
		{"orders-api", []kgo.Opt{kgo.DisableIdempotentWrite()}},
		{"orders-api", []kgo.Opt{kgo.ProducerLinger(50 * time.Millisecond)}},
		{"billing", member},
		{"billing", slices.Concat(member, []kgo.Opt{kgo.SessionTimeout(30 * time.Second)})},
	}
}

// demonstrate runs the clients until the returned function is called. They have told of
// themselves when it returns.
func (a *app) demonstrate(ctx context.Context, addrs []string) (end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var clients []*client.Client
	end = func() {
		cancel()
		running.Wait()
		for _, cl := range clients {
			cl.Close()
		}
	}
	for _, one := range demoClients() {
		cl, err := client.New(
			append([]kgo.Opt{kgo.SeedBrokers(addrs...), kgo.ClientID(one.id), kgo.DefaultProduceTopic(demoTopic)}, one.opts...),
			client.Transport(client.TransportTopics), client.Topics(a.topics), client.PollInterval(time.Second))
		if err != nil {
			end()
			return nil, err
		}
		clients = append(clients, cl)
		if err := cl.PushConfig(ctx); err != nil {
			end()
			return nil, err
		}
		running.Go(func() { work(ctx, cl) })
	}
	return end, nil
}

// work consumes, or produces a record now and then.
func work(ctx context.Context, cl *client.Client) {
	if cl.Status().Kinds.Has(kcfg.KindConsumer) {
		for ctx.Err() == nil {
			cl.PollFetches(ctx)
		}
		return
	}
	ticker := time.NewTicker(demoPause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			cl.Produce(ctx, kgo.StringRecord("an order"), nil)
		}
	}
}
