package connpatch

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// swallow makes the cluster never answer requests with the key, nor anything
// behind them on their connections.
func swallow(c *kfake.Cluster, key int16) (arrived *atomic.Int64) {
	arrived = new(atomic.Int64)
	c.ControlKey(key, func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		arrived.Add(1)
		return nil, nil, true
	})
	return arrived
}

// hold makes the cluster answer the next request with the key only after
// release.
func hold(c *kfake.Cluster, key int16) (release func(), arrived *atomic.Int64) {
	arrived = new(atomic.Int64)
	until := make(chan struct{})
	c.ControlKey(key, func(kmsg.Request) (kmsg.Response, error, bool) {
		c.DropControl()
		arrived.Add(1)
		c.SleepControl(func() { <-until })
		return nil, nil, false
	})
	return func() { close(until) }, arrived
}

// ours sends the request that is ours to the broker and returns its outcome.
func ours(ctx context.Context, b *kgo.Broker) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := b.Request(ctx, kmsg.NewPtrDescribeClusterRequest())
		done <- err
	}()
	return done
}

// longGone is when kgo would have helped itself: its read timeout is 10 s. It
// is far above what giving way takes, which is a little more than giveWayAfter,
// because the tests may share few and slow processors.
const longGone = 5 * time.Second

func TestKgoGoesOnSilentlyWhereOursIsNeverAnswered(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t)
	arrived := swallow(c, 60)
	cl, w := startKgo(t, c, protocolOfKafka(), plaintext())
	require.NoError(t, cl.Ping(ctx))
	broker := cl.Broker(1)
	_, err := broker.Request(ctx, kmsg.NewPtrListGroupsRequest())
	require.NoError(t, err)
	pushed := ours(ctx, broker)
	waitFor(t, "ours did not arrive", func() bool { return arrived.Load() == 1 })

	// Request, unlike RetriableRequest, does not retry: kgo takes the error
	// for one of the connection.
	start := time.Now()
	_, err = broker.Request(ctx, kmsg.NewPtrListGroupsRequest())
	took := time.Since(start)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, took, giveWayAfter)
	assert.Less(t, took, longGone)
	t.Logf("the application's request took %v", took)
	require.Error(t, <-pushed)
	assert.EqualValues(t, 1, w.m.Counts().GaveWay)
	assert.Zero(t, w.m.Counts().Unmatched)

	// Many requests at a time, all behind another one of ours.
	pushed = ours(ctx, broker)
	waitFor(t, "ours did not arrive", func() bool { return arrived.Load() == 2 })
	done := make(chan error, 20)
	for range cap(done) {
		go func() {
			_, err := broker.Request(ctx, kmsg.NewPtrListGroupsRequest())
			done <- err
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
	require.Error(t, <-pushed)
	assert.EqualValues(t, 2, w.m.Counts().GaveWay)
	assert.Zero(t, w.foreign.Load())
	cl.Close()
	waitFor(t, "connections are left open", func() bool { return w.m.Counts().Open == 0 })
}

func TestKgoWaitsForOursThatIsAnsweredAtOnce(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t)
	cl, w := startKgo(t, c, protocolOfKafka(), plaintext())
	require.NoError(t, cl.Ping(ctx))
	broker := cl.Broker(1)
	for range 200 {
		pushed := ours(ctx, broker)
		_, err := broker.Request(ctx, kmsg.NewPtrListGroupsRequest())
		require.NoError(t, err)
		require.NoError(t, <-pushed)
	}
	got := w.m.Counts()
	assert.EqualValues(t, 200, got.Ours)
	assert.Zero(t, got.GaveWay)
	assert.Zero(t, got.Unmatched)
}

// A request of the application that the broker is slow to answer must not fail
// because one of ours came behind it, and then another one of the application.
func TestKgoKeepsARequestThatIsInFlightBeforeOurs(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t)
	release, arrived := hold(c, 16)
	cl, w := startKgo(t, c, protocolOfKafka(), plaintext())
	require.NoError(t, cl.Ping(ctx))
	broker := cl.Broker(1)
	_, err := broker.Request(ctx, kmsg.NewPtrMetadataRequest())
	require.NoError(t, err)

	slow := make(chan error, 1)
	go func() {
		_, err := broker.Request(ctx, kmsg.NewPtrListGroupsRequest())
		slow <- err
	}()
	waitFor(t, "the slow request did not arrive", func() bool { return arrived.Load() == 1 })
	pushed := ours(ctx, broker)
	waitFor(t, "ours was not written", func() bool { return w.m.Counts().Ours == 1 })
	before := w.m.Counts().Requests
	next := make(chan error, 1)
	go func() {
		_, err := broker.Request(ctx, kmsg.NewPtrMetadataRequest())
		next <- err
	}()
	waitFor(t, "the next request was not written", func() bool { return w.m.Counts().Requests > before })
	release()
	require.NoError(t, <-slow)
	require.NoError(t, <-pushed)
	require.NoError(t, <-next)
	assert.Zero(t, w.m.Counts().GaveWay)
	shutAfterOurs(t, cl, w)
}

// shutAfterOurs is shut where requests of ours were written.
func shutAfterOurs(t *testing.T, cl *kgo.Client, w *watch) {
	t.Helper()
	cl.Close()
	waitFor(t, "connections are left open", func() bool { return w.m.Counts().Open == 0 })
	got := w.m.Counts()
	assert.Zero(t, got.Unmatched)
	assert.Zero(t, got.Opaque)
	assert.Zero(t, got.Strange)
}

func TestKgoKeepsItsGroupWhereOursIsNeverAnswered(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.NumBrokers(1))
	arrived := swallow(c, 60)
	var lost atomic.Int64
	cl, w := startKgo(t, c, protocolOfKafka(), plaintext(),
		kgo.ConsumerGroup("group"), kgo.ConsumeTopics(topic),
		kgo.HeartbeatInterval(50*time.Millisecond),
		kgo.OnPartitionsLost(func(context.Context, *kgo.Client, map[string][]int32) { lost.Add(1) }),
	)
	produceNumbers(ctx, t, cl, 0, 1000)
	consumeNumbers(ctx, t, cl, 1000)
	_, generation := cl.GroupMetadata()
	broker := cl.Broker(0)
	for i := range int64(3) { // no heartbeat is ever answered behind ours
		pushed := ours(ctx, broker)
		waitFor(t, "ours did not arrive", func() bool { return arrived.Load() == i+1 })
		require.Error(t, <-pushed)
		require.NoError(t, cl.CommitUncommittedOffsets(ctx))
	}
	assert.EqualValues(t, 3, w.m.Counts().GaveWay)
	_, now := cl.GroupMetadata()
	assert.Equal(t, generation, now)
	assert.Zero(t, lost.Load())
	shutAfterOurs(t, cl, w)
}

func TestKgoIsToldThatTheBrokerDidNotProveIt(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t)
	p := protocolOfKafka()
	p.Feature = "kcfg.protocol" // which kfake does not have
	cl, w := startKgo(t, c, p, plaintext())
	require.NoError(t, cl.Ping(ctx))
	var arrived atomic.Int64
	c.ControlKey(60, func(kmsg.Request) (kmsg.Response, error, bool) {
		arrived.Add(1)
		return nil, nil, false
	})
	require.ErrorIs(t, <-ours(ctx, cl.Broker(1)), ErrNotProved)
	assert.Zero(t, arrived.Load())
	assert.Positive(t, w.m.Counts().Refused)
	_, err := cl.Broker(1).Request(ctx, kmsg.NewPtrListGroupsRequest())
	require.NoError(t, err)
	shutAfterOurs(t, cl, w)
}

func TestKgoMayHaveADialerAroundOurs(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t)
	w := new(watch)
	w.m = NewManager(protocolOfKafka(), plaintext(), nil)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.WithHooks(w),
		kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn, error) {
			conn, err := w.m.Dial(ctx, network, host)
			if err != nil {
				return nil, err
			}
			return wrapped{conn}, nil
		}))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.Ping(ctx))
	assert.True(t, w.m.Supported(60))
	_, ok := w.m.Target(60)
	assert.True(t, ok)
	shutAfterOurs(t, cl, w)
	assert.Zero(t, w.foreign.Load())
}
