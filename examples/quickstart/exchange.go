package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/pushconfig"
	"github.com/kcfg-go/kcfg/sensitive"
)

// records is how many records are produced and must come back.
const records = 1000

// names are what a run uses on its cluster.
type names struct {
	topic, group string
	id           [16]byte // of the topic, zero if it is not known
}

// told is what one client says about itself.
type told struct {
	clientID string
	status   kcfg.Status
	configs  []sensitive.Entry // what pushconfig.Collect gives for it
	err      error             // of its PushConfig
}

// exchange lets a producer and a consumer do their work, and returns what they
// and the records have to say. Both are closed then.
func exchange(ctx context.Context, target connect.Target, n names, p plan) (clients []*told, back tally, err error) {
	const producerID, consumerID = "quickstart-producer", "quickstart-consumer"

	producer, err := client.NewProducer(target.Kgo(
		kgo.ClientID(producerID),
		kgo.DefaultProduceTopic(n.topic),
		kgo.ProducerLinger(5*time.Millisecond),
		kgo.ProducerBatchCompression(kgo.Lz4Compression()),
		kgo.RecordDeliveryTimeout(30*time.Second),
	), options(target, p)...)
	if err != nil {
		return nil, tally{}, err
	}
	defer producer.Close()
	if err = target.Reach(ctx, producer); err != nil {
		return nil, tally{}, err
	}
	if err = produce(ctx, producer.Client); err != nil {
		return nil, tally{}, fmt.Errorf("produce: %w", err)
	}
	clients = append(clients, tell(ctx, producerID, producer))

	consumer, err := client.NewConsumer(target.Kgo(
		kgo.ClientID(consumerID),
		kgo.ConsumerGroup(n.group),
		kgo.ConsumeTopics(n.topic),
		kgo.SessionTimeout(30*time.Second),
		kgo.HeartbeatInterval(2*time.Second),
		kgo.FetchMaxWait(250*time.Millisecond),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	), options(target, p)...)
	if err != nil {
		return nil, tally{}, err
	}
	defer consumer.Close()
	if back, err = consume(ctx, consumer.Client); err != nil {
		return nil, tally{}, fmt.Errorf("consume: %w", err)
	}
	clients = append(clients, tell(ctx, consumerID, consumer))
	return clients, back, nil
}

// options returns what the clients push besides the default set.
func options(target connect.Target, p plan) []client.Option {
	opts := target.Options(client.PushKeys(p.pushKeys...))
	for _, e := range slices.Concat(p.harmless, p.held) {
		opts = append(opts, client.ExtraConfig(e.Key, e.Value, e.Type))
	}
	return opts
}

// tell waits until the client's push is over, and asks the client about itself.
func tell(ctx context.Context, id string, cl *client.Client) *told {
	err := cl.PushConfig(ctx)
	s := cl.Status()
	return &told{clientID: id, status: s, configs: pushconfig.Collect(cl.Client, s.Kinds), err: err}
}
