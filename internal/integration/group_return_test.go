package integration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
)

// To a static member that returns, the coordinator lets its new session timeout
// apply from its first heartbeat on. One that kept that back for an override of
// the heartbeat interval would be expelled by the session of its former process.
func TestAStaticMemberThatReturnsUnderLongerOverridesIsNotExpelledByItsFormerSession(t *testing.T) {
	const former, beat = 4 * time.Second, time.Second
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	for what, balancer := range map[string]kgo.GroupBalancer{
		"range": kgo.RangeBalancer(), "cooperative": kgo.CooperativeStickyBalancer(),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			g := newGroup(t, c, 2)
			kopts := func(instance string, session time.Duration) []kgo.Opt {
				return []kgo.Opt{
					kgo.Balancers(balancer), kgo.InstanceID(instance), kgo.SessionTimeout(session), kgo.HeartbeatInterval(beat),
					kgo.RebalanceTimeout(time.Minute),
				}
			}
			var old link
			t.Cleanup(old.mend)
			g.joinBare(t, kopts("other", time.Minute)...)
			g.joinBare(t, append(kopts("returns", former), kgo.Dialer(old.dial))...)
			generation := g.steady(t)
			before := g.standing(t)
			require.Len(t, before, 2)

			s.set(t, g.entity(), kcfg.Set("session.timeout.ms", "60000"), kcfg.Set("heartbeat.interval.ms", "20000"))
			old.sever()
			g.members = g.members[:1]
			m := g.join(t, kopts("returns", former), append(s.where(), client.RejoinDelay(client.RejoinNever))...)
			assert.Equal(t, generation, g.steady(t), "no rebalance")
			assert.Equal(t, []int32{60000}, g.joinedWith(t, generation, 1)[len(g.joinedWith(t, generation, 1))-1:])

			// The clock: a bare member with twice the session of the former one.
			clock := newGroup(t, c, 1)
			var cut link
			t.Cleanup(cut.mend)
			clock.joinBare(t, kgo.SessionTimeout(2*former), kgo.HeartbeatInterval(beat), kgo.Dialer(cut.dial))
			clock.steady(t)
			cut.sever()
			eventually(t, func() bool { return len(clock.memberIDs(t)) == 0 }, "twice the former session is over")
			assert.Equal(t, generation, g.steady(t))
			m.undisturbed(t)
		})
	}
}
