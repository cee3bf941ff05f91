package client_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// kgoBeats counts the heartbeats that kgo wrote, as far as it knows: its own, and
// those that are added.
type kgoBeats struct{ written atomic.Int64 }

func (b *kgoBeats) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	if key == int16(kmsg.Heartbeat) && err == nil {
		b.written.Add(1)
	}
}

// swallowed returns how many of them no broker saw. One that is on its way counts
// for a moment.
func (b *kgoBeats) swallowed(c *fakebroker.Cluster) int {
	came := c.Count(fakebroker.AnyNode, int16(kmsg.Heartbeat))
	return int(b.written.Load()) - came
}

// outcome is what a transaction came to.
type outcome struct {
	committed bool
	err       string
	sent      bool // the broker was told to commit
}

// transactions is a session that moves the one record of "orders" to "out".
type transactions struct {
	*kgo.GroupTransactSession
	c     *fakebroker.Cluster
	tries int

	mu   sync.Mutex
	ends []bool // what the broker was told
}

func newTransactions(t *testing.T, c *fakebroker.Cluster, opts ...kgo.Opt) *transactions {
	t.Helper()
	x := &transactions{c: c}
	c.Kfake().ControlKey(int16(kmsg.EndTxn), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		x.mu.Lock()
		defer x.mu.Unlock()
		x.ends = append(x.ends, req.(*kmsg.EndTxnRequest).Commit)
		return nil, nil, false
	})
	s, err := kgo.NewGroupTransactSession(append(opts, seeds(c, kgo.TransactionalID("tx"), kgo.ConsumerGroup("g"),
		kgo.ConsumeTopics("orders"), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.DefaultProduceTopic("out"))...)...)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	x.GroupTransactSession = s
	return x
}

// consume waits for the record.
func (x *transactions) consume(t *testing.T) {
	t.Helper()
	for ctx := withTimeout(t); ; require.NoError(t, ctx.Err()) {
		if x.PollFetches(ctx).NumRecords() > 0 {
			return
		}
	}
}

// try does one transaction with the record that was consumed.
func (x *transactions) try(t *testing.T) outcome {
	t.Helper()
	ctx := withTimeout(t)
	require.NoError(t, x.Begin())
	x.tries++
	require.NoError(t, x.ProduceSync(ctx, kgo.StringRecord(fmt.Sprint("try ", x.tries))).FirstErr())
	var o outcome
	var err error
	o.committed, err = x.End(ctx, kgo.TryCommit)
	if err != nil {
		o.err = err.Error()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	require.NotEmpty(t, x.ends)
	o.sent = x.ends[len(x.ends)-1]
	return o
}

// expire removes the member of the group once the broker has taken the offsets of
// its transaction, and before the client hears of that. The returned function
// waits until it is done.
func expire(t *testing.T, x *transactions) (done func()) {
	t.Helper()
	member, _ := x.Client().GroupMetadata()
	require.NotEmpty(t, member)
	came, left, answered := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	x.c.Script(fakebroker.Fault{Keys: []int16{int16(kmsg.TxnOffsetCommit)}, Hold: left})
	x.c.Kfake().ControlKey(int16(kmsg.TxnOffsetCommit), func(kmsg.Request) (kmsg.Response, error, bool) {
		x.c.Kfake().DropControl()
		close(came) // kfake serves one request after the other: the next comes behind this one
		return nil, nil, false
	})
	other, err := kgo.NewClient(seeds(x.c)...)
	require.NoError(t, err)
	t.Cleanup(other.Close)
	ctx := withTimeout(t)
	go func() {
		defer close(left)
		select {
		case <-came:
			answered <- leave(ctx, other, member)
		case <-ctx.Done():
			answered <- context.Cause(ctx)
		}
	}()
	return func() { require.NoError(t, <-answered) }
}

func leave(ctx context.Context, cl *kgo.Client, member string) error {
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = "g"
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID = member
	req.Members = append(req.Members, m)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	for _, m := range resp.Members {
		if m.ErrorCode != 0 {
			return kerr.ErrorForCode(m.ErrorCode)
		}
	}
	return kerr.ErrorForCode(resp.ErrorCode)
}

// committedValues are the values in "out" that a consumer of committed records
// sees. It reads up to a record of its own behind them.
func committedValues(t *testing.T, c *fakebroker.Cluster) (values []string) {
	t.Helper()
	cl, err := kgo.NewClient(seeds(c, kgo.ConsumeTopics("out"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))...)
	require.NoError(t, err)
	defer cl.Close()
	ctx := withTimeout(t)
	last := &kgo.Record{Topic: "out", Value: []byte("last")}
	require.NoError(t, cl.ProduceSync(ctx, last).FirstErr())
	require.Positive(t, last.Offset, "there is something before it")
	for {
		fs := cl.PollFetches(ctx)
		require.NoError(t, fs.Err())
		for _, r := range fs.Records() {
			if string(r.Value) == "last" {
				return values
			}
			values = append(values, string(r.Value))
		}
	}
}

// longBeats are heartbeats five times as long as the client's own, which no test
// here waits for: what reaches the broker in a transaction is what kgo forces.
var longBeats = []kcfg.Op{kcfg.Set("heartbeat.interval.ms", "20000")}

func sessionOf(t *testing.T, instrumented bool) *transactions {
	t.Helper()
	c := overriding(t, fakebroker.Topics(1, "out"))
	set(t, c, longBeats...)
	feed, err := kgo.NewClient(seeds(c)...)
	require.NoError(t, err)
	defer feed.Close()
	produce(t, feed, 1)
	opts := []kgo.Opt{kgo.HeartbeatInterval(4 * time.Second)}
	if !instrumented {
		x := newTransactions(t, c, opts...)
		x.consume(t)
		return x
	}
	p := client.NewPlugin()
	x := newTransactions(t, c, append(p.Opts(), opts...)...)
	x.consume(t)
	require.NoError(t, p.RefreshConfigs(withTimeout(t)))
	k := state(t, p.Status(), "heartbeat.interval.ms")
	require.Equal(t, "20000", *k.Wished)
	require.Equal(t, kcfg.OverrideNotApplicable, k.State)
	require.Contains(t, k.Reason, "transactional id")
	return x
}

// End of a session forces a heartbeat after it sent the offsets, and commits if
// the answer is good. One given here would commit what another member does again.
func TestASessionWhoseMemberExpiredBeforeTheEndAbortsAsOnABareClient(t *testing.T) {
	abort := func(t *testing.T, instrumented bool) outcome {
		t.Helper()
		x := sessionOf(t, instrumented)
		expired := expire(t, x)
		first := x.try(t)
		expired()
		last := first
		for !last.committed { // kgo may hear of the expulsion once more
			require.Empty(t, last.err)
			x.consume(t)
			last = x.try(t)
		}
		assert.True(t, last.sent)
		require.Greater(t, x.tries, 1, "the first one did not commit")
		assert.Equal(t, []string{fmt.Sprint("try ", x.tries)}, committedValues(t, x.c), "the first try left nothing")
		return first
	}
	bare, ours := abort(t, false), abort(t, true)
	assert.Equal(t, outcome{}, bare, "not committed, no error, and the broker was told to abort")
	assert.Equal(t, bare, ours)
}

func TestASessionWithALongerHeartbeatCommitsAsOnABareClient(t *testing.T) {
	commit := func(t *testing.T, instrumented bool) outcome {
		t.Helper()
		x := sessionOf(t, instrumented)
		o := x.try(t)
		assert.Equal(t, []string{"try 1"}, committedValues(t, x.c))
		return o
	}
	bare, ours := commit(t, false), commit(t, true)
	assert.Equal(t, outcome{committed: true, sent: true}, bare)
	assert.Equal(t, bare, ours)
}

// steadyBeats runs a member with a heartbeat of 100ms and an override five times
// as long until enough holds. It returns how many heartbeats kgo wrote, and how
// many no broker saw, from the first to the last one.
func steadyBeats(t *testing.T, enough func(written, swallowed int) bool, opts ...kgo.Opt) (written, swallowed int) {
	t.Helper()
	c := overriding(t)
	set(t, c, kcfg.Set("heartbeat.interval.ms", "500"))
	b := &kgoBeats{}
	p := client.NewPlugin()
	s, err := kgo.NewGroupTransactSession(append(append(p.Opts(), opts...), seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"),
		kgo.HeartbeatInterval(100*time.Millisecond), kgo.WithHooks(b))...)...)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, p.RefreshConfigs(withTimeout(t)))
	require.Equal(t, "500", *state(t, p.Status(), "heartbeat.interval.ms").Wished, "the client knows of it")
	eventually(t, func() bool { return enough(int(b.written.Load()), b.swallowed(c)) }, "heartbeats")
	s.Close() // which leaves the group, on the connection of the heartbeats
	return int(b.written.Load()), b.swallowed(c)
}

func TestNoHeartbeatOfAClientWithATransactionalIDIsKeptFromTheBroker(t *testing.T) {
	written, swallowed := steadyBeats(t, func(_, swallowed int) bool { return swallowed > 10 }) // one may be on its way
	assert.GreaterOrEqual(t, swallowed, 10, "without one, of %d: the override is one that keeps heartbeats back", written)
	written, swallowed = steadyBeats(t, func(written, _ int) bool { return written >= 20 }, kgo.TransactionalID("tx"))
	assert.Zero(t, swallowed, "of %d", written)
}
