package client_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func producesIdempotent(t *testing.T, w *world) {
	t.Helper()
	produces(t, w, []string{"request.timeout.ms"})
}

func producesPlain(t *testing.T, w *world) {
	t.Helper()
	produces(t, w, []string{"acks", "request.timeout.ms"}, kgo.DisableIdempotentWrite())
}

// promised notes what became of a record.
func (a *actor) promised(r *kgo.Record, err error) {
	what := string(r.Value)
	if len(what) > 10 {
		what = fmt.Sprint(len(what), " bytes")
	}
	if err != nil {
		a.note("%s: %s", what, class(err))
		return
	}
	a.note("%s: %s/%d at %d", what, r.Topic, r.Partition, r.Offset)
}

// sync produces values to the first partition of a topic and notes the results.
func (a *actor) sync(ctx context.Context, topic string, values ...string) {
	rs := make([]*kgo.Record, 0, len(values))
	for _, v := range values {
		rs = append(rs, &kgo.Record{Topic: topic, Value: []byte(v)})
	}
	for _, res := range a.ProduceSync(ctx, rs...) {
		a.promised(res.Record, res.Err)
	}
}

func produces(t *testing.T, w *world, keys []string, opts ...kgo.Opt) {
	t.Helper()
	ctx := withTimeout(t)
	a := w.consumer(t, "a", append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.UnknownTopicRetries(1),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ProducerBatchMaxBytes(4000), kgo.RecordRetries(3),
		kgo.RetryBackoffFn(func(int) time.Duration { return time.Millisecond }))...)
	w.asks(t, a.Client)
	a.sync(ctx, "orders", "a0", "a1", "a2")
	a.inForce(t, keys...)

	a.sync(ctx, "nowhere", "x")
	a.sync(ctx, "orders", string(bytes.Repeat([]byte("x"), 5000)), "a3")
	require.NoError(t, w.c.Kfake().CreateTopic("small", 1, map[string]string{"max.message.bytes": "200"}))
	a.sync(ctx, "small", string(bytes.Repeat([]byte("x"), 1000)))
	a.sync(ctx, "small", "s0")

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	a.sync(canceled, "orders", "a4")
	refuse := func(err *kerr.Error) *kfake.FaultHandle {
		return w.c.Kfake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "orders", Err: err, Count: -1})
	}
	f := refuse(kerr.NotEnoughReplicas)
	a.sync(ctx, "orders", "a5", "a6")
	f.Remove()
	a.sync(ctx, "orders", "a7")
	f = refuse(kerr.TopicAuthorizationFailed)
	a.sync(ctx, "orders", "a8")
	f.Remove()
	// One goes through at the second try, once.
	w.c.Kfake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "orders", Err: kerr.NotLeaderForPartition})
	a.sync(ctx, "orders", "a9")

	read := w.consumer(t, "reader", kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"orders": {0: kgo.NewOffset().AtStart()}}))
	w.feed(t, "orders", 0, "the end")
	read.poll(t, 7)
	a.Close()
	a.sync(ctx, "orders", "after the end")
}

// abortsBuffered has records wait for a leader that does not come.
func abortsBuffered(t *testing.T, w *world) {
	t.Helper()
	ctx := withTimeout(t)
	a := w.consumer(t, "a", kgo.DisableIdempotentWrite(), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MaxBufferedRecords(3))
	w.asks(t, a.Client)
	var promises sync.WaitGroup
	give := func(ctx context.Context, values ...string) {
		for _, v := range values {
			promises.Add(1)
			a.TryProduce(ctx, &kgo.Record{Topic: "orders", Value: []byte(v)}, func(r *kgo.Record, err error) {
				a.promised(r, err)
				promises.Done()
			})
		}
	}
	// stuck gives records that the brokers refuse again and again, until free.
	stuck := func(ctx context.Context, values ...string) (free func()) {
		f := w.c.Kfake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "orders", Err: kerr.NotLeaderForPartition, Count: -1})
		give(ctx, values...)
		require.NoError(t, f.Wait(withTimeout(t), 1))
		return f.Remove
	}
	give(ctx, "a0", "a1")
	promises.Wait()
	a.inForce(t, "acks", "request.timeout.ms")

	free := stuck(ctx, "a2", "a3", "a4")
	a.note("buffered %d", a.BufferedProduceRecords())
	a.TryProduce(ctx, &kgo.Record{Topic: "orders", Value: []byte("a5")}, a.promised)
	eventually(t, func() bool { return w.saw("a", "a5: ") }, "one too many is refused")
	err := a.AbortBufferedRecords(ctx)
	promises.Wait()
	a.note("abort: %s, buffered %d", class(err), a.BufferedProduceRecords())
	free()
	give(ctx, "a6")
	a.note("flush: %s", class(a.Flush(ctx)))

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	recordCtx, cancel := context.WithCancel(ctx)
	free = stuck(recordCtx, "a7")
	a.note("flush that is canceled: %s", class(a.Flush(canceled)))
	cancel()
	promises.Wait()
	free()
	stuck(ctx, "a8")
	a.Close()
	promises.Wait()
	give(ctx, "a9")
	promises.Wait()
}
