package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ordered is a member that has polled three records of orders/0 and two of
// orders/1.
func ordered(t *testing.T, w *world, opts ...kgo.Opt) (a *actor, polled []*kgo.Record) {
	t.Helper()
	w.feed(t, "orders", 0, "a0", "a1", "a2")
	w.feed(t, "orders", 1, "b0", "b1")
	a = w.member(t, "a", append(opts, kgo.ConsumeTopics("orders"))...)
	a.owns(t, 3)
	a.inForce(t, groupKeys...)
	return a, a.poll(t, 5)
}

func seeks(t *testing.T, w *world) {
	t.Helper()
	a, _ := ordered(t, w, kgo.DisableAutoCommit())
	to := func(offset int64) {
		a.SetOffsets(map[string]map[int32]kgo.EpochOffset{"orders": {0: {Epoch: -1, Offset: offset}}})
	}
	to(1)
	a.poll(t, 2)
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
	// Forwards, past two that nobody polled.
	w.feed(t, "orders", 0, "a3", "a4", "a5")
	to(5)
	a.poll(t, 1)
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
	to(0)
	a.poll(t, 6)
	a.note("committed %s", w.committed(t))
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
	w.stable(t, 1)
}

func commitsByHand(t *testing.T, w *world) {
	t.Helper()
	a, polled := ordered(t, w, kgo.DisableAutoCommit())
	a.note("committed %s", w.committed(t))
	for _, r := range polled {
		if r.Offset == 0 {
			a.note("commit of %s: %s", r.Value, class(a.CommitRecords(withTimeout(t), r)))
		}
	}
	a.note("committed %s", w.committed(t))
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
	a.note("nothing left: %d", len(a.UncommittedOffsets()))
	// Who comes after goes on from there.
	a.Close()
	w.feed(t, "orders", 0, "a3")
	b := w.member(t, "b", kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit())
	b.owns(t, 3)
	b.inForce(t, groupKeys...)
	b.poll(t, 1)
	w.stable(t, 1)
}

func commitsMarks(t *testing.T, w *world) {
	t.Helper()
	a, polled := ordered(t, w, kgo.AutoCommitMarks(), kgo.AutoCommitInterval(100*time.Millisecond))
	marked := 0
	for _, r := range polled {
		if r.Partition == 0 && r.Offset < 2 {
			a.MarkCommitRecords(r)
			marked++
		}
	}
	require.Equal(t, 2, marked)
	eventually(t, func() bool { return w.committed(t) == "[orders/0=2]" }, "the mark is committed")
	// The rest is committed neither by time nor by a poll.
	w.feed(t, "orders", 1, "b2")
	a.poll(t, 1)
	a.note("committed %s", w.committed(t))
	for _, r := range polled {
		if r.Partition == 1 {
			a.MarkCommitRecords(r)
		}
	}
	a.note("marked commit: %s", class(a.CommitMarkedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
	a.Close()
	a.note("committed %s", w.committed(t))
	b := w.member(t, "b", kgo.ConsumeTopics("orders"))
	b.owns(t, 3)
	b.inForce(t, groupKeys...)
	b.poll(t, 2) // a2 and b2, which nobody marked
}

// commitAs commits with a member id and generation that the program kept.
func (w *world) commitAs(t *testing.T, cl *kgo.Client, member string, generation int32) error {
	t.Helper()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation = "g", member, generation
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = "orders", w.c.Kfake().TopicInfo("orders").TopicID
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Offset = 99
	topic.Partitions = append(topic.Partitions, p)
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(withTimeout(t), cl)
	if err != nil {
		return err
	}
	var errs []error
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			errs = append(errs, kerr.ErrorForCode(p.ErrorCode))
		}
	}
	return errors.Join(errs...)
}

// The member is kept from learning of its removal until it has committed.
func commitsAfterItsRemoval(t *testing.T, w *world) {
	t.Helper()
	a, polled := ordered(t, w, kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll())
	a.note("commit of one: %s", class(a.CommitRecords(withTimeout(t), polled[0])))
	id, generation := a.GroupMetadata()
	w.remove(t, id)
	a.waits(t)
	a.note("commit of all: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("commit of records: %s", class(a.CommitRecords(withTimeout(t), polled...)))
	a.note("committed %s", w.committed(t))
	a.AllowRebalance()
	a.sees(t, "lost", 1)
	a.sees(t, "assigned", 2)
	again := w.stable(t, 1)
	a.note("another id: %v", again.Members[0].MemberID != id)
	a.note("commit with the old id: %s", class(w.commitAs(t, a.Client, id, generation)))
	a.note("commit with the old generation: %s", class(w.commitAs(t, a.Client, again.Members[0].MemberID, again.Epoch-1)))
	a.inForce(t, groupKeys...)
	// What it could not commit comes again.
	a.AllowRebalance()
	a.poll(t, 4)
	a.note("commit: %s", class(a.CommitUncommittedOffsets(withTimeout(t))))
	a.note("committed %s", w.committed(t))
	a.AllowRebalance()
}
