package client_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// session is a program that consumes "orders", and produces what it makes of it
// to "out", in transactions.
type session struct {
	*actor
	s *kgo.GroupTransactSession
}

func (w *world) session(t *testing.T, name string) session {
	t.Helper()
	a := w.newActor(name)
	s := w.newSession(t, append(a.group(), kgo.ConsumeTopics("orders"), kgo.TransactionalID("tx-"+name),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()))...)
	a.Client = s.Client()
	return session{a, s}
}

// transform produces what it makes of the records.
func (s session) transform(t *testing.T, rs []*kgo.Record) {
	t.Helper()
	for _, r := range rs {
		out := &kgo.Record{Topic: "out", Value: append([]byte("out-"), r.Value...)}
		require.NoError(t, s.s.ProduceSync(withTimeout(t), out).FirstErr())
	}
}

func (s session) end(t *testing.T, try kgo.TransactionEndTry) bool {
	t.Helper()
	committed, err := s.s.End(withTimeout(t), try)
	s.note("end: committed %v, %s", committed, class(err))
	return committed
}

// began is a session that has begun a transaction and produced in it.
func began(t *testing.T, w *world) session {
	t.Helper()
	w.topic(t, "out", 1)
	w.feed(t, "orders", 0, "a0", "a1", "a2")
	w.feed(t, "orders", 1, "b0")
	a := w.session(t, "a")
	a.owns(t, 3)
	a.note("begin: %s", class(a.s.Begin()))
	a.transform(t, a.poll(t, 4))
	a.inForce(t, append([]string{"session.timeout.ms", "request.timeout.ms"}, fetchKeys...)...)
	if w.overrides["heartbeat.interval.ms"] == shorterBeat {
		a.inForce(t, "heartbeat.interval.ms") // a longer one never is in a transactional member
	}
	return a
}

// readOut notes what a reader of committed records sees, sorted, up to a record
// that is written behind it.
func (w *world) readOut(t *testing.T) {
	t.Helper()
	w.feed(t, "out", 0, "the end")
	r := w.consumer(t, "reader", kgo.ConsumeTopics("out"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	var values []string
	for !slices.Contains(values, "the end") {
		fs := r.PollFetches(withTimeout(t))
		require.NoError(t, fs.Err())
		for _, rec := range fs.Records() {
			values = append(values, string(rec.Value))
		}
	}
	slices.Sort(values)
	r.note("read %v", values)
	r.inForce(t, fetchKeys...)
}

func sessionCommits(t *testing.T, w *world) {
	t.Helper()
	a := began(t, w)
	a.note("committed %s", w.committed(t))
	a.end(t, kgo.TryCommit)
	a.note("committed %s", w.committed(t))
	// A second one goes on behind it.
	w.feed(t, "orders", 2, "c0")
	a.note("begin: %s", class(a.s.Begin()))
	a.transform(t, a.poll(t, 1))
	a.end(t, kgo.TryCommit)
	a.note("committed %s", w.committed(t))
	w.stable(t, 1)
	w.readOut(t)
}

func sessionAborts(t *testing.T, w *world) {
	t.Helper()
	a := began(t, w)
	a.end(t, kgo.TryAbort)
	a.note("committed %s", w.committed(t))
	// All comes again.
	a.note("begin: %s", class(a.s.Begin()))
	a.note("begin twice fails: %v", a.s.Begin() != nil)
	a.transform(t, a.poll(t, 4))
	a.end(t, kgo.TryCommit)
	a.note("committed %s", w.committed(t))
	w.stable(t, 1)
	w.readOut(t)
}

func sessionRebalanced(t *testing.T, w *world) {
	t.Helper()
	a := began(t, w)
	b := w.member(t, "b", kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit())
	a.sees(t, "revoked", 1)
	b.sees(t, "assigned", 1)
	a.end(t, kgo.TryCommit)
	a.note("committed %s", w.committed(t))
	// The other one goes, and the session does all of it again.
	b.inForce(t, groupKeys...)
	b.Close()
	a.owns(t, 3)
	w.stable(t, 1)
	for again := true; again; {
		require.NoError(t, a.s.Begin())
		rs := a.PollFetches(withTimeout(t)).Records()
		a.transform(t, rs)
		_, err := a.s.End(withTimeout(t), kgo.TryCommit)
		require.NoError(t, err)
		again = w.committed(t) != "[orders/0=3 orders/1=1]"
	}
	a.note("committed %s", w.committed(t))
	w.readOut(t)
}
