package client_test

import (
	"fmt"
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

// gate stops what comes to it, from close to open.
type gate struct {
	mu      sync.Mutex
	reached chan struct{} // nil while open
	opened  chan struct{}
}

// close closes the gate. The channel tells that something has come to it.
func (g *gate) close() (reached <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reached, g.opened = make(chan struct{}), make(chan struct{})
	return g.reached
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.opened)
	g.reached = nil
}

// arrive tells that something has come, and returns what it is to wait for, nil
// for nothing.
func (g *gate) arrive() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reached == nil {
		return nil
	}
	select {
	case <-g.reached:
	default:
		close(g.reached)
	}
	return g.opened
}

// gatedBalancer has a leader stop between JoinGroup and SyncGroup.
type gatedBalancer struct {
	kgo.GroupBalancer
	gate *gate
}

func (b gatedBalancer) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	if opened := b.gate.arrive(); opened != nil {
		<-opened
	}
	return b.GroupBalancer.MemberBalancer(members)
}

// interrupted is a group of two whose rebalances can be stopped on their way.
type interrupted struct {
	c       *fakebroker.Cluster
	members []*member // the leader first
	balance gate      // the leader's
	heard   gate      // the other one's heartbeats
}

// began waits for n more requests than there were.
func (g *interrupted) began(t *testing.T, key kmsg.Key, n int, begin func()) {
	t.Helper()
	before := g.c.Count(fakebroker.AnyNode, int16(key))
	begin()
	require.NoError(t, g.c.Wait(withTimeout(t), func() bool {
		return g.c.Count(fakebroker.AnyNode, int16(key)) >= before+n
	}), key.Name())
}

// heldAnswers stops a rebalance when the answers to n requests are due, of which
// the first is the nth.
func heldAnswers(key kmsg.Key, nth, n int, until kmsg.Key, seen int) func(*testing.T, *interrupted) (resume func()) {
	return func(t *testing.T, g *interrupted) func() {
		t.Helper()
		hold := make(chan struct{})
		g.c.Script(fakebroker.Fault{Keys: []int16{int16(key)}, Nth: nth, Count: n, Hold: hold})
		g.began(t, until, seen, g.members[0].ForceRebalance)
		return func() { close(hold) }
	}
}

// stages are where a rebalance is stopped.
func stages() map[string]func(*testing.T, *interrupted) (resume func()) {
	return map[string]func(*testing.T, *interrupted) func(){
		"one has joined, and the other one has not heard of it": func(t *testing.T, g *interrupted) func() {
			t.Helper()
			<-g.heard.close()
			g.began(t, kmsg.JoinGroup, 1, g.members[0].ForceRebalance)
			return g.heard.open
		},
		"no JoinGroup is answered":  heldAnswers(kmsg.JoinGroup, 1, 2, kmsg.JoinGroup, 2),
		"one JoinGroup is answered": heldAnswers(kmsg.JoinGroup, 2, 1, kmsg.SyncGroup, 1),
		"no SyncGroup is answered":  heldAnswers(kmsg.SyncGroup, 1, 2, kmsg.SyncGroup, 2),
		"the leader shares out between": func(t *testing.T, g *interrupted) func() {
			t.Helper()
			reached := g.balance.close()
			g.began(t, kmsg.SyncGroup, 1, g.members[0].ForceRebalance) // the other one's
			<-reached
			return g.balance.open
		},
	}
}

// interruptible makes the group. Its members ask only when they are told to.
func interruptible(t *testing.T, balancer kgo.GroupBalancer, rejoin time.Duration) (*interrupted, *memberJoins) {
	t.Helper()
	g := &interrupted{c: fourPartitions(t)}
	w := watchMembers(g.c)
	g.members = pairOf(t, g.c, func(int) []kgo.Opt {
		return []kgo.Opt{kgo.Balancers(gatedBalancer{balancer, &g.balance})}
	}, client.RejoinDelay(rejoin), client.PollInterval(time.Hour))
	follower, _ := g.members[1].GroupMetadata()
	g.c.Kfake().ControlKey(int16(kmsg.Heartbeat), func(req kmsg.Request) (kmsg.Response, error, bool) {
		g.c.Kfake().KeepControl()
		if req.(*kmsg.HeartbeatRequest).MemberID != follower {
			return nil, nil, false
		}
		if opened := g.heard.arrive(); opened != nil {
			g.c.Kfake().SleepControl(func() { <-opened })
		}
		return nil, nil, false
	})
	return g, w
}

func TestOverridesThatComeInARebalanceAreInForceAfterAtMostOneMore(t *testing.T) {
	for stage, interrupt := range stages() {
		for name, balancer := range map[string]func() kgo.GroupBalancer{
			"cooperative": kgo.CooperativeStickyBalancer, "range": kgo.RangeBalancer,
		} {
			t.Run(stage+", "+name, func(t *testing.T) {
				t.Parallel()
				g, w := interruptible(t, balancer(), 0)
				g.change(t, w, interrupt, overrides("20000", "200"), kcfg.OverrideApplied, "20000", "200")
				g.change(t, w, interrupt, overrides("30000", "300"), kcfg.OverrideApplied, "30000", "300")
				g.change(t, w, interrupt, []kcfg.Op{kcfg.Remove("session.timeout.ms"), kcfg.Remove("heartbeat.interval.ms")},
					kcfg.OverrideStatic, "45000", "100")
			})
		}
	}
}

// change makes both members learn of a change while a rebalance is stopped.
func (g *interrupted) change(t *testing.T, w *memberJoins, interrupt func(*testing.T, *interrupted) func(), ops []kcfg.Op, want kcfg.OverrideState, session, heartbeat string) {
	t.Helper()
	before, generation := standings(g.members), steady(t, g.members, 2)
	resume := interrupt(t, g)
	set(t, g.c, ops...)
	followerFirst(t, g.members)
	for _, m := range g.members {
		require.NotEqual(t, session, *state(t, m.Status(), "session.timeout.ms").InForce, "the rebalance is not over")
	}
	resume()

	for _, m := range g.members {
		inForce(t, m, "session.timeout.ms", want, session)
		inForce(t, m, "heartbeat.interval.ms", want, heartbeat)
	}
	steady(t, g.members, 2)
	beats(t, g.c, 4)
	after := steady(t, g.members, 2)
	assert.Greater(t, after, generation)
	assert.LessOrEqual(t, after, generation+2, "the one that was on its way, and at most one more")
	for i, m := range g.members {
		assert.Equal(t, session, fmt.Sprint(w.last(m)), "member %d: %v", i, w.of(m))
	}
	stays(t, g.members, before)
}

// What a request carried counts, and not what is wished when its answer comes.
func TestAJoinThatWasOnItsWayDoesNotBringALaterOverrideIntoForce(t *testing.T) {
	for _, stage := range []string{"no JoinGroup is answered", "no SyncGroup is answered", "the leader shares out between"} {
		t.Run(stage, func(t *testing.T) {
			g, w := interruptible(t, kgo.CooperativeStickyBalancer(), client.RejoinNever)
			before, generation := standings(g.members), steady(t, g.members, 2)
			resume := stages()[stage](t, g)
			set(t, g.c, overrides("60000", "200")...)
			followerFirst(t, g.members)
			resume()

			eventually(t, func() bool { return steady(t, g.members, 2) == generation+1 }, "the rebalance is over")
			beats(t, g.c, 6)
			assert.Equal(t, generation+1, steady(t, g.members, 2))
			for i, m := range g.members {
				assert.Equal(t, int32(45000), w.last(m), "member %d: %v", i, w.of(m))
				k := state(t, m.Status(), "session.timeout.ms")
				assert.Equal(t, kcfg.OverridePending, k.State)
				assert.Equal(t, "45000", *k.InForce)
				inForce(t, m, "heartbeat.interval.ms", kcfg.OverrideApplied, "200") // it needs no join
			}

			g.members[0].ForceRebalance()
			for _, m := range g.members {
				require.NoError(t, m.WaitApplied(withTimeout(t), "session.timeout.ms"))
				assert.Equal(t, int32(60000), w.last(m))
			}
			assert.Equal(t, generation+2, steady(t, g.members, 2))
			stays(t, g.members, before)
		})
	}
}
