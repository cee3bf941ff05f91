package integration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// newGroupAt makes a group whose coordinator is a node.
func newGroupAt(t *testing.T, c *kafkatest.Cluster, partitions int, node int32) *memberGroup {
	t.Helper()
	g := newGroup(t, c, partitions)
	eventually(t, func() bool {
		g.id = name(t)
		return g.coordinator(t) == node
	}, "a group with that coordinator")
	return g
}

// coordinator returns the node that coordinates the group, -1 if there is none.
func (g *memberGroup) coordinator(t *testing.T) int32 {
	t.Helper()
	found := g.adm.FindGroupCoordinators(withTimeout(t), g.id)[g.id]
	if found.Err != nil {
		return -1
	}
	return found.NodeID
}

// failover is a group that rebalances when its coordinator is killed.
type failover struct {
	*memberGroup
	feed    *feed
	before  standing
	revoked []int
}

// begin waits for the group, and begins to feed it.
func begin(t *testing.T, g *memberGroup) *failover {
	t.Helper()
	g.steady(t)
	return &failover{g, g.feed(t), g.standing(t), g.revocations()}
}

// awaitRebalance waits until the group waits for a member that is held up.
func (f *failover) awaitRebalance(t *testing.T) {
	t.Helper()
	eventually(t, func() bool { return f.describe(t).State == "PreparingRebalance" }, "it rebalances")
}

// awaitCoordinator waits until another node than this one coordinates the group. An
// admin client that knows the dead one does not look for another.
func (f *failover) awaitCoordinator(t *testing.T, dead int32) {
	t.Helper()
	require.Eventually(t, func() bool {
		f.adm = admin(t, f.c)
		node := f.coordinator(t)
		return node > 0 && node != dead && f.describe(t).State != ""
	}, patience, time.Second, "another coordinator")
}

// end requires that nothing was lost, nothing came twice and nothing moved.
func (f *failover) end(t *testing.T) {
	t.Helper()
	f.steady(t)
	made := f.feed.stop()
	require.Positive(t, made)
	eventually(t, func() bool { return f.consumed() == made }, "no record is lost")
	f.markEnd(t, made)
	assert.Empty(t, f.repeated())
	assert.Equal(t, f.before, f.standing(t))
	assert.Equal(t, f.revoked, f.revocations())
	for _, m := range f.members {
		m.undisturbed(t)
	}
	t.Logf("%d records", made)
}

// A group of ours and a bare one rebalance, each with a member that is held up, when
// their coordinator is killed: ours for a session timeout, which has to be in force
// in the end.
func TestASessionTimeoutComesIntoForceThoughTheCoordinatorIsKilledMeanwhile(t *testing.T) {
	const n, partitions = 3, 6
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	g := newGroup(t, c, partitions)
	node := g.coordinator(t)
	require.Positive(t, node)
	b := newGroupAt(t, c, partitions, node)
	free, held := newGate(), newGate()
	t.Cleanup(held.reopen)
	for i := range n {
		through := free
		if i == n-1 {
			through = held
		}
		g.join(t, []kgo.Opt{kgo.DisableAutoCommit()}, append(s.where(), client.Dialer(through.dial),
			client.Principal("ANONYMOUS"), client.PollInterval(time.Hour), client.RejoinDelay(0))...)
		b.joinBare(t, kgo.DisableAutoCommit(), kgo.Dialer(through.dial))
	}
	ours, theirs := begin(t, g), begin(t, b)

	held.close()
	s.set(t, g.entity(), kcfg.Set("session.timeout.ms", "20000"))
	for _, m := range g.members[:n-1] {
		require.NoError(t, m.ours.RefreshConfigs(withTimeout(t)))
	}
	theirs.members[0].ForceRebalance()
	ours.awaitRebalance(t)
	theirs.awaitRebalance(t)
	kill(t, c, int(node))
	held.reopen()

	ours.awaitCoordinator(t, node)
	theirs.awaitCoordinator(t, node)
	require.NoError(t, g.members[n-1].ours.RefreshConfigs(withTimeout(t)))
	g.inForce(t, kcfg.OverrideApplied, "session.timeout.ms", "20000")
	generation := g.steady(t)
	for _, session := range g.joinedWith(t, generation, n) {
		assert.Equal(t, int32(20000), session)
	}
	for _, j := range joins(t, c, g.id) {
		if j.generation == generation {
			assert.NotEqual(t, int(node), j.node, "joined at the new one")
		}
	}
	ours.end(t)
	theirs.end(t)
}
