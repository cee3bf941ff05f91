package kafkatest

import (
	"context"
	"fmt"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// awaitNodes returns when all nodes are in the cluster, or when the first of them
// failed: without it the others may never get there.
func (c *Cluster) awaitNodes(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var first error
	var once sync.Once
	var wg sync.WaitGroup
	for _, n := range c.nodes {
		wg.Go(func() {
			if err := c.awaitNode(ctx, n); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	wg.Wait()
	return first
}

// awaitNode returns when n says that all running nodes are in the cluster.
func (c *Cluster) awaitNode(ctx context.Context, n *node) error {
	return c.awaitMetadata(ctx, n, nil, func(resp *kmsg.MetadataResponse) error {
		known := make(map[int]bool)
		for _, b := range resp.Brokers {
			known[int(b.NodeID)] = true
		}
		for _, other := range c.nodes {
			if other.running() && !known[other.id] {
				return fmt.Errorf("node %d is not in the cluster", other.id)
			}
		}
		return nil
	})
}

// AwaitTopic returns when all running nodes know the topic and a leader for each
// of its partitions. Who creates one gets the answer before that, and a client
// that asks the wrong node gives up on it soon.
func (c *Cluster) AwaitTopic(ctx context.Context, topic string) error {
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = new(topic)
	for _, n := range c.nodes {
		if !n.running() {
			continue
		}
		err := c.awaitMetadata(ctx, n, []kmsg.MetadataRequestTopic{asked}, func(resp *kmsg.MetadataResponse) error {
			return hasLeaders(topic, resp)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func hasLeaders(topic string, resp *kmsg.MetadataResponse) error {
	if len(resp.Topics) != 1 {
		return fmt.Errorf("topic %s: %d topics in the answer", topic, len(resp.Topics))
	}
	if err := kerr.ErrorForCode(resp.Topics[0].ErrorCode); err != nil {
		return fmt.Errorf("topic %s: %w", topic, err)
	}
	for _, p := range resp.Topics[0].Partitions {
		if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
			return fmt.Errorf("topic %s, partition %d: %w", topic, p.Partition, err)
		}
		if p.Leader < 0 {
			return fmt.Errorf("topic %s, partition %d: no leader", topic, p.Partition)
		}
	}
	return nil
}

// awaitMetadata asks n itself until the answer is as wanted.
func (c *Cluster) awaitMetadata(ctx context.Context, n *node, topics []kmsg.MetadataRequestTopic, wanted func(*kmsg.MetadataResponse) error) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr(n.ports.plain)))
	if err != nil {
		return fmt.Errorf("kafkatest: %w", err)
	}
	defer cl.Close()
	return c.poll(ctx, n, func(ctx context.Context) error {
		req := kmsg.NewPtrMetadataRequest()
		req.Topics = append([]kmsg.MetadataRequestTopic{}, topics...) // nil would be all
		resp, err := req.RequestWith(ctx, cl.SeedBrokers()[0])
		if err != nil {
			return err
		}
		return wanted(resp)
	})
}
