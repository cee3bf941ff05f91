package integration_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
)

func TestAGroupTakesOverridesInOneGenerationAndGoesBackInAnother(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	for what, tt := range map[string]struct {
		balancer kgo.GroupBalancer
		static   bool
	}{
		"cooperative":       {kgo.CooperativeStickyBalancer(), false},
		"range":             {kgo.RangeBalancer(), false},
		"staticCooperative": {kgo.CooperativeStickyBalancer(), true},
		"staticRange":       {kgo.RangeBalancer(), true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			g := newGroup(t, c, 6)
			for i := range 3 {
				kopts := []kgo.Opt{kgo.Balancers(tt.balancer)}
				if tt.static {
					kopts = append(kopts, kgo.InstanceID(fmt.Sprint("instance-", i)))
				}
				// The first one learns last, and is the only one that makes them join.
				delay := client.RejoinNever
				if i == 0 {
					delay = 0
				}
				g.join(t, kopts, append(s.where(), client.PollInterval(time.Hour), client.RejoinDelay(delay))...)
			}
			overrideAndBack(t, s, g, tt.balancer.IsCooperative())
		})
	}
}

// overrideAndBack sets a session timeout, then a heartbeat interval, and removes
// both.
func overrideAndBack(t *testing.T, s store, g *memberGroup, cooperative bool) {
	t.Helper()
	generation := g.steady(t)
	before, revoked := g.standing(t), g.revocations()
	require.Len(t, before, 3)

	s.set(t, g.entity(), kcfg.Set("session.timeout.ms", "20000"))
	g.refresh(t)
	g.inForce(t, kcfg.OverrideApplied, "session.timeout.ms", "20000")
	assert.Equal(t, generation+1, g.steady(t))
	assert.Equal(t, []int32{20000, 20000, 20000}, g.joinedWith(t, generation+1, 3))
	assert.Equal(t, before, g.standing(t))

	s.set(t, g.entity(), kcfg.Set("heartbeat.interval.ms", "800"))
	g.refresh(t)
	g.inForce(t, kcfg.OverrideApplied, "heartbeat.interval.ms", "800")
	assert.Equal(t, generation+1, g.steady(t), "no join for it")

	s.set(t, g.entity(), kcfg.Remove("session.timeout.ms"), kcfg.Remove("heartbeat.interval.ms"))
	g.refresh(t)
	g.inForce(t, kcfg.OverrideStatic, "heartbeat.interval.ms", "200")
	g.inForce(t, kcfg.OverrideStatic, "session.timeout.ms", "45000")
	assert.Equal(t, generation+2, g.steady(t))
	assert.Equal(t, []int32{45000, 45000, 45000}, g.joinedWith(t, generation+2, 3))
	assert.Equal(t, before, g.standing(t))

	for _, m := range g.members {
		m.undisturbed(t)
	}
	if cooperative {
		assert.Equal(t, revoked, g.revocations(), "nothing is revoked")
		return
	}
	for i, n := range g.revocations() {
		assert.Equal(t, revoked[i]+2*2, n, "revoked and assigned again, once for each")
	}
}

// inForce waits until a key is in a state at every member, with a value in force.
func (g *memberGroup) inForce(t *testing.T, want kcfg.OverrideState, key, value string) {
	t.Helper()
	for _, m := range g.members {
		eventually(t, func() bool {
			k := state(t, m.ours, key)
			return k.State == want && k.InForce != nil && *k.InForce == value
		}, key+" is in force")
	}
}
