package client_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// since returns the session timeouts of the joins after the first n.
func (j *joins) since(n int) []int32 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]int32(nil), j.sessions[n:]...)
}

// member is a consumer in a group, with what its application sees.
type member struct {
	*client.Client
	mu            sync.Mutex
	owned         map[string]bool
	revoked, lost int
	pollErrors    atomic.Int64
}

func (m *member) counts() (owned, revoked, lost int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.owned), m.revoked, m.lost
}

// newMember makes a member of the group "g" that polls until the test ends.
func newMember(t *testing.T, c *fakebroker.Cluster, kopts []kgo.Opt, opts ...client.Option) *member {
	t.Helper()
	m := &member{owned: make(map[string]bool)}
	note := func(topics map[string][]int32, f func(partition string)) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for topic, partitions := range topics {
			for _, p := range partitions {
				f(fmt.Sprint(topic, "/", p))
			}
		}
	}
	kopts = append(seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, ps map[string][]int32) {
			note(ps, func(p string) { m.owned[p] = true })
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, ps map[string][]int32) {
			note(ps, func(p string) { delete(m.owned, p); m.revoked++ })
		}),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, ps map[string][]int32) {
			note(ps, func(p string) { delete(m.owned, p); m.lost++ })
		})), kopts...)
	cl, err := client.NewConsumer(kopts, opts...)
	require.NoError(t, err)
	m.Client = cl
	ctx, cancel := context.WithCancel(t.Context())
	polled := make(chan struct{})
	go func() {
		defer close(polled)
		for ctx.Err() == nil {
			fs := cl.PollFetches(ctx)
			if ctx.Err() == nil && fs.Err() != nil {
				m.pollErrors.Add(1)
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-polled; cl.Close() })
	return m
}

// steady waits until every member owns as many partitions, in one generation.
func steady(t *testing.T, members []*member, owned int) (generation int32) {
	t.Helper()
	eventually(t, func() bool {
		_, generation = members[0].GroupMetadata()
		for _, m := range members {
			_, g := m.GroupMetadata()
			if n, _, _ := m.counts(); n != owned || g != generation || g <= 0 {
				return false
			}
		}
		return true
	}, "the group is steady")
	return generation
}

func TestAGroupOfTwentyTakesANewSessionTimeoutInAtMostTwoRebalances(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		const n = 20
		c := over.start(t, fakebroker.Topics(n, "orders"))
		j := watchGroup(c)
		members := make([]*member, 0, n)
		for range n {
			members = append(members, newMember(t, c, []kgo.Opt{kgo.HeartbeatInterval(100 * time.Millisecond)},
				over.opts(client.PollInterval(time.Second))...))
		}
		generation := steady(t, members, 1)
		revoked := make([]int, n)
		for i, m := range members {
			_, revoked[i], _ = m.counts()
		}
		_, before := j.last()

		over.set(t, c, kcfg.Set("session.timeout.ms", "20000"))
		for _, m := range members {
			eventually(t, func() bool {
				k := state(t, m.Status(), "session.timeout.ms")
				return k.State == kcfg.OverrideApplied && *k.InForce == "20000"
			}, "applied")
		}
		after := steady(t, members, 1)
		assert.LessOrEqual(t, after, generation+2)
		assert.Greater(t, after, generation)
		sessions := j.since(before)
		require.GreaterOrEqual(t, len(sessions), n)
		// A member whose poll was late, on a machine that stood still, joins once more.
		for _, s := range sessions[len(sessions)-n:] {
			assert.Equal(t, int32(20000), s)
		}
		for i, m := range members {
			_, r, lost := m.counts()
			assert.Zero(t, lost)
			assert.Equal(t, revoked[i], r, "nothing moved")
			assert.Zero(t, m.pollErrors.Load())
		}
		t.Logf("%d rebalances, %d joins", after-generation, len(sessions))
	})
}

func TestASessionTimeoutThatTheBrokerRefusesIsNotSeenByTheApplication(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		for _, tt := range []struct {
			name, good, bad string
			want            []int32 // the joins of the bad one
		}{
			{"below its minimum", "", "8000", []int32{8000, 45000}},
			{"above its maximum", "", "400000", []int32{400000, 45000}},
			{"after one that it took", "20000", "8000", []int32{8000, 20000}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				c := over.cluster(t, fakebroker.KfakeOpts(kfake.GroupMinSessionTimeout(12*time.Second), kfake.GroupMaxSessionTimeout(5*time.Minute)))
				j := watchGroup(c)
				m := newMember(t, c, []kgo.Opt{kgo.HeartbeatInterval(100 * time.Millisecond)},
					over.opts(client.RejoinDelay(0), client.SessionTimeoutBounds(time.Second, time.Hour))...)
				steady(t, []*member{m}, 3)
				if tt.good != "" {
					over.set(t, c, kcfg.Set("session.timeout.ms", tt.good))
					require.NoError(t, m.RefreshConfigs(withTimeout(t)))
					require.NoError(t, m.WaitApplied(withTimeout(t), "session.timeout.ms"))
				}
				id, _ := m.GroupMetadata()
				_, before := j.last()

				over.set(t, c, kcfg.Set("session.timeout.ms", tt.bad))
				require.NoError(t, m.RefreshConfigs(withTimeout(t)))
				err := m.WaitApplied(withTimeout(t), "session.timeout.ms")
				refused, ok := err.(*dynconfig.NotAppliedError) //nolint:errorlint // as it is returned
				require.True(t, ok, "%v", err)
				assert.Equal(t, kcfg.OverrideRejected, refused.State)
				assert.NotEmpty(t, refused.Reason)
				t.Log(refused.Reason)
				require.NoError(t, c.Wait(withTimeout(t), func() bool { return len(j.since(before)) >= 2 }))

				// Polls, heartbeats and records go on, and nothing more is tried.
				quiet(t, c, m)
				assert.Equal(t, tt.want, j.since(before))
				again, _ := m.GroupMetadata()
				assert.Equal(t, id, again)
				_, _, lost := m.counts()
				assert.Zero(t, lost)
				assert.Zero(t, m.pollErrors.Load())
			})
		}
	})
}

// quiet lets a member ask twice and send ten heartbeats: time enough for it to
// do what it is not to do.
func quiet(t *testing.T, c *fakebroker.Cluster, m *member) {
	t.Helper()
	beats := c.Count(fakebroker.AnyNode, int16(kmsg.Heartbeat))
	for range 2 {
		require.NoError(t, m.RefreshConfigs(withTimeout(t)))
	}
	require.NoError(t, c.Wait(withTimeout(t), func() bool {
		return c.Count(fakebroker.AnyNode, int16(kmsg.Heartbeat)) >= beats+10
	}))
}

func TestABrokerThatRefusesEveryOverrideIsAskedOnceForEach(t *testing.T) {
	c := overriding(t)
	var mu sync.Mutex
	var sessions []int32
	c.Kfake().ControlKey(int16(kmsg.JoinGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		r := req.(*kmsg.JoinGroupRequest)
		mu.Lock()
		defer mu.Unlock()
		sessions = append(sessions, r.SessionTimeoutMillis)
		if r.SessionTimeoutMillis == 45000 {
			return nil, nil, false
		}
		resp := r.ResponseKind().(*kmsg.JoinGroupResponse)
		resp.ErrorCode = 26 // INVALID_SESSION_TIMEOUT
		return resp, nil, true
	})
	joined := func() []int32 {
		mu.Lock()
		defer mu.Unlock()
		return append([]int32(nil), sessions...)
	}
	m := newMember(t, c, []kgo.Opt{kgo.HeartbeatInterval(100 * time.Millisecond)}, client.RejoinDelay(0))
	steady(t, []*member{m}, 3)
	id, _ := m.GroupMetadata()
	before := len(joined())
	var want []int32
	for i := range int32(5) {
		want = append(want, 20000+i, 45000)
		set(t, c, kcfg.Set("session.timeout.ms", fmt.Sprint(20000+i)))
		require.NoError(t, m.RefreshConfigs(withTimeout(t)))
		require.Error(t, m.WaitApplied(withTimeout(t), "session.timeout.ms"))
		require.NoError(t, c.Wait(withTimeout(t), func() bool { return len(joined()) >= before+len(want) }))
		steady(t, []*member{m}, 3)
		quiet(t, c, m)
		require.Equal(t, want, joined()[before:])
	}
	again, _ := m.GroupMetadata()
	assert.Equal(t, id, again)
	_, _, lost := m.counts()
	assert.Zero(t, lost)
	assert.Zero(t, m.pollErrors.Load())
}

// A heartbeat that got longer before the session timeout did would have the
// member expelled.
func TestHeartbeatsDoNotGetLongerBeforeTheJoinThatAllowsIt(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		c := over.cluster(t)
		j := watchGroup(c)
		m := newMember(t, c, []kgo.Opt{kgo.SessionTimeout(10 * time.Second), kgo.HeartbeatInterval(3 * time.Second)},
			over.opts(client.RejoinDelay(client.RejoinNever))...)
		generation := steady(t, []*member{m}, 3)
		id, _ := m.GroupMetadata()
		_, before := j.last()
		over.set(t, c, kcfg.Set("session.timeout.ms", "60000"), kcfg.Set("heartbeat.interval.ms", "20000"))
		require.NoError(t, m.RefreshConfigs(withTimeout(t)))
		count := func() int { return c.Count(fakebroker.AnyNode, int16(kmsg.Heartbeat)) }
		beats, start := count(), time.Now()
		// More than a session timeout long: at 20s each there would be none.
		require.NoError(t, c.Wait(withTimeout(t), func() bool { return count() >= beats+5 }))
		assert.Greater(t, time.Since(start), 10*time.Second, "none is added either")
		for _, key := range []string{"session.timeout.ms", "heartbeat.interval.ms"} {
			assert.Equal(t, kcfg.OverridePending, state(t, m.Status(), key).State, key)
		}
		assert.Empty(t, j.since(before))
		again, g := m.GroupMetadata()
		assert.Equal(t, id, again)
		assert.Equal(t, generation, g)

		m.ForceRebalance()
		require.NoError(t, m.WaitApplied(withTimeout(t), "session.timeout.ms"))
		assert.Equal(t, []int32{60000}, j.since(before))
		steady(t, []*member{m}, 3)
		again, _ = m.GroupMetadata()
		assert.Equal(t, id, again)
		_, _, lost := m.counts()
		assert.Zero(t, lost)
		assert.Zero(t, m.pollErrors.Load())
	})
}

func TestABurstOfAltersIsOneChangeAndTheSameValueAgainIsNone(t *testing.T) {
	c := overriding(t)
	j := watchGroup(c)
	h, log := &dynHooks{}, &logger{}
	m := newMember(t, c, []kgo.Opt{kgo.HeartbeatInterval(100 * time.Millisecond), kgo.WithLogger(log)},
		client.RejoinDelay(0), client.PollInterval(time.Hour), client.WithHooks(h))
	steady(t, []*member{m}, 3)
	require.NoError(t, m.RefreshConfigs(withTimeout(t)))
	require.NoError(t, m.PushConfig(withTimeout(t)))
	_, joined := j.last()
	pushed := c.Count(fakebroker.AnyNode, pushKey)
	applied, _ := h.counts()

	for i := 1; i <= 50; i++ {
		set(t, c, kcfg.Set("session.timeout.ms", fmt.Sprint(20000+i)))
	}
	require.NoError(t, m.RefreshConfigs(withTimeout(t)))
	require.NoError(t, m.WaitApplied(withTimeout(t), "session.timeout.ms"))
	steady(t, []*member{m}, 3)
	eventually(t, func() bool { n, _ := h.counts(); return n > applied }, "the hook ran")
	require.NoError(t, m.PushConfig(withTimeout(t)))
	require.NoError(t, c.Wait(withTimeout(t), func() bool { return c.Count(fakebroker.AnyNode, pushKey) > pushed }))
	quiet(t, c, m)
	assert.Equal(t, []int32{20050}, j.since(joined))
	assert.Equal(t, pushed+1, c.Count(fakebroker.AnyNode, pushKey))
	n, rejected := h.counts()
	assert.Equal(t, applied+1, n)
	assert.Zero(t, rejected)

	lines := len(log.told())
	require.NotZero(t, lines, "a change is told")
	set(t, c, kcfg.Set("session.timeout.ms", "20050"))
	polls := m.Status().Dynamic.Polls
	quiet(t, c, m)
	require.NoError(t, m.PushConfig(withTimeout(t)))
	assert.Equal(t, polls+2, m.Status().Dynamic.Polls, "it was asked for")
	assert.Equal(t, []int32{20050}, j.since(joined))
	assert.Equal(t, pushed+1, c.Count(fakebroker.AnyNode, pushKey))
	assert.Len(t, log.told(), lines, "%q", log.told())
	n, _ = h.counts()
	assert.Equal(t, applied+1, n)
}

func TestAcksOfProducersThatNeedThemAreLeftAloneOnTheWire(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		for _, tt := range []struct {
			name, reason string
			opts         []kgo.Opt
		}{
			{"idempotent", "kgo.DisableIdempotentWrite", nil},
			{"transactional", "transactional", []kgo.Opt{kgo.TransactionalID("tx")}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				c := over.cluster(t)
				w := watchProduce(c)
				cl, err := client.NewProducer(seeds(c, tt.opts...), over.opts()...)
				require.NoError(t, err)
				defer cl.Close()
				for _, acks := range []string{"1", "0"} {
					over.set(t, c, kcfg.Set("acks", acks))
					require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
					before := w.of(-1)
					if tt.name == "transactional" {
						require.NoError(t, cl.BeginTransaction())
					}
					produce(t, cl.Client, 10)
					if tt.name == "transactional" {
						require.NoError(t, cl.EndTransaction(withTimeout(t), kgo.TryCommit))
					}
					require.Equal(t, before+10, w.of(-1), "the path ran")
					k := state(t, cl.Status(), "acks")
					assert.Equal(t, kcfg.OverrideNotApplicable, k.State)
					assert.Contains(t, k.Reason, tt.reason)
					assert.Equal(t, "all", *k.InForce)
				}
				assert.Zero(t, w.of(0)+w.of(1))
				assert.Equal(t, 20, w.withProducerID())
			})
		}
	})
}

func TestASecondClientOfTheSameOptionsEndsTheOverridesOfBoth(t *testing.T) {
	overBoth(t, func(t *testing.T, over way) {
		c := over.cluster(t)
		w := watchProduce(c)
		over.set(t, c, kcfg.Set("acks", "1"))
		cl := acksProducer(t, c, over.opts()...)
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		produce(t, cl.Client, 10)
		require.Equal(t, 10, w.of(1), "the path ran")

		second, err := kgo.NewClient(append(cl.Opts(), kgo.ClientID("second"))...)
		require.NoError(t, err)
		defer second.Close()
		eventually(t, func() bool { return cl.Status().Dynamic.Suspended != "" }, "visible")
		eventually(t, func() bool {
			before := w.of(-1)
			produce(t, cl.Client, 1)
			return w.of(-1) > before
		}, "the client's own again")
		one, all := w.of(1), w.of(-1)
		produce(t, second, 10)
		produce(t, cl.Client, 10)
		require.Equal(t, all+20, w.of(-1), "the path ran")
		assert.Equal(t, one, w.of(1))
		assert.Zero(t, w.of(0))
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		produce(t, second, 10)
		assert.Equal(t, one, w.of(1))
	})
}
