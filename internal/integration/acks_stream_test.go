package integration_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// delivery is a record of a stream: when it was given to the client, and what the
// client was told of it.
type delivery struct {
	given, told int64 // by the stream's clock
	failed      bool
	offset      int64
}

// stream is what a producer without idempotence sends to three partitions, as fast
// as it can. The value of a record is its place among those of its partition.
type stream struct {
	*client.Client
	topic string
	s     store

	sent     [3][]*delivery
	promised atomic.Int64
	clock    atomic.Int64 // counts promises and changes of acks
	ended    context.CancelFunc
	done     chan struct{}
}

func startStream(t *testing.T, c *kafkatest.Cluster, clientID string) *stream {
	t.Helper()
	st := &stream{topic: newTopic(t, c, 3, 3), s: setUp(t, c, kcfg.TopicSetup{}), done: make(chan struct{})}
	_, err := admin(t, c).AlterTopicConfigs(withTimeout(t), []kadm.AlterConfig{{Name: "min.insync.replicas", Value: new("2")}}, st.topic)
	require.NoError(t, err)
	st.Client = ours(t, []kgo.Opt{
		kgo.SeedBrokers(c.Addrs()...), kgo.ClientID(clientID), kgo.DisableIdempotentWrite(),
		kgo.MaxProduceRequestsInflightPerBroker(5), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(5 * time.Millisecond), kgo.MaxBufferedRecords(100),
	}, st.s.where()...)
	ctx, cancel := context.WithCancel(t.Context())
	st.ended = cancel
	go st.run(ctx)
	t.Cleanup(st.end)
	return st
}

func (st *stream) run(ctx context.Context) {
	defer close(st.done)
	for n := 0; ctx.Err() == nil; n++ {
		part, d := n%3, &delivery{given: st.clock.Load()}
		r := &kgo.Record{Topic: st.topic, Partition: int32(part), Value: strconv.AppendInt(nil, int64(len(st.sent[part])), 10)}
		st.sent[part] = append(st.sent[part], d)
		st.Produce(context.WithoutCancel(ctx), r, func(r *kgo.Record, err error) {
			d.failed, d.offset, d.told = err != nil, r.Offset, st.clock.Add(1)
			st.promised.Add(1)
		})
	}
}

// end ends the stream and waits for all promises.
func (st *stream) end() {
	st.ended()
	<-st.done
	_ = st.Flush(context.Background()) // the test's own context may have ended, and Close what is left
}

// await waits until n more records were promised.
func (st *stream) await(t *testing.T, n int64) {
	t.Helper()
	before := st.promised.Load()
	eventually(t, func() bool { return st.promised.Load() >= before+n }, "the stream goes on")
}

// flip sets acks, and waits until the client uses it and more was sent to every
// partition than was buffered before.
func (st *stream) flip(t *testing.T, acks string) {
	t.Helper()
	eventually(t, func() bool { // not at once while a leader of the topics is missing
		out, err := st.s.AlterClientConfigs(withTimeout(t), kcfg.Alter(anonymous(), kcfg.Set("acks", acks)))
		return err == nil && out[0].Err == nil
	}, "acks are set")
	eventually(t, func() bool { return st.RefreshConfigs(withTimeout(t)) == nil }, "the client knows")
	st.clock.Add(1)
	st.await(t, 250)
	require.NoError(t, st.WaitApplied(withTimeout(t), "acks"))
	require.Equal(t, acks, *state(t, st.Client, "acks").InForce)
}

// places reads the log up to its end, and returns by partition the places in it.
func (st *stream) places(t *testing.T, c *kafkatest.Cluster) (out [3][]int) {
	t.Helper()
	end, err := admin(t, c).ListEndOffsets(withTimeout(t), st.topic)
	require.NoError(t, err)
	cl := bare(t, c.Addrs(), kgo.ConsumeTopics(st.topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	left := int64(0)
	for part := range int32(3) {
		o, ok := end.Lookup(st.topic, part)
		require.True(t, ok)
		require.NoError(t, o.Err)
		left += o.Offset
	}
	for ctx := withTimeout(t); left > 0; {
		fs := cl.PollFetches(ctx)
		require.NoError(t, fs.Err())
		fs.EachRecord(func(r *kgo.Record) {
			place, err := strconv.Atoi(string(r.Value))
			require.NoError(t, err)
			require.Equal(t, r.Offset, int64(len(out[r.Partition])), "no transactions, no compaction: no gaps")
			out[r.Partition] = append(out[r.Partition], place)
			left--
		})
	}
	return out
}
