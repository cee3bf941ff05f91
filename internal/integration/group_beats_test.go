package integration_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
)

// beatHook counts the heartbeats that kgo believes to send.
type beatHook struct{ n atomic.Int64 }

func (h *beatHook) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	if err == nil && key == int16(kmsg.Heartbeat) {
		h.n.Add(1)
	}
}

var _ kgo.HookBrokerWrite = (*beatHook)(nil)

func TestTheCoordinatorHearsAMemberAtThePaceOfTheOverride(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	opts := append(s.where(), client.PollInterval(time.Hour), client.RejoinDelay(client.RejoinNever))
	heard := func(g *memberGroup) int { return len(requestsOf(t, c, g.id, "HEARTBEAT")) }
	t.Run("Shorter", func(t *testing.T) {
		t.Parallel()
		g := newGroup(t, c, 2)
		m := g.join(t, []kgo.Opt{kgo.SessionTimeout(30 * time.Minute), kgo.HeartbeatInterval(20 * time.Minute)}, opts...)
		g.steady(t)
		s.set(t, g.entity(), kcfg.Set("heartbeat.interval.ms", "200"))
		g.refresh(t)
		// Of kgo's own there is one, half a second after the join.
		logged(t, func() bool { return heard(g) >= 10 }, "heartbeats are added")
		g.inForce(t, kcfg.OverrideApplied, "heartbeat.interval.ms", "200")
		m.undisturbed(t)
	})
	t.Run("Longer", func(t *testing.T) {
		t.Parallel()
		g := newGroup(t, c, 2)
		hook := &beatHook{}
		m := g.join(t, []kgo.Opt{kgo.HeartbeatInterval(100 * time.Millisecond), kgo.WithHooks(hook)}, opts...)
		generation := g.steady(t)
		s.set(t, g.entity(), kcfg.Set("heartbeat.interval.ms", "20000"))
		g.refresh(t)
		start, sent := heard(g), hook.n.Load()
		eventually(t, func() bool { return hook.n.Load() >= sent+60 }, "kgo goes on")
		m.ForceRebalance()
		g.joinedWith(t, generation+1, 1) // the log has what was before it, too
		assert.LessOrEqual(t, heard(g), start+3, "the last ones at the old pace")
		m.undisturbed(t)
	})
}
