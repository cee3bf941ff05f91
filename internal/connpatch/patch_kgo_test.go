package connpatch

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/kcfg-go/kcfg"
)

// tally counts what arrives at a cluster.
type tally struct {
	mu sync.Mutex
	n  map[int32]int
}

func (c *tally) add(v int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = make(map[int32]int)
	}
	c.n[v]++
}

func (c *tally) of(v int32) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[v]
}

// countAcks counts Produce requests by their acks.
func countAcks(c *kfake.Cluster) *tally {
	t := new(tally)
	c.ControlKey(keyProduce, func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		t.add(int32(req.(*kmsg.ProduceRequest).Acks))
		return nil, nil, false
	})
	return t
}

// pause lets time pass.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// flood produces numbers until the flips are done, and returns how many.
func flood(ctx context.Context, t *testing.T, cl *kgo.Client, flip func(i int), flips int) int {
	t.Helper()
	var failed, promised atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range flips {
			flip(i)
			pause(ctx, time.Duration(rand.IntN(10))*time.Millisecond)
		}
	}()
	count := 0
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for range 20 {
			cl.Produce(ctx, &kgo.Record{Value: []byte(strconv.Itoa(count))}, func(_ *kgo.Record, err error) {
				promised.Add(1)
				if err != nil {
					failed.Add(1)
				}
			})
			count++
		}
		pause(ctx, time.Millisecond)
	}
	require.NoError(t, cl.Flush(ctx))
	assert.Zero(t, failed.Load())
	assert.EqualValues(t, count, promised.Load(), "promises")
	return count
}

func TestAcksFlipUnderLoad(t *testing.T) {
	serverTLS, clientTLS := certificate(t)
	for name, tc := range map[string]struct {
		broker []kfake.Opt
		client []kgo.Opt
		below  DialFunc
	}{
		"one in flight":  {client: acks(kgo.LeaderAck())},
		"five in flight": {client: append(acks(kgo.AllISRAcks()), kgo.MaxProduceRequestsInflightPerBroker(5))},
		"TLS": {
			broker: []kfake.Opt{kfake.TLS(serverTLS)},
			below:  (&tls.Dialer{Config: clientTLS}).DialContext,
			client: acks(kgo.AllISRAcks()),
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := timeLimit(t)
			if tc.below == nil {
				tc.below = plaintext()
			}
			c := startKfake(t, tc.broker...)
			arrived := countAcks(c)
			cl, w := startKgo(t, c, kcfg.DefaultProtocol(), tc.below, append(tc.client, kgo.ConsumeTopics(topic), kgo.ProducerLinger(0))...)
			values := []*int16{new(int16(0)), new(int16(1)), new(int16(-1)), nil}
			count := flood(ctx, t, cl, func(i int) {
				w.m.SetPatches(&Patches{Acks: values[(i+rand.IntN(3))%len(values)]})
			}, 50)
			consumeNumbers(ctx, t, cl, count)
			for _, a := range []int32{-1, 0, 1} {
				assert.Positive(t, arrived.of(a), "acks %d", a)
			}
			w.m.SetPatches(&Patches{Acks: new(int16(0))})
			produceNumbers(ctx, t, cl, 0, 10)
			assert.Equal(t, new(int16(0)), w.m.Observe().Acks)
			shut(t, cl, w)
		})
	}
}

// kgo authenticates again on the connection whose answers are given here, and
// needs those of the broker for it.
func TestAcksFlipWhileTheClientAuthenticatesAgain(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "user", "pass"),
		kfake.BrokerConfigs(map[string]string{"connections.max.reauth.ms": "1500"}))
	auth := kgo.SASL(scram.Auth{User: "user", Pass: "pass"}.AsSha256Mechanism())
	cl, w := startKgo(t, c, kcfg.DefaultProtocol(), plaintext(), append(acks(kgo.LeaderAck()), auth)...)
	reader, rw := startKgo(t, c, kcfg.DefaultProtocol(), plaintext(), auth, kgo.ConsumeTopics(topic))
	count := 0
	for i := int16(0); w.reauthentications() < 5; i++ {
		require.NoError(t, ctx.Err())
		w.m.SetPatches(&Patches{Acks: new(max(0, i%5-3))}) // mostly 0
		produceNumbers(ctx, t, cl, count, 20)
		count += 20
		pause(ctx, 20*time.Millisecond)
	}
	consumeNumbers(ctx, t, reader, count)
	shut(t, cl, w)
	shut(t, reader, rw)
}

func TestEveryProduceVersionTakesALocalAnswer(t *testing.T) {
	for name, v := range map[string]*kversion.Versions{
		"0.11": kversion.V0_11_0(), "1.0": kversion.V1_0_0(), "2.0": kversion.V2_0_0(), "2.1": kversion.V2_1_0(),
		"2.4": kversion.V2_4_0(), "2.8": kversion.V2_8_0(), "3.7": kversion.V3_7_0(), "newest": nil,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := timeLimit(t)
			c := startKfake(t)
			arrived := countAcks(c)
			opts := append(acks(kgo.LeaderAck()), kgo.ConsumeTopics(topic))
			if v != nil {
				opts = append(opts, kgo.MaxVersions(v))
			}
			cl, w := startKgo(t, c, kcfg.DefaultProtocol(), plaintext(), opts...)
			w.m.SetPatches(&Patches{Acks: new(int16(0)), ProduceTimeout: new(int32(1234))})
			r := cl.ProduceSync(ctx, &kgo.Record{Value: []byte("0")})
			require.NoError(t, r.FirstErr())
			assert.EqualValues(t, -1, r[0].Record.Offset, "nobody knows it")
			produceNumbers(ctx, t, cl, 1, 999)
			consumeNumbers(ctx, t, cl, 1000)
			assert.Zero(t, arrived.of(1))
			assert.Positive(t, arrived.of(0))
			assert.Equal(t, new(int32(1234)), w.m.Observe().ProduceTimeout)
			shut(t, cl, w)
		})
	}
}

func TestAcksThatMustNotBeChangedAreNot(t *testing.T) {
	for name, tc := range map[string]struct {
		opts []kgo.Opt
		acks int32
	}{
		"idempotent": {nil, -1},
		"acks 0":     {acks(kgo.NoAck()), 0},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := timeLimit(t)
			c := startKfake(t)
			arrived := countAcks(c)
			cl, w := startKgo(t, c, kcfg.DefaultProtocol(), plaintext(), append(tc.opts, kgo.ConsumeTopics(topic))...)
			for i, a := range []int16{0, 1, -1} {
				w.m.SetPatches(&Patches{Acks: new(a)})
				produceNumbers(ctx, t, cl, i*100, 100)
			}
			consumeNumbers(ctx, t, cl, 300)
			for _, a := range []int32{-1, 0, 1} {
				assert.Equal(t, a == tc.acks, arrived.of(a) > 0, "acks %d", a)
			}
			assert.Equal(t, new(int16(tc.acks)), w.m.Observe().Acks)
			shut(t, cl, w)
		})
	}
}

func TestFetchesCarryTheOverride(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t)
	waits, least := new(tally), new(tally)
	c.ControlKey(keyFetch, func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		r := req.(*kmsg.FetchRequest)
		waits.add(r.MaxWaitMillis)
		least.add(r.MinBytes)
		return nil, nil, false
	})
	cl, w := startKgo(t, c, kcfg.DefaultProtocol(), plaintext(), kgo.ConsumeTopics(topic), kgo.FetchMaxWait(100*time.Millisecond))
	w.m.SetPatches(&Patches{FetchMaxWait: new(int32(33)), FetchMinBytes: new(int32(5))})
	produceNumbers(ctx, t, cl, 0, 1000)
	consumeNumbers(ctx, t, cl, 1000)
	assert.Zero(t, waits.of(100))
	assert.Positive(t, waits.of(33))
	assert.Positive(t, least.of(5))
	o := w.m.Observe()
	assert.Equal(t, new(int32(33)), o.FetchMaxWait)
	assert.Equal(t, new(int32(5)), o.FetchMinBytes)
	shut(t, cl, w)
}

// When only local answers are read, nobody but the watcher sees that the broker
// closed the connection.
func TestAnIdleConnectionIsClosedWhenTheBrokerClosesIt(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.NumBrokers(1))
	cl, w := startKgo(t, c, kcfg.DefaultProtocol(), plaintext(), acks(kgo.LeaderAck())...)
	w.m.SetPatches(&Patches{Acks: new(int16(0))})
	produceNumbers(ctx, t, cl, 0, 10)
	produceConns := func() (n int) {
		w.m.mu.Lock()
		defer w.m.mu.Unlock()
		for conn := range w.m.conns {
			conn.mu.Lock()
			if conn.used&trafficProduce != 0 {
				n++
			}
			conn.mu.Unlock()
		}
		return n
	}
	require.Positive(t, produceConns())
	c.Close()
	waitFor(t, "the connection is still open", func() bool { return produceConns() == 0 })
}
