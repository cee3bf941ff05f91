package main

import (
	"bytes"
	"context"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

const (
	topic      = "bench"
	partitions = 6
	brokers    = 3

	overridden = "acks-" // and the override: the client id of those that have one
)

// cluster is the reference broker with a black hole for Produce: it answers
// without storing, so that what is measured is the client.
type cluster struct {
	*fakebroker.Cluster
	filled bool
}

func newCluster() (*cluster, error) {
	c, err := fakebroker.New(
		fakebroker.Brokers(brokers),
		fakebroker.Topics(partitions, topic),
		fakebroker.Policy(&fakebroker.RecordPolicy{}),
		fakebroker.DynamicConfigs(),
	)
	if err != nil {
		return nil, err
	}
	for _, acks := range []string{"0", "1"} {
		c.SetClientConfigs(kcfg.User("ANONYMOUS").Client(overridden+acks), kcfg.Set("acks", acks))
	}
	return &cluster{Cluster: c}, nil
}

// blackhole answers Produce until the returned function is called.
func (c *cluster) blackhole() (stop func()) {
	var off atomic.Bool
	c.Kfake().ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		if off.Load() {
			return nil, nil, false // and kfake forgets this function
		}
		c.Kfake().KeepControl()
		return swallow(req.(*kmsg.ProduceRequest)), nil, true
	})
	return func() { off.Store(true) }
}

// fill stores records for the jobs that consume, once.
func (c *cluster) fill(ctx context.Context, n int) error {
	if c.filled {
		return nil
	}
	cl, err := bare(kgo.SeedBrokers(c.Addrs()...), kgo.DefaultProduceTopic(topic))
	if err != nil {
		return err
	}
	defer cl.Close()
	c.filled = true
	return send(ctx, cl, n)
}

func swallow(req *kmsg.ProduceRequest) *kmsg.ProduceResponse {
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	for i := range req.Topics {
		t := kmsg.NewProduceResponseTopic()
		t.Topic, t.TopicID = req.Topics[i].Topic, req.Topics[i].TopicID
		for j := range req.Topics[i].Partitions {
			p := kmsg.NewProduceResponseTopicPartition()
			p.Partition = req.Topics[i].Partitions[j].Partition
			t.Partitions = append(t.Partitions, p)
		}
		resp.Topics = append(resp.Topics, t)
	}
	return resp
}

// Connections returns how many connections all brokers accepted so far.
func (c *cluster) Connections() int { return c.Cluster.Connections(fakebroker.AnyNode) }

// maker makes a client with kgo options.
type maker func(opts ...kgo.Opt) (*kgo.Client, error)

func bare(opts ...kgo.Opt) (*kgo.Client, error) { return kgo.NewClient(opts...) }

func ours(opts ...kgo.Opt) (*kgo.Client, error) {
	cl, err := client.New(opts)
	if err != nil {
		return nil, err
	}
	return cl.Client, nil
}

// weak makes a client without idempotence, whose acks can be overridden.
func weak(m maker) maker {
	return func(opts ...kgo.Opt) (*kgo.Client, error) {
		return m(append(opts, kgo.DisableIdempotentWrite())...)
	}
}

// under makes a client of ours with an override of acks.
func under(acks string) maker {
	return func(opts ...kgo.Opt) (*kgo.Client, error) {
		cl, err := client.New(append(opts, kgo.DisableIdempotentWrite(), kgo.ClientID(overridden+acks)))
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(cl.Context(), time.Minute)
		defer cancel()
		if err := cl.RefreshConfigs(ctx); err != nil {
			cl.Close()
			return nil, err
		}
		return cl.Client, nil
	}
}

var payload = bytes.Repeat([]byte("p"), 100)
