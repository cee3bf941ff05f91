package client_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// produced counts the records that came to the brokers, by acks.
type produced struct {
	mu      sync.Mutex
	records map[int16]int
	ids     int // with a producer id
}

func watchProduce(c *fakebroker.Cluster) *produced {
	w := &produced{records: make(map[int16]int)}
	c.Kfake().ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		r := req.(*kmsg.ProduceRequest)
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, topic := range r.Topics {
			for _, p := range topic.Partitions {
				var b kmsg.RecordBatch
				if b.ReadFrom(p.Records) != nil {
					continue
				}
				w.records[r.Acks] += int(b.NumRecords)
				if b.ProducerID >= 0 {
					w.ids += int(b.NumRecords)
				}
			}
		}
		return nil, nil, false
	})
	return w
}

func (w *produced) of(acks int16) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.records[acks]
}

// rare are the values of acks that came with less than a fourth of the records.
func (w *produced) rare() (out []int16) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, acks := range []int16{-1, 0, 1} {
		if w.records[acks] < (w.records[-1]+w.records[0]+w.records[1])/4 {
			out = append(out, acks)
		}
	}
	return out
}

func (w *produced) withProducerID() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ids
}

// balance counts the records of kgo's hooks.
type balance struct{ buffered, unbuffered atomic.Int64 }

func (b *balance) OnProduceRecordBuffered(*kgo.Record)          { b.buffered.Add(1) }
func (b *balance) OnProduceRecordUnbuffered(*kgo.Record, error) { b.unbuffered.Add(1) }

// load is what a producer sent to three partitions. The value of a record is its
// place among those of its partition.
type load struct {
	sent     [3][]*promise
	promised atomic.Int64
}

// promise is what a producer was told of a record.
type promise struct {
	times  atomic.Int32
	failed atomic.Bool
	offset atomic.Int64
}

// run produces until ctx ends, and waits for the promises.
func (l *load) run(ctx context.Context, t *testing.T, cl *kgo.Client) {
	t.Helper()
	for n := 0; ctx.Err() == nil; n++ {
		part, pr := n%3, &promise{}
		r := &kgo.Record{Topic: "orders", Partition: int32(part), Value: binary.BigEndian.AppendUint64(nil, uint64(len(l.sent[part])))}
		l.sent[part] = append(l.sent[part], pr)
		cl.Produce(context.WithoutCancel(ctx), r, func(r *kgo.Record, err error) {
			pr.times.Add(1)
			pr.failed.Store(err != nil)
			pr.offset.Store(r.Offset)
			l.promised.Add(1)
		})
	}
	assert.NoError(t, cl.Flush(withTimeout(t)))
}

// await waits until n more records were promised.
func (l *load) await(t *testing.T, n int64) {
	t.Helper()
	before := l.promised.Load()
	eventually(t, func() bool { return l.promised.Load() >= before+n }, "the load goes on")
}

// loaded makes a producer without idempotence that waits for nothing, and runs
// the load while f does.
func loaded(t *testing.T, c *fakebroker.Cluster, inFlight int, f func(*client.Client, *load), opts ...client.Option) (*load, *balance) {
	t.Helper()
	b, l := &balance{}, &load{}
	cl, err := client.NewProducer(seeds(c, kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(inFlight),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0), kgo.MaxBufferedRecords(100),
		kgo.MetadataMinAge(10*time.Millisecond),
		kgo.RetryBackoffFn(func(int) time.Duration { return time.Millisecond }), kgo.WithHooks(b)), append(opts, quick())...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx, t, cl.Client)
	}()
	defer func() { stop(); <-done }()
	f(cl, l)
	return l, b
}

// promisedOnce requires a promise for each record, and the hooks' agreement.
func promisedOnce(t *testing.T, l *load, b *balance) {
	t.Helper()
	total := 0
	for _, sent := range l.sent {
		for place, pr := range sent {
			require.Equal(t, int32(1), pr.times.Load(), "promise of %d", place)
			total++
		}
	}
	assert.EqualValues(t, total, b.buffered.Load())
	assert.EqualValues(t, total, b.unbuffered.Load())
}

// places reads the log from its start to its end, and returns the places that
// are in it, by partition and in order.
func places(t *testing.T, c *fakebroker.Cluster) (out [3][]int) {
	t.Helper()
	const last = 1 << 62
	end, err := kgo.NewClient(seeds(c, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	require.NoError(t, err)
	defer end.Close()
	for part := range int32(3) {
		r := &kgo.Record{Topic: "orders", Partition: part, Value: binary.BigEndian.AppendUint64(nil, last)}
		require.NoError(t, end.ProduceSync(withTimeout(t), r).FirstErr())
	}
	cl, err := kgo.NewClient(seeds(c, kgo.ConsumeTopics("orders"))...)
	require.NoError(t, err)
	defer cl.Close()
	ctx := withTimeout(t)
	for ended := 0; ended < 3; {
		fs := cl.PollFetches(ctx)
		require.NoError(t, fs.Err())
		fs.EachRecord(func(r *kgo.Record) {
			place := binary.BigEndian.Uint64(r.Value)
			if place == last {
				ended++
				return
			}
			out[r.Partition] = append(out[r.Partition], int(place))
		})
	}
	return out
}

// flip sets a random value of acks, of those given, and waits until the client
// uses it.
func flip(t *testing.T, c *fakebroker.Cluster, cl *client.Client, values ...int16) {
	t.Helper()
	names := map[int16]string{-1: "all", 0: "0", 1: "1"}
	set(t, c, kcfg.Set("acks", names[values[rand.IntN(len(values))]]))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
}

func flipAcks(t *testing.T, flips, inFlight int) {
	t.Helper()
	c := overriding(t, fakebroker.Brokers(3))
	w := watchProduce(c)
	l, b := loaded(t, c, inFlight, func(cl *client.Client, l *load) {
		for range flips {
			flip(t, c, cl, -1, 0, 1)
			l.await(t, 100)
		}
		// Chance and speed may have favored a value: the rest is for the others.
		for rare := w.rare(); len(rare) > 0; rare = w.rare() {
			flip(t, c, cl, rare...)
			l.await(t, 100)
		}
	})
	promisedOnce(t, l, b)
	total := 0
	got := places(t, c)
	for part, sent := range l.sent {
		total += len(sent)
		for place, pr := range sent {
			require.False(t, pr.failed.Load(), "record %d of partition %d", place, part)
		}
		require.Len(t, got[part], len(sent), "partition %d: none lost and none twice", part)
		for i, place := range got[part] {
			require.Equal(t, i, place, "partition %d is in order", part)
		}
	}
	t.Logf("%d flips, %d in flight: %d records: %d with acks 0, %d with 1, %d with all", flips, inFlight, total, w.of(0), w.of(1), w.of(-1))
	for _, acks := range []int16{0, 1, -1} {
		assert.GreaterOrEqual(t, w.of(acks), total/5, "acks %d", acks)
	}
}

func TestRandomFlipsOfAcksUnderLoadLoseRepeatAndReorderNothing(t *testing.T) {
	for name, inFlight := range map[string]int{"1 in flight": 1, "5 in flight": 5} {
		t.Run(name, func(t *testing.T) { flipAcks(t, 200, inFlight) })
	}
}
