package client_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// groupKeys and fetchKeys are the overrides that come into force in a member of a
// group, and in any consumer.
var (
	fetchKeys = []string{"fetch.max.wait.ms", "fetch.min.bytes"}
	groupKeys = append([]string{"session.timeout.ms", "heartbeat.interval.ms"}, fetchKeys...)
)

// actor is one program of a scenario, with its client.
type actor struct {
	*kgo.Client
	w       *world
	name    string
	mu      sync.Mutex
	owned   map[string]bool
	blocked chan struct{} // gets one for each callback that waits for AllowRebalance
}

func (w *world) newActor(name string) *actor {
	return &actor{w: w, name: name, owned: make(map[string]bool), blocked: make(chan struct{}, 100)}
}

// consumer makes a program that consumes.
func (w *world) consumer(t *testing.T, name string, opts ...kgo.Opt) *actor {
	t.Helper()
	a := w.newActor(name)
	a.Client = w.newClient(t, append(opts, kgo.ClientID(name))...)
	return a
}

// member makes a program that consumes in the group "g".
func (w *world) member(t *testing.T, name string, opts ...kgo.Opt) *actor {
	t.Helper()
	a := w.newActor(name)
	a.Client = w.newClient(t, append(a.group(), opts...)...)
	return a
}

// group are the options of a member. Its callbacks go to the trace, but for those
// without partitions: these are as many as the rounds of a rebalance that moved
// nothing of this member, and the quicker of two members decides how many it has.
// The client id is what member ids begin with, and so what balancers sort by.
func (a *actor) group() []kgo.Opt {
	note := func(what string, owned bool) func(context.Context, *kgo.Client, map[string][]int32) {
		return func(_ context.Context, _ *kgo.Client, topics map[string][]int32) {
			if len(topics) > 0 {
				a.note("%s %s", what, partitions(topics))
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			for topic, ps := range topics {
				for _, p := range ps {
					if owned {
						a.owned[fmt.Sprint(topic, "/", p)] = true
					} else {
						delete(a.owned, fmt.Sprint(topic, "/", p))
					}
				}
			}
		}
	}
	return []kgo.Opt{
		kgo.ClientID(a.name), kgo.ConsumerGroup("g"), kgo.HeartbeatInterval(200 * time.Millisecond), kgo.SessionTimeout(20 * time.Second),
		kgo.OnPartitionsAssigned(note("assigned", true)),
		kgo.OnPartitionsRevoked(note("revoked", false)),
		kgo.OnPartitionsLost(note("lost", false)),
		kgo.OnPartitionsCallbackBlocked(func(context.Context, *kgo.Client) { a.blocked <- struct{}{} }),
	}
}

func (a *actor) note(format string, args ...any) { a.w.note(a.name, format, args...) }

func (a *actor) inForce(t *testing.T, keys ...string) {
	t.Helper()
	a.w.inForce(t, a.Client, keys...)
}

// owns waits until the program has so many partitions.
func (a *actor) owns(t *testing.T, n int) {
	t.Helper()
	eventually(t, func() bool { return a.has() == n }, fmt.Sprintf("%s owns %d partitions", a.name, n))
}

// poll polls until n records came, and notes them, sorted by partition: it is the
// order within one that is promised.
func (a *actor) poll(t *testing.T, n int) (out []*kgo.Record) {
	t.Helper()
	ctx := withTimeout(t)
	for len(out) < n {
		fs := a.PollFetches(ctx)
		require.NoError(t, ctx.Err(), "%s got %d of %d records", a.name, len(out), n)
		fs.EachError(func(topic string, p int32, err error) { a.note("%s/%d: %s", topic, p, class(err)) })
		out = append(out, fs.Records()...)
	}
	slices.SortStableFunc(out, func(x, y *kgo.Record) int {
		return cmp.Or(cmp.Compare(x.Topic, y.Topic), cmp.Compare(x.Partition, y.Partition))
	})
	a.note("polled %s", byPartition(out))
	return out
}

func byPartition(rs []*kgo.Record) string {
	values := make(map[string][]string)
	for _, r := range rs {
		p := fmt.Sprint(r.Topic, "/", r.Partition)
		values[p] = append(values[p], fmt.Sprintf("%d=%s", r.Offset, r.Value))
	}
	var out []string
	for _, p := range slices.Sorted(maps.Keys(values)) {
		out = append(out, fmt.Sprint(p, values[p]))
	}
	return strings.Join(out, " ")
}

func partitions(topics map[string][]int32) string {
	var out []string
	for topic, ps := range topics {
		for _, p := range ps {
			out = append(out, fmt.Sprint(topic, "/", p))
		}
	}
	slices.Sort(out)
	return fmt.Sprint(out)
}

// topic makes a topic.
func (w *world) topic(t *testing.T, name string, partitions int) {
	t.Helper()
	require.NoError(t, w.c.Kfake().CreateTopic(name, int32(partitions), nil))
}

// feed produces values to a partition, as somebody else.
func (w *world) feed(t *testing.T, topic string, partition int32, values ...string) {
	t.Helper()
	for _, v := range values {
		r := &kgo.Record{Topic: topic, Partition: partition, Value: []byte(v)}
		require.NoError(t, w.operator.ProduceSync(withTimeout(t), r).FirstErr())
	}
}

// committed returns what the group has committed, as the brokers have it.
func (w *world) committed(t *testing.T) string {
	t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = "g"
	resp, err := req.RequestWith(withTimeout(t), w.operator)
	require.NoError(t, err)
	var out []string
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			require.Zero(t, p.ErrorCode)
			out = append(out, fmt.Sprintf("%s/%d=%d", topic.Topic, p.Partition, p.Offset))
		}
	}
	slices.Sort(out)
	return fmt.Sprint(out)
}

// stable waits until the group rests with so many members, and notes its
// generation.
func (w *world) stable(t *testing.T, members int) *kfake.GroupInfo {
	t.Helper()
	info, err := w.c.Kfake().WaitGroupStable(withTimeout(t), "g", members)
	require.NoError(t, err)
	w.note("group", "%d members in generation %d", members, info.Epoch)
	return info
}

// remove removes a member from the group, as an operator would.
func (w *world) remove(t *testing.T, memberID string) {
	t.Helper()
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = "g"
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID = memberID
	req.Members = append(req.Members, m)
	resp, err := req.RequestWith(withTimeout(t), w.operator)
	require.NoError(t, err)
	require.Zero(t, resp.ErrorCode)
	require.Len(t, resp.Members, 1)
	require.Zero(t, resp.Members[0].ErrorCode)
}

// sees waits until a callback came so many times.
func (a *actor) sees(t *testing.T, what string, times int) {
	t.Helper()
	eventually(t, func() bool {
		a.w.trace.mu.Lock()
		defer a.w.trace.mu.Unlock()
		n := 0
		for _, line := range a.w.notes[a.name] {
			if strings.HasPrefix(line, fmt.Sprintf("%s: %s [", a.name, what)) {
				n++
			}
		}
		return n >= times
	}, fmt.Sprintf("%s: %s %d times", a.name, what, times))
}

// has returns how many partitions the program has.
func (a *actor) has() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.owned)
}

// waits ends when a callback is kept waiting by BlockRebalanceOnPoll.
func (a *actor) waits(t *testing.T) {
	t.Helper()
	select {
	case <-a.blocked:
	case <-withTimeout(t).Done():
		require.Fail(t, "no callback waits")
	}
}

// saw reports whether a program noted something.
func (tr *trace) saw(name, what string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.ContainsFunc(tr.notes[name], func(line string) bool { return strings.HasPrefix(line, name+": "+what) })
}
