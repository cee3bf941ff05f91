package integration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
)

func TestAGroupOfTwentyOnKafkaTakesANewSessionTimeoutInAtMostTwoRebalances(t *testing.T) {
	const n = 20
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	g := newGroup(t, c, n)
	// By the default, one interval, a member whose answer is late on a busy machine
	// would join once more.
	opts := append(s.where(), client.PollInterval(time.Second), client.RejoinDelay(5*time.Second))
	for range n {
		g.join(t, nil, opts...)
	}
	generation := g.steady(t)
	before, revoked := g.standing(t), g.revocations()
	require.Len(t, before, n)

	s.set(t, g.entity(), kcfg.Set("session.timeout.ms", "20000"))
	g.inForce(t, kcfg.OverrideApplied, "session.timeout.ms", "20000")
	after := g.steady(t)
	assert.Greater(t, after, generation)
	assert.LessOrEqual(t, after, generation+2)
	want := make([]int32, n)
	for i := range want {
		want[i] = 20000
	}
	assert.Equal(t, want, g.joinedWith(t, after, n), "the last joins of all")
	assert.Equal(t, before, g.standing(t))
	assert.Equal(t, revoked, g.revocations(), "nothing moved")
	for _, m := range g.members {
		m.undisturbed(t)
	}
	t.Logf("%d rebalances", after-generation)
}
