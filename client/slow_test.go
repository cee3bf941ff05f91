package client_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// slowest is a bound far above what anything takes on a slow machine and below
// the four seconds, or the forever, that the broker takes for ours.
const slowest = 3 * time.Second

// watch is a kgo hook that notes how long each of the application's requests
// took, from the wish to write it to the end of its answer.
type watch struct {
	mu      sync.Mutex
	longest map[int16]time.Duration
	counts  map[int16]int
}

func newWatch() *watch {
	return &watch{longest: make(map[int16]time.Duration), counts: make(map[int16]int)}
}

func (w *watch) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[key]++
	w.longest[key] = max(w.longest[key], e2e.WriteWait+e2e.TimeToWrite+e2e.ReadWait+e2e.TimeToRead)
}

func (w *watch) check(t *testing.T, keys ...int16) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range keys {
		assert.Positive(t, w.counts[k], "requests with key %d", k)
	}
	for k, d := range w.longest {
		if k != pushKey {
			assert.Less(t, d, slowest, "key %d", k)
		}
	}
}

// A broker that answers ours late, or never, must not be felt by the
// application: every request of it is timed, on three brokers and on one.
func TestAnUnansweredPushDelaysNothing(t *testing.T) {
	faults := map[string]fakebroker.Fault{
		"after 4 s": {Delay: 4 * time.Second, Count: -1},
		"never":     {Never: true, Count: -1},
	}
	for name, fault := range faults {
		for _, brokers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, %d brokers", name, brokers), func(t *testing.T) {
				c := cluster(t, fakebroker.Brokers(brokers))
				c.Script(fault)
				w := newWatch()
				producer, err := client.NewProducer(seeds(c, kgo.WithHooks(w)))
				require.NoError(t, err)
				defer producer.Close()
				consumer, err := client.NewConsumer(seeds(c, kgo.WithHooks(w), kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"),
					kgo.HeartbeatInterval(50*time.Millisecond), kgo.AutoCommitInterval(100*time.Millisecond)))
				require.NoError(t, err)
				defer consumer.Close()

				start := time.Now()
				produce(t, producer.Client, 100)
				consume(t, consumer.Client, 100)
				first := time.Since(start)
				assert.Less(t, first, slowest, "the first records")
				require.NoError(t, c.WaitRequests(withTimeout(t), 2), "the path ran: both pushed")

				for time.Since(start) < first+time.Second {
					produce(t, producer.Client, 1)
					_ = consumer.PollFetches(withTimeout(t))
					require.NoError(t, consumer.CommitUncommittedOffsets(withTimeout(t)))
				}
				require.NoError(t, c.Wait(withTimeout(t), func() bool { return c.Count(fakebroker.AnyNode, 12) > 3 }), "heartbeats")
				w.check(t, 0, 1, 8, 12)
				assert.NotEqual(t, kcfg.PushPushed, consumer.Status().Push.State, "still unanswered")
			})
		}
	}
}

// On one broker, the request that finds a producer id may go to the connection
// on which ours is unanswered. That connection must give way.
func TestTheApplicationsRequestsPassAnUnansweredPush(t *testing.T) {
	c := cluster(t)
	c.Script(fakebroker.Fault{Never: true, Count: -1})
	cl := newClient(t, seeds(c))
	require.NoError(t, cl.Ping(withTimeout(t)))
	require.NoError(t, c.WaitRequests(withTimeout(t), 1))
	// kgo asks discovered brokers and seeds by turns, so some of these meet it.
	for range 8 {
		ctx, cancel := context.WithTimeout(t.Context(), slowest)
		_, err := cl.SeedBrokers()[0].Request(ctx, metadataRequest())
		cancel()
		require.NoError(t, err)
	}
	assert.Positive(t, cl.Status().Connections.GaveWay, "the path ran")
}

func TestAThrottledPushDelaysOnlyOurNextRequest(t *testing.T) {
	c := cluster(t)
	c.Script(fakebroker.Fault{ThrottleMillis: 60_000})
	w := newWatch()
	cl := newClient(t, seeds(c, kgo.WithHooks(w), kgo.ConsumeTopics("orders")))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	produce(t, cl.Client, 100)
	consume(t, cl.Client, 100)
	w.check(t, 0, 1)

	// What produced became a producer too, whose push must wait.
	assert.Equal(t, kcfg.KindProducer|kcfg.KindConsumer, cl.Status().Kinds)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, cl.PushConfig(ctx), context.DeadlineExceeded)
	assert.Len(t, c.Requests(), 1)
}

func TestPushUsesNoConnectionOfItsOwn(t *testing.T) {
	for _, brokers := range []int{2, 3} {
		c := cluster(t, fakebroker.Brokers(brokers))
		bare := func() int {
			before := c.Connections(fakebroker.AnyNode)
			cl, err := kgo.NewClient(seeds(c)...)
			require.NoError(t, err)
			defer cl.Close()
			require.NoError(t, cl.Ping(withTimeout(t)))
			return c.Connections(fakebroker.AnyNode) - before
		}
		ours := func() int {
			before, pushes := c.Connections(fakebroker.AnyNode), len(c.Pushes())
			cl := newClient(t, seeds(c))
			defer cl.Close()
			require.NoError(t, cl.Ping(withTimeout(t)))
			require.NoError(t, c.WaitPushes(withTimeout(t), pushes+1))
			return c.Connections(fakebroker.AnyNode) - before
		}
		want := bare()
		for range 5 {
			assert.Equal(t, want, ours(), "%d brokers", brokers)
		}
	}
}
