package integration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
)

// The broker takes session timeouts from 1s to 30m.
func TestASessionTimeoutOutsideTheBrokersBoundsIsNotSeenByTheApplication(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	refused := kerr.InvalidSessionTimeout.Code
	for what, tt := range map[string]struct {
		good, bad string
		want      []joinSeen // the joins for the bad one, without the generation
	}{
		"below":       {"", "500", []joinSeen{{session: 500, code: refused}, {session: 45000}}},
		"above":       {"", "2000000", []joinSeen{{session: 2000000, code: refused}, {session: 45000}}},
		"afterOthers": {"20000", "2000000", []joinSeen{{session: 2000000, code: refused}, {session: 20000}}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			g := newGroup(t, c, 2)
			m := g.join(t, nil, append(s.where(), client.PollInterval(time.Hour), client.RejoinDelay(0),
				client.SessionTimeoutBounds(100*time.Millisecond, 24*time.Hour))...)
			generation := g.steady(t)
			if tt.good != "" {
				s.set(t, g.entity(), kcfg.Set("session.timeout.ms", tt.good))
				g.refresh(t)
				require.NoError(t, m.ours.WaitApplied(withTimeout(t), "session.timeout.ms"))
				generation = g.steady(t)
			}
			before := g.standing(t)
			g.joinedWith(t, generation, 1)
			seen := len(joins(t, c, g.id))

			s.set(t, g.entity(), kcfg.Set("session.timeout.ms", tt.bad))
			g.refresh(t)
			err, ok := asType[*dynconfig.NotAppliedError](m.ours.WaitApplied(withTimeout(t), "session.timeout.ms"))
			require.True(t, ok)
			assert.Equal(t, kcfg.OverrideRejected, err.State)
			assert.NotEmpty(t, err.Reason)
			k := state(t, m.ours, "session.timeout.ms")
			assert.Equal(t, err.Reason, k.Reason)
			assert.NotEqual(t, tt.bad, *k.InForce)
			t.Log(k.Reason)

			// Records, polls and heartbeats go on, and nothing more is tried.
			eventually(t, func() bool { return g.steady(t) == generation+1 }, "it joined again, with the good one")
			g.quiet(t)
			got := joins(t, c, g.id)[seen:]
			for i := range got {
				got[i].node, got[i].generation = 0, 0
			}
			assert.Equal(t, tt.want, got)
			assert.Equal(t, before, g.standing(t))
			m.undisturbed(t)
		})
	}
}

// quiet lets the members ask twice and send ten heartbeats, and consume: time
// enough for them to do what they are not to do.
func (g *memberGroup) quiet(t *testing.T) {
	t.Helper()
	beats := len(requestsOf(t, g.c, g.id, "HEARTBEAT"))
	for range 2 {
		g.refresh(t)
	}
	produce(t, g.members[0].Client, g.topic, 10)
	eventually(t, func() bool { return g.consumed() == 10 }, "records go on")
	logged(t, func() bool { return len(requestsOf(t, g.c, g.id, "HEARTBEAT")) >= beats+10 }, "heartbeats go on")
}

// consumed returns how many different values came.
func (g *memberGroup) consumed() int {
	values := make(map[string]bool)
	for _, m := range g.members {
		m.mu.Lock()
		for v := range m.consumed {
			values[v] = true
		}
		m.mu.Unlock()
	}
	return len(values)
}
