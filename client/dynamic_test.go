package client_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// everyone is whom overrides are set for in these tests: without SASL, the
// principal of every client is ANONYMOUS.
func everyone() kcfg.Entity { return kcfg.User("ANONYMOUS") }

func overriding(t *testing.T, opts ...fakebroker.Option) *fakebroker.Cluster {
	t.Helper()
	return cluster(t, append([]fakebroker.Option{fakebroker.DynamicConfigs()}, opts...)...)
}

func set(t *testing.T, c *fakebroker.Cluster, ops ...kcfg.Op) {
	t.Helper()
	c.SetClientConfigs(everyone(), ops...)
}

// state returns what Status says of a key.
func state(t *testing.T, s kcfg.Status, key string) kcfg.KeyState {
	t.Helper()
	for _, k := range s.Dynamic.Keys {
		if k.Key == key {
			return k
		}
	}
	require.Fail(t, "no such key", "%s in %+v", key, s.Dynamic)
	return kcfg.KeyState{}
}

// joins watches the session timeouts of JoinGroup requests.
type joins struct {
	mu       sync.Mutex
	sessions []int32
}

func watchGroup(c *fakebroker.Cluster) *joins {
	j := &joins{}
	c.Kfake().ControlKey(int16(kmsg.JoinGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		j.mu.Lock()
		j.sessions = append(j.sessions, req.(*kmsg.JoinGroupRequest).SessionTimeoutMillis)
		j.mu.Unlock()
		return nil, nil, false
	})
	return j
}

func (j *joins) last() (session int32, joins int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.sessions) == 0 {
		return 0, 0
	}
	return j.sessions[len(j.sessions)-1], len(j.sessions)
}

func acksProducer(t *testing.T, c *fakebroker.Cluster, opts ...client.Option) *client.Client {
	t.Helper()
	cl, err := client.NewProducer(seeds(c, kgo.DisableIdempotentWrite()), opts...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

func TestAnOverrideOfAcksIsInForceWithTheNextProduceAndItsRemovalToo(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		c := over.cluster(t)
		cl := acksProducer(t, c, over.opts()...)
		produce(t, cl.Client, 10)
		for _, acks := range []string{"1", "0", "all", "0", "1"} {
			over.set(t, c, kcfg.Set("acks", acks))
			require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
			before := c.Acks(fakebroker.AnyNode)
			produce(t, cl.Client, 10)
			require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
			k := state(t, cl.Status(), "acks")
			assert.Equal(t, acks, *k.InForce)
			want := map[string]int16{"all": -1, "1": 1, "0": 0}[acks]
			require.NoError(t, c.Wait(withTimeout(t), func() bool { return c.Acks(fakebroker.AnyNode)[want] > before[want] }))
			for other, n := range c.Acks(fakebroker.AnyNode) {
				if other != want {
					assert.Equal(t, before[other], n, "acks=%s, and %d was sent", acks, other)
				}
			}
		}
		over.set(t, c, kcfg.Remove("acks"))
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		before := c.Acks(fakebroker.AnyNode)[-1]
		produce(t, cl.Client, 10)
		assert.Greater(t, c.Acks(fakebroker.AnyNode)[-1], before, "the client's own again")
		eventually(t, func() bool { return state(t, cl.Status(), "acks").State == kcfg.OverrideStatic }, "and the status says so")
	})
}

func TestFlippingAcksUnderLoadLosesRepeatsAndReordersNothing(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		c := over.cluster(t, fakebroker.Brokers(3))
		cl := acksProducer(t, c, over.opts()...)
		consumer := newClient(t, seeds(c, kgo.ConsumeTopics("orders")), client.DisableDynamicConfigs())
		ctx, stop := context.WithCancel(withTimeout(t))
		produced := make(chan int)
		go func() {
			n := 0
			for ; ctx.Err() == nil; n++ {
				cl.Produce(t.Context(), &kgo.Record{Topic: "orders", Key: []byte("k"), Value: []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}}, func(_ *kgo.Record, err error) { assert.NoError(t, err) })
				if n%200 == 199 {
					assert.NoError(t, cl.Flush(t.Context()))
				}
			}
			produced <- n
		}()
		for _, acks := range []string{"0", "1", "all", "0", "all", "1", "0", "1"} {
			over.set(t, c, kcfg.Set("acks", acks))
			require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
			require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
		}
		stop()
		total := <-produced
		require.NoError(t, cl.Flush(withTimeout(t)))
		next := 0
		for next < total {
			fs := consumer.PollFetches(withTimeout(t))
			require.NoError(t, fs.Err())
			fs.EachRecord(func(r *kgo.Record) {
				v := r.Value
				require.Equal(t, next, int(v[0])<<24|int(v[1])<<16|int(v[2])<<8|int(v[3]))
				next++
			})
		}
		assert.Len(t, c.Acks(fakebroker.AnyNode), 3, "every value was in force")
	})
}

func TestAcksOfAnIdempotentProducerAreLeftAloneAndStatusSaysWhy(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		c := over.cluster(t)
		over.set(t, c, kcfg.Set("acks", "1"))
		cl, err := client.NewProducer(seeds(c), over.opts()...)
		require.NoError(t, err)
		defer cl.Close()
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		produce(t, cl.Client, 10)
		k := state(t, cl.Status(), "acks")
		assert.Equal(t, kcfg.OverrideNotApplicable, k.State)
		assert.Contains(t, k.Reason, "kgo.DisableIdempotentWrite")
		assert.Zero(t, c.Acks(fakebroker.AnyNode)[1])
		_, ok := cl.WaitApplied(withTimeout(t), "acks").(*dynconfig.NotAppliedError) //nolint:errorlint // as it is returned
		assert.True(t, ok)
	})
}

func TestAuditOnlyDisabledAndSuspendedOverridesChangeNoRequest(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		for name, opt := range map[string]client.Option{"audit": client.AuditOnly(), "disabled": client.DisableDynamicConfigs(), "none accepted": client.AcceptOverrides(), "minimum": client.MinAcks(dynconfig.AllAcks)} {
			t.Run(name, func(t *testing.T) {
				c := over.cluster(t)
				over.set(t, c, kcfg.Set("acks", "1"))
				cl := acksProducer(t, c, over.opts(opt)...)
				err := cl.RefreshConfigs(withTimeout(t))
				if name == "disabled" {
					require.ErrorIs(t, err, cfgerrors.ErrUnsupported)
					assert.Equal(t, kcfg.DynamicDisabled, cl.Status().Dynamic.State)
				} else {
					require.NoError(t, err)
				}
				produce(t, cl.Client, 10)
				assert.Zero(t, c.Acks(fakebroker.AnyNode)[1])
				assert.Positive(t, c.Acks(fakebroker.AnyNode)[-1])
			})
		}
		c := over.cluster(t)
		over.set(t, c, kcfg.Set("acks", "1"))
		cl := acksProducer(t, c, over.opts()...)
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		produce(t, cl.Client, 10)
		require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"), "the path ran")
		cl.SuspendOverrides()
		eventually(t, func() bool {
			before := c.Acks(fakebroker.AnyNode)[-1]
			produce(t, cl.Client, 1)
			return c.Acks(fakebroker.AnyNode)[-1] > before
		}, "suspended")
		assert.NotEmpty(t, cl.Status().Dynamic.Suspended)
		cl.ResumeOverrides()
		eventually(t, func() bool {
			before := c.Acks(fakebroker.AnyNode)[1]
			produce(t, cl.Client, 1)
			return c.Acks(fakebroker.AnyNode)[1] > before
		}, "resumed")
	})
}

func TestTheFirstJoinCarriesTheSessionTimeoutOfTheCluster(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		c := over.cluster(t)
		over.set(t, c, kcfg.Set("session.timeout.ms", "12000"), kcfg.Set("heartbeat.interval.ms", "4000"))
		j := watchGroup(c)
		cl, err := client.NewConsumer(seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders")), over.opts()...)
		require.NoError(t, err)
		defer cl.Close()
		require.NoError(t, c.Wait(withTimeout(t), func() bool { _, n := j.last(); return n > 0 }))
		require.NoError(t, cl.WaitApplied(withTimeout(t), "session.timeout.ms"))
		session, _ := j.last()
		assert.Equal(t, int32(12000), session)
		assert.Equal(t, "12000", *state(t, cl.Status(), "session.timeout.ms").InForce)
	})
}

func TestTheFirstJoinWaitsNoLongerThanTheBoundAndNotAtAllWithoutSupport(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts []fakebroker.Option
		held bool
	}{
		{"never answered", []fakebroker.Option{fakebroker.DynamicConfigs()}, true},
		{"no support", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := cluster(t, tt.opts...)
			c.Script(fakebroker.Fault{Keys: []int16{900}, Never: true, Count: -1})
			j := watchGroup(c)
			cl, err := client.NewConsumer(seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders")), client.InitialFetchTimeout(400*time.Millisecond))
			require.NoError(t, err)
			defer cl.Close()
			start := time.Now()
			require.NoError(t, c.Wait(withTimeout(t), func() bool { _, n := j.last(); return n > 0 }))
			if tt.held {
				assert.Greater(t, time.Since(start), 300*time.Millisecond)
			}
			produce(t, cl.Client, 10)
			consume(t, cl.Client, 10)
			session, _ := j.last()
			assert.Equal(t, int32(45000), session, "kgo's own")
		})
	}
}

func TestCloseReleasesAHeldJoinAtOnce(t *testing.T) {
	c := overriding(t)
	c.Script(fakebroker.Fault{Keys: []int16{900}, Never: true, Count: -1})
	cl, err := client.NewConsumer(seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders")), client.InitialFetchTimeout(time.Hour))
	require.NoError(t, err)
	require.NoError(t, c.Wait(withTimeout(t), func() bool { return c.Count(fakebroker.AnyNode, 10) > 0 }), "the coordinator was looked for")
	start := time.Now()
	cl.Close()
	assert.Less(t, time.Since(start), 5*time.Second)
}

func TestAChangedSessionTimeoutTakesOneRejoinAndAHeartbeatNone(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		c := over.cluster(t)
		j := watchGroup(c)
		h := &dynHooks{}
		cl, err := client.NewConsumer(seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"), kgo.HeartbeatInterval(100*time.Millisecond)),
			over.opts(client.RejoinDelay(0), client.WithHooks(h))...)
		require.NoError(t, err)
		defer cl.Close()
		produce(t, cl.Client, 10)
		consume(t, cl.Client, 10)
		member, generation := cl.GroupMetadata()
		_, before := j.last()

		over.set(t, c, kcfg.Set("session.timeout.ms", "20000"))
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		require.NoError(t, cl.WaitApplied(withTimeout(t), "session.timeout.ms"))
		session, n := j.last()
		assert.Equal(t, int32(20000), session)
		assert.Equal(t, before+1, n)
		eventually(t, func() bool { _, g := cl.GroupMetadata(); return g == generation+1 }, "one new generation")
		again, _ := cl.GroupMetadata()
		assert.Equal(t, member, again)

		over.set(t, c, kcfg.Set("heartbeat.interval.ms", "1000"))
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		require.NoError(t, cl.WaitApplied(withTimeout(t), "heartbeat.interval.ms"))
		_, n = j.last()
		assert.Equal(t, before+1, n)

		over.set(t, c, kcfg.Set("session.timeout.ms", "1"))
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		assert.Equal(t, kcfg.OverrideRejected, state(t, cl.Status(), "session.timeout.ms").State)
		assert.Equal(t, "20000", *state(t, cl.Status(), "session.timeout.ms").InForce, "after a valid one, an invalid one changes nothing")
		eventually(t, func() bool { a, r := h.counts(); return a >= 2 && r >= 1 }, "hooks ran")
	})
}

func TestWhatIsInForceIsPushed(t *testing.T) {
	c := overriding(t)
	cl := acksProducer(t, c)
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	assert.Equal(t, "all", got(c.Pushes()[0])["acks"].Value)
	set(t, c, kcfg.Set("acks", "1"))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, 1)
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
	require.NoError(t, c.WaitPushes(withTimeout(t), 2))
	e := got(c.Pushes()[1])["acks"]
	assert.Equal(t, "1", e.Value)
	assert.False(t, e.IsDefault)
}

func TestAnErrorAnswerChangesNothing(t *testing.T) {
	c := overriding(t)
	set(t, c, kcfg.Set("acks", "1"))
	cl := acksProducer(t, c, quick())
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, 1)
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
	for _, f := range []fakebroker.Fault{
		{Keys: []int16{900}, Code: 42, Message: "no", Count: 1},
		{Keys: []int16{900}, Garbage: []byte{1, 2, 3}, Count: 1},
	} {
		c.Script(f)
		require.Error(t, cl.RefreshConfigs(withTimeout(t)))
		before := c.Acks(fakebroker.AnyNode)[1]
		produce(t, cl.Client, 1)
		assert.Greater(t, c.Acks(fakebroker.AnyNode)[1], before)
	}
}

func TestTheClientTellsWhatItSupports(t *testing.T) {
	c := overriding(t)
	cl, err := client.NewConsumer(seeds(c, kgo.ConsumeTopics("orders"), kgo.ClientID("orders-api")), client.AcceptOverrides("heartbeat.interval.ms", "session.timeout.ms", "acks"))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	supported := c.ClientConfigs()[everyone().Client("orders-api")][kcfg.SupportedConfigs]
	assert.Contains(t, supported, `["heartbeat.interval.ms","session.timeout.ms"]`)
	assert.NotContains(t, supported, "acks", "a consumer has none")
}

func TestTwoClientsOnOnePluginHaveNoOverrides(t *testing.T) {
	c := overriding(t)
	set(t, c, kcfg.Set("acks", "1"))
	p := client.NewPlugin()
	for range 2 {
		cl, err := kgo.NewClient(append(p.Opts(), seeds(c, kgo.DisableIdempotentWrite())...)...)
		require.NoError(t, err)
		defer cl.Close()
		defer produce(t, cl, 5)
	}
	require.NoError(t, p.RefreshConfigs(withTimeout(t)))
	assert.NotEmpty(t, p.Status().Dynamic.Suspended)
	assert.Zero(t, c.Acks(fakebroker.AnyNode)[1])
}

func TestBadDynamicOptionsAreRefused(t *testing.T) {
	for want, opt := range map[string]client.Option{
		"PollInterval":         client.PollInterval(0),
		"InitialFetchTimeout":  client.InitialFetchTimeout(-1),
		"RejoinDelay":          client.RejoinDelay(-2),
		"SessionTimeoutBounds": client.SessionTimeoutBounds(0, time.Second),
		"MinAcks":              client.MinAcks(7),
		"AcceptOverrides":      client.AcceptOverrides("linger.ms"),
	} {
		_, err := client.New(nil, opt)
		require.ErrorContains(t, err, want)
	}
	cl, err := client.New(nil, client.RejoinDelay(client.RejoinNever))
	require.NoError(t, err)
	cl.Close()
}

// dynHooks counts events.
type dynHooks struct {
	mu                sync.Mutex
	applied, rejected int
}

func (h *dynHooks) OnApplied(context.Context, kcfg.Applied) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.applied++
}

func (h *dynHooks) OnRejected(context.Context, kcfg.Rejected) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rejected++
}

func (h *dynHooks) counts() (applied, rejected int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.applied, h.rejected
}

func TestWaitAppliedOfAClientWithoutAnyKeyToChangeEnds(t *testing.T) {
	c := overriding(t)
	cl := acksProducer(t, c, client.AcceptOverrides())
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	require.True(t, isA[*dynconfig.NotAppliedError](cl.WaitApplied(withTimeout(t), "acks")))
}
