package client_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

func joinsAfterItsRemoval(t *testing.T, w *world) {
	t.Helper()
	a, _ := ordered(t, w, kgo.DisableAutoCommit())
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	id, _ := a.GroupMetadata()
	w.remove(t, id)
	a.sees(t, "lost", 1)
	a.sees(t, "assigned", 2)
	a.inForce(t, groupKeys...)
	again := w.stable(t, 1)
	a.note("another id: %v", again.Members[0].MemberID != id)
	w.feed(t, "orders", 0, "a3")
	a.poll(t, 1)
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
	a.LeaveGroup()
	w.note("group", "%s", w.c.Kfake().GroupInfo("g").State)
}

func blocksCooperative(t *testing.T, w *world) {
	t.Helper()
	blocks(t, w, kgo.CooperativeStickyBalancer())
}

func blocksEager(t *testing.T, w *world) {
	t.Helper()
	blocks(t, w, kgo.RangeBalancer())
}

// blocks has a second member join while the first has polled and allows no
// rebalance.
func blocks(t *testing.T, w *world, balancer kgo.GroupBalancer) {
	t.Helper()
	a, polled := ordered(t, w, kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(), kgo.Balancers(balancer))
	w.stable(t, 1)
	b := w.member(t, "b", kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit(), kgo.Balancers(balancer))
	// The rebalance wants to happen, and waits.
	a.waits(t)
	a.note("commit while it waits: %s", class(a.CommitRecords(withTimeout(t), polled...)))
	a.note("committed %s", w.committed(t))
	a.note("allows the rebalance")
	assert.False(t, w.saw("b", "assigned"), "before it was allowed")
	a.AllowRebalance()
	a.sees(t, "revoked", 1)
	b.sees(t, "assigned", 1)
	eventually(t, func() bool { return a.has()+b.has() == 3 && a.has() > 0 }, "all are owned")
	info := w.stable(t, 2)
	w.note("group", "the members have %v", spread(info))
	a.inForce(t, groupKeys...)
	b.inForce(t, groupKeys...)
}

// spread is how many partitions the members of a group have.
func spread(info *kfake.GroupInfo) (out []int) {
	for i := range info.Members {
		out = append(out, info.Members[i].NumAssigned())
	}
	slices.Sort(out)
	return out
}

// two are two members at rest. The first has polled and committed five records.
func two(t *testing.T, w *world, opts ...kgo.Opt) (a, b *actor) {
	t.Helper()
	a, _ = ordered(t, w, append(opts, kgo.DisableAutoCommit())...)
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.AllowRebalance()
	b = w.member(t, "b", kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit())
	a.sees(t, "revoked", 1)
	b.sees(t, "assigned", 1)
	eventually(t, func() bool { return a.has()+b.has() == 3 && a.has() > 0 }, "all are owned")
	w.stable(t, 2)
	b.inForce(t, groupKeys...)
	return a, b
}

func leaves(t *testing.T, w *world) {
	t.Helper()
	a, b := two(t, w)
	id, _ := a.GroupMetadata()
	a.note("leave: %s", class(a.LeaveGroupContext(withTimeout(t))))
	b.owns(t, 3)
	w.stable(t, 1)
	a.note("leave again: %s", class(a.LeaveGroupContext(withTimeout(t))))
	again, generation := a.GroupMetadata()
	a.note("the same id: %v, generation %d", again == id, generation)
	a.note("the client goes on: %s", class(a.Ping(withTimeout(t))))
	w.feed(t, "orders", 0, "a3")
	w.feed(t, "orders", 1, "b2")
	w.feed(t, "orders", 2, "c0")
	b.poll(t, 3)
	a.Close()
	b.Close()
	w.note("group", "%s", w.c.Kfake().GroupInfo("g").State)
}

func closesAllowingRebalance(t *testing.T, w *world) {
	t.Helper()
	a, b := two(t, w, kgo.BlockRebalanceOnPoll())
	for p := range int32(3) {
		w.feed(t, "orders", p, "x", "y")
	}
	// It has polled, and closes without having allowed anything.
	for polled := 0; polled == 0; {
		polled = a.PollFetches(withTimeout(t)).NumRecords()
	}
	a.CloseAllowingRebalance()
	a.note("closed: %s", class(a.PollFetches(withTimeout(t)).Err0()))
	a.AllowRebalance() // a poll after the end holds up a second Close, too
	b.owns(t, 3)
	w.stable(t, 1)
	// Nothing that the first one polled was committed: the second gets it.
	got := make(map[string]bool)
	for len(got) < 6 {
		fs := b.PollFetches(withTimeout(t))
		require.NoError(t, fs.Err())
		for _, r := range fs.Records() {
			got[byPartition([]*kgo.Record{r})] = true
		}
	}
	b.note("commit: %s", class(b.CommitUncommittedOffsets(withTimeout(t))))
	b.note("committed %s", w.committed(t))
}

func restartsStatic(t *testing.T, w *world) {
	t.Helper()
	a, _ := ordered(t, w, kgo.DisableAutoCommit(), kgo.InstanceID("one"))
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	before := w.stable(t, 1).Members[0]
	a.Close()
	// It has not left, and who comes with its instance id gets what it had.
	w.stable(t, 1)
	w.feed(t, "orders", 0, "a3")
	b := w.member(t, "b", kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit(), kgo.InstanceID("one"))
	b.owns(t, 3)
	b.poll(t, 1)
	after := w.stable(t, 1).Members[0]
	b.note("instance %s, another id: %v", *after.InstanceID, after.MemberID != before.MemberID)
	b.inForce(t, groupKeys...)
	b.note("commit: %s", class(b.CommitUncommittedOffsets(withTimeout(t))))
	b.note("committed %s", w.committed(t))
}
