package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// job is something that a client does, timed.
type job struct {
	name   string
	makers []maker // the first is what the others are compared with
	time   func(context.Context, *cluster, maker) (time.Duration, error)
}

func jobs(records int) []job {
	plain := []maker{bare, bare, ours}
	produceAll := func(ctx context.Context, c *cluster, m maker) (time.Duration, error) {
		return produce(ctx, c, m, records)
	}
	return []job{
		{"produce, 100 B, black hole", plain, produceAll},
		{"the same, not idempotent", []maker{weak(bare), weak(bare), weak(ours), under("1"), under("0")}, produceAll},
		{"consume, 100 B", plain, func(ctx context.Context, c *cluster, m maker) (time.Duration, error) {
			return consume(ctx, c, m, records)
		}},
		{"first record of a new client", plain, first},
	}
}

// produce times records from a client that has produced before.
func produce(ctx context.Context, c *cluster, m maker, n int) (time.Duration, error) {
	defer c.blackhole()()
	cl, err := m(kgo.SeedBrokers(c.Addrs()...), kgo.DefaultProduceTopic(topic), kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	if err := cl.ProduceSync(ctx, &kgo.Record{Value: payload}).FirstErr(); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := send(ctx, cl, n); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

// send produces n records and waits for all.
func send(ctx context.Context, cl *kgo.Client, n int) error {
	var once sync.Once
	var failed error
	for range n {
		cl.Produce(ctx, &kgo.Record{Value: payload}, func(_ *kgo.Record, err error) {
			if err != nil {
				once.Do(func() { failed = err })
			}
		})
	}
	if err := cl.Flush(ctx); err != nil {
		return err
	}
	return failed
}

// consume times a client that reads the topic from the start. The records are
// those that the first call stored.
func consume(ctx context.Context, c *cluster, m maker, n int) (time.Duration, error) {
	if err := c.fill(ctx, n); err != nil {
		return 0, err
	}
	cl, err := m(kgo.SeedBrokers(c.Addrs()...), kgo.ConsumeTopics(topic))
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	start := time.Now()
	for got := 0; got < n; {
		fs := cl.PollFetches(ctx)
		if err := fs.Err(); err != nil {
			return 0, fmt.Errorf("after %d records: %w", got, err)
		}
		got += fs.NumRecords()
	}
	return time.Since(start), nil
}

// first times a client from nothing to its first acknowledged record.
func first(ctx context.Context, c *cluster, m maker) (time.Duration, error) {
	defer c.blackhole()()
	start := time.Now()
	cl, err := m(kgo.SeedBrokers(c.Addrs()...), kgo.DefaultProduceTopic(topic), kgo.ProducerLinger(0))
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	if err := cl.ProduceSync(ctx, &kgo.Record{Value: payload}).FirstErr(); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}
