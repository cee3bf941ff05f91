package client_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// regexMember has the topic ev-one, which it consumes by a pattern.
func regexMember(t *testing.T, w *world) *actor {
	t.Helper()
	w.topic(t, "ev-one", 1)
	a := w.member(t, "a", kgo.ConsumeRegex(), kgo.ConsumeTopics("^ev-"), kgo.MetadataMaxAge(50*time.Millisecond), kgo.DisableAutoCommit())
	a.owns(t, 1)
	a.inForce(t, groupKeys...)
	w.feed(t, "ev-one", 0, "x", "y")
	a.poll(t, 2)
	return a
}

func regexDiscovers(t *testing.T, w *world) {
	t.Helper()
	a := regexMember(t, w)
	w.topic(t, "other", 1) // what does not match is known before what does
	w.topic(t, "ev-two", 2)
	w.feed(t, "other", 0, "no")
	w.feed(t, "ev-two", 0, "p", "q")
	w.feed(t, "ev-two", 1, "r")
	a.owns(t, 3)
	a.poll(t, 3)
	w.feed(t, "ev-one", 0, "z")
	a.poll(t, 1)
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
	w.stable(t, 1)
}

func regexPurges(t *testing.T, w *world) {
	t.Helper()
	a := regexMember(t, w)
	w.topic(t, "ev-two", 1)
	a.owns(t, 2)
	w.feed(t, "ev-two", 0, "p")
	a.poll(t, 1)
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	require.NoError(t, w.c.Kfake().DeleteTopic("ev-two"))
	a.PurgeTopicsFromConsuming("ev-two")
	eventually(t, func() bool { return len(w.c.Kfake().GroupInfo("g").Members[0].Assignment) == 1 }, "the group knows")
	w.feed(t, "ev-one", 0, "z")
	a.poll(t, 1)
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
	w.stable(t, 1)
}

func pausesPartitions(t *testing.T, w *world) {
	t.Helper()
	a := w.member(t, "a", kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit())
	a.owns(t, 3)
	a.inForce(t, groupKeys...)
	round := func(n int) {
		for p := range int32(3) {
			w.feed(t, "orders", p, fmt.Sprint("r", n))
		}
	}
	round(0)
	a.poll(t, 3)
	a.note("paused %s", partitions(a.PauseFetchPartitions(map[string][]int32{"orders": {1}})))
	// More than one fetch comes in between, and none of them has partition 1.
	for n := range 3 {
		round(1 + n)
		a.poll(t, 2)
	}
	a.PauseFetchPartitions(map[string][]int32{"orders": {2}})
	a.note("paused %s", partitions(a.PauseFetchPartitions(nil)))
	round(4)
	a.poll(t, 1)
	a.ResumeFetchPartitions(map[string][]int32{"orders": {1, 2}})
	a.note("paused %s", partitions(a.PauseFetchPartitions(nil)))
	a.poll(t, 5)
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
}

func pausesTopic(t *testing.T, w *world) {
	t.Helper()
	w.topic(t, "other", 1)
	a := w.member(t, "a", kgo.ConsumeTopics("orders", "other"), kgo.DisableAutoCommit())
	a.owns(t, 4)
	a.inForce(t, groupKeys...)
	w.feed(t, "orders", 0, "x")
	w.feed(t, "other", 0, "p")
	a.poll(t, 2)
	a.note("paused %v", a.PauseFetchTopics("orders"))
	for n := range 3 {
		w.feed(t, "orders", 0, fmt.Sprint("y", n))
		w.feed(t, "other", 0, fmt.Sprint("q", n))
		a.poll(t, 1)
	}
	a.ResumeFetchTopics("orders")
	a.note("paused %v", a.PauseFetchTopics())
	a.poll(t, 3)
	w.stable(t, 1)
}

func addsAndRemovesPartitions(t *testing.T, w *world) {
	t.Helper()
	w.feed(t, "orders", 0, "a0", "a1")
	w.feed(t, "orders", 1, "b0", "b1", "b2")
	a := w.consumer(t, "a", kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"orders": {0: kgo.NewOffset().AtStart()}}))
	a.poll(t, 2)
	a.inForce(t, fetchKeys...)
	a.AddConsumePartitions(map[string]map[int32]kgo.Offset{"orders": {1: kgo.NewOffset().At(1)}})
	a.poll(t, 2)
	a.RemoveConsumePartitions(map[string][]int32{"orders": {0}})
	for n := range 3 {
		w.feed(t, "orders", 0, fmt.Sprint("gone", n))
		w.feed(t, "orders", 1, fmt.Sprint("here", n))
		a.poll(t, 1)
	}
	// It comes back where it is told to, with what it missed.
	a.AddConsumePartitions(map[string]map[int32]kgo.Offset{"orders": {0: kgo.NewOffset().At(1), 2: kgo.NewOffset().AtStart()}})
	a.poll(t, 4)
	w.feed(t, "orders", 2, "c0")
	a.poll(t, 1)
	topics := a.GetConsumeTopics()
	slices.Sort(topics)
	a.note("consumes %v", topics)
}
