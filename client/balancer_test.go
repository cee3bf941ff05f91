package client_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
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

// constantBalancer is the range balancer, but its metadata never changes. Kgo's
// own balancers put the generation into theirs, so that each of their joins is a
// change to the coordinator. With this one a follower that joins again is
// answered from the current generation, and nothing that it asks for is taken.
type constantBalancer struct{ kgo.GroupBalancer }

func newConstantBalancer() kgo.GroupBalancer { return constantBalancer{kgo.RangeBalancer()} }

func (constantBalancer) ProtocolName() string { return "constant" }

func (constantBalancer) JoinGroupMetadata([]string, map[string][]int32, int32) []byte {
	m := kmsg.NewConsumerMemberMetadata()
	m.Topics = []string{"orders"}
	return m.AppendTo(nil)
}

// memberJoins watches the session timeouts with which members join. A member is
// its instance id, or its member id if it has none. A first join of a member
// without either is not kept.
type memberJoins struct {
	mu       sync.Mutex
	sessions map[string][]int32
}

func watchMembers(c *fakebroker.Cluster) *memberJoins {
	w := &memberJoins{sessions: make(map[string][]int32)}
	c.Kfake().ControlKey(int16(kmsg.JoinGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		r := req.(*kmsg.JoinGroupRequest)
		who := r.MemberID
		if r.InstanceID != nil {
			who = *r.InstanceID
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if who != "" {
			w.sessions[who] = append(w.sessions[who], r.SessionTimeoutMillis)
		}
		return nil, nil, false
	})
	return w
}

// of returns the session timeouts of a member's joins.
func (w *memberJoins) of(m *member) []int32 {
	who, _ := m.GroupMetadata()
	if id, _ := m.OptValue(kgo.InstanceID).(string); id != "" {
		who = id
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sessions[who])
}

// last returns the session timeout of a member's last join.
func (w *memberJoins) last(m *member) int32 {
	all := w.of(m)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}

// standing is what a change of the session timeout must not change.
type standing struct {
	id    string
	owned []string
}

func standingOf(m *member) standing {
	id, _ := m.GroupMetadata()
	m.mu.Lock()
	defer m.mu.Unlock()
	return standing{id, slices.Sorted(maps.Keys(m.owned))}
}

func standings(members []*member) (out []standing) {
	for _, m := range members {
		out = append(out, standingOf(m))
	}
	return out
}

// fourPartitions starts a cluster with two partitions for each of two members.
func fourPartitions(t *testing.T) *fakebroker.Cluster {
	t.Helper()
	c, err := fakebroker.New(fakebroker.Policy(&fakebroker.RecordPolicy{}), fakebroker.DynamicConfigs(), fakebroker.Topics(4, "orders"))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// pairOf makes a group of two, of which the first is the leader.
func pairOf(t *testing.T, c *fakebroker.Cluster, kopts func(i int) []kgo.Opt, opts ...client.Option) []*member {
	t.Helper()
	var out []*member
	for i := range 2 {
		all := append([]kgo.Opt{kgo.HeartbeatInterval(100 * time.Millisecond)}, kopts(i)...)
		out = append(out, newMember(t, c, all, opts...))
		steady(t, out, 4/len(out))
	}
	return out
}

// followerFirst makes the leader learn last: by then the other one knows, too.
func followerFirst(t *testing.T, members []*member) {
	t.Helper()
	for _, m := range slices.Backward(members) {
		require.NoError(t, m.RefreshConfigs(withTimeout(t)))
	}
}

// stays requires that members kept their ids and partitions, and lost nothing.
// An eager one has none while it joins.
func stays(t *testing.T, members []*member, before []standing) {
	t.Helper()
	eventually(t, func() bool { return assert.ObjectsAreEqual(before, standings(members)) }, "the same members and partitions")
	for _, m := range members {
		_, _, lost := m.counts()
		assert.Zero(t, lost)
		assert.Zero(t, m.pollErrors.Load())
	}
}

func balancers() map[string]func() kgo.GroupBalancer {
	return map[string]func() kgo.GroupBalancer{
		"cooperative-sticky": kgo.CooperativeStickyBalancer,
		"sticky":             kgo.StickyBalancer,
		"range":              kgo.RangeBalancer,
		"roundrobin":         kgo.RoundRobinBalancer,
		"constant":           newConstantBalancer,
	}
}

func TestOverridesReachAGroupWithEveryBalancerAndMoveNoPartition(t *testing.T) {
	for name, balancer := range balancers() {
		for kind, static := range map[string]bool{"dynamic": false, "static": true} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				c := fourPartitions(t)
				w := watchMembers(c)
				members := pairOf(t, c, func(i int) []kgo.Opt {
					opts := []kgo.Opt{kgo.Balancers(balancer())}
					if static {
						opts = append(opts, kgo.InstanceID(fmt.Sprint("instance-", i)))
					}
					return opts
				}, client.RejoinDelay(0))
				overrideAndBack(t, c, w, members, balancer().IsCooperative())
			})
		}
	}
}

// overrideAndBack sets a session timeout, then a heartbeat interval, and removes
// both.
func overrideAndBack(t *testing.T, c *fakebroker.Cluster, w *memberJoins, members []*member, cooperative bool) {
	t.Helper()
	before := standings(members)
	generation := steady(t, members, 2)
	revoked := revocations(members)

	set(t, c, kcfg.Set("session.timeout.ms", "20000"))
	followerFirst(t, members)
	for _, m := range members {
		require.NoError(t, m.WaitApplied(withTimeout(t), "session.timeout.ms"))
	}
	after := steady(t, members, 2)
	assert.Greater(t, after, generation)
	assert.LessOrEqual(t, after, generation+2)
	for i, m := range members {
		assert.Equal(t, int32(20000), w.last(m), "member %d: %v", i, w.of(m))
	}
	stays(t, members, before)
	if cooperative {
		assert.Equal(t, revoked, revocations(members), "nothing is revoked")
	} else {
		for i, n := range revocations(members) {
			assert.Greater(t, n, revoked[i], "revoked and assigned again")
		}
	}

	beats(t, c, 6)
	joined := [][]int32{w.of(members[0]), w.of(members[1])}
	set(t, c, kcfg.Set("heartbeat.interval.ms", "300"))
	followerFirst(t, members)
	for i, m := range members {
		require.NoError(t, m.WaitApplied(withTimeout(t), "heartbeat.interval.ms"))
		assert.Equal(t, joined[i], w.of(m), "no join for it")
	}

	set(t, c, kcfg.Remove("session.timeout.ms"), kcfg.Remove("heartbeat.interval.ms"))
	followerFirst(t, members)
	for _, m := range members {
		inForce(t, m, "session.timeout.ms", kcfg.OverrideStatic, "45000")
		inForce(t, m, "heartbeat.interval.ms", kcfg.OverrideStatic, "100")
	}
	steady(t, members, 2)
	for i, m := range members {
		assert.Equal(t, int32(45000), w.last(m), "member %d: %v", i, w.of(m))
	}
	stays(t, members, before)
}

func revocations(members []*member) (out []int) {
	for _, m := range members {
		_, revoked, _ := m.counts()
		out = append(out, revoked)
	}
	return out
}

// beats waits for n heartbeats: whoever was told to join has done so by then.
func beats(t *testing.T, c *fakebroker.Cluster, n int) {
	t.Helper()
	count := func() int { return c.Count(fakebroker.AnyNode, int16(kmsg.Heartbeat)) }
	before := count()
	require.NoError(t, c.Wait(withTimeout(t), func() bool { return count() >= before+n }))
}

// inForce waits until a key is in a state, with a value in force.
func inForce(t *testing.T, m *member, key string, want kcfg.OverrideState, value string) {
	t.Helper()
	eventually(t, func() bool {
		k := state(t, m.Status(), key)
		return k.State == want && *k.InForce == value
	}, key+" is in force")
}

// Without RejoinDelay an application that stops as a whole for a rebalance is
// asked for one by nobody. The cooperative group shows that there was time for it.
func TestAnEagerGroupIsNotMadeToRejoinUnlessTheApplicationSaysSo(t *testing.T) {
	c := fourPartitions(t)
	w := watchMembers(c)
	groups, before := make(map[string][]*member), make(map[string][]standing)
	for name, balancer := range balancers() {
		groups[name] = pairOf(t, c, func(int) []kgo.Opt {
			return []kgo.Opt{kgo.ConsumerGroup(name), kgo.Balancers(balancer())}
		}, client.PollInterval(time.Second))
		before[name] = standings(groups[name])
	}
	joined := func(name string) (out [][]int32) {
		for _, m := range groups[name] {
			out = append(out, w.of(m))
		}
		return out
	}
	atFirst := make(map[string][][]int32)
	for name := range groups {
		atFirst[name] = joined(name)
	}

	set(t, c, kcfg.Set("session.timeout.ms", "20000"))
	for _, m := range groups["cooperative-sticky"] {
		require.NoError(t, m.WaitApplied(withTimeout(t), "session.timeout.ms"))
	}
	delete(groups, "cooperative-sticky")
	polls := make(map[*member]int)
	for _, members := range groups {
		for _, m := range members {
			eventually(t, func() bool { return state(t, m.Status(), "session.timeout.ms").State == kcfg.OverridePending }, "it is known")
			polls[m] = m.Status().Dynamic.Polls
		}
	}
	for m, n := range polls { // for twice the delay after which a cooperative one joins
		eventually(t, func() bool { return m.Status().Dynamic.Polls >= n+3 }, "asked again")
		assert.Equal(t, "45000", *state(t, m.Status(), "session.timeout.ms").InForce)
		assert.Zero(t, m.Status().Dynamic.Rejoins)
	}
	for name, members := range groups {
		assert.Equal(t, atFirst[name], joined(name), name)
		members[0].ForceRebalance() // the leader's: the others hear of it
		for _, m := range members {
			require.NoError(t, m.WaitApplied(withTimeout(t), "session.timeout.ms"), name)
			assert.Equal(t, int32(20000), w.last(m), name)
		}
		steady(t, members, 2)
		stays(t, members, before[name])
	}
}

// A coordinator answers such a join from the current generation and keeps the
// old timeout. To call the override applied because a request carried it would
// be a lie.
func TestAFollowerWhoseMetadataNeverChangesIsPendingUntilTheGroupRebalances(t *testing.T) {
	for name, opts := range map[string]func(i int) []kgo.Opt{
		"dynamic": func(int) []kgo.Opt { return nil },
		"static":  func(i int) []kgo.Opt { return []kgo.Opt{kgo.InstanceID(fmt.Sprint("instance-", i))} },
	} {
		t.Run(name, func(t *testing.T) {
			c := fourPartitions(t)
			w := watchMembers(c)
			members := pairOf(t, c, func(i int) []kgo.Opt {
				return append(opts(i), kgo.Balancers(newConstantBalancer()))
			}, client.RejoinDelay(0), client.PollInterval(time.Hour))
			leader, follower := members[0], members[1]
			generation := steady(t, members, 2)
			before, joined := standings(members), len(w.of(follower))

			set(t, c, kcfg.Set("session.timeout.ms", "20000"))
			require.NoError(t, follower.RefreshConfigs(withTimeout(t)))
			require.NoError(t, c.Wait(withTimeout(t), func() bool { return len(w.of(follower)) > joined }))
			require.Equal(t, int32(20000), w.last(follower), "it was asked for")
			assert.Equal(t, generation, steady(t, members, 2), "and not taken")
			quiet(t, c, follower)
			assert.Len(t, w.of(follower), joined+1, "nor is it tried again and again")
			k := state(t, follower.Status(), "session.timeout.ms")
			assert.Equal(t, kcfg.OverridePending, k.State)
			assert.Equal(t, "45000", *k.InForce)
			t.Log(k.Reason)

			leader.ForceRebalance() // which has not asked yet, and needs not to
			require.NoError(t, follower.WaitApplied(withTimeout(t), "session.timeout.ms"))
			assert.Equal(t, generation+1, steady(t, members, 2))
			assert.Equal(t, int32(20000), w.last(follower))
			assert.Equal(t, int32(45000), w.last(leader))
			stays(t, members, before)
		})
	}
}
