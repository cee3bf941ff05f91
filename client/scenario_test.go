package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// scenario is a program written against kgo, which keeps a trace of what it sees.
type scenario struct {
	name string
	run  func(*testing.T, *world)
}

// scenarios are deterministic: two runs of one have the same trace.
func scenarios() []scenario {
	return []scenario{
		{"a regex consumer discovers a topic", regexDiscovers},
		{"a regex consumer purges a topic", regexPurges},
		{"partitions are paused and resumed", pausesPartitions},
		{"a topic is paused and resumed", pausesTopic},
		{"a direct consumer adds and removes partitions", addsAndRemovesPartitions},
		{"a member seeks backwards and forwards", seeks},
		{"commits of records and of all that was polled", commitsByHand},
		{"marks are committed by and by", commitsMarks},
		{"a member that was removed commits", commitsAfterItsRemoval},
		{"a member that was removed joins again", joinsAfterItsRemoval},
		{"a second member joins while rebalances are blocked, cooperative", blocksCooperative},
		{"a second member joins while rebalances are blocked, eager", blocksEager},
		{"a member leaves the group", leaves},
		{"a member closes and allows the rebalance", closesAllowingRebalance},
		{"a static member restarts", restartsStatic},
		{"a session commits", sessionCommits},
		{"a session aborts", sessionAborts},
		{"a session is rebalanced between its begin and its end", sessionRebalanced},
		{"produce succeeds and fails, idempotent", producesIdempotent},
		{"produce succeeds and fails, not idempotent", producesPlain},
		{"buffered records are refused, aborted and closed upon", abortsBuffered},
	}
}

// The application of a client with overrides in force is the one that it was:
// it sees what it sees with a bare client, longer or shorter heartbeats or not.
func TestProgramsSeeTheSameWithOverridesInForce(t *testing.T) {
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			var bare []string
			t.Run("bare", func(t *testing.T) { bare = traceOf(t, s, nil) })
			for _, p := range paces() {
				t.Run(p.name, func(t *testing.T) {
					if diff := traceDiff(bare, traceOf(t, s, p.overrides)); diff != "" {
						t.Errorf("a bare client (-) and one with overrides in force (+) see different things:\n%s", diff)
					}
				})
			}
			t.Logf("the trace:\n%s", traceDiff(nil, bare))
		})
	}
}

// pace is a set of overrides.
type pace struct {
	name      string
	overrides map[string]string
}

// paces are the overrides that are in force while a scenario runs. Their
// heartbeats and waits are longer and shorter than those of the programs.
func paces() []pace {
	of := func(heartbeat, wait string) map[string]string {
		return map[string]string{
			"acks": "1", "session.timeout.ms": "12000", "heartbeat.interval.ms": heartbeat,
			"fetch.max.wait.ms": wait, "fetch.min.bytes": "2", "request.timeout.ms": "9000",
		}
	}
	return []pace{{"longer", of("400", "400")}, {"shorter", of(shorterBeat, "100")}}
}

const shorterBeat = "100"

// traceOf runs a scenario on a cluster of its own, with bare clients if there are
// no overrides.
func traceOf(t *testing.T, s scenario, overrides map[string]string) []string {
	t.Helper()
	c := overriding(t, fakebroker.Brokers(3))
	operator, err := kgo.NewClient(seeds(c, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	require.NoError(t, err)
	t.Cleanup(operator.Close)
	w := &world{c: c, operator: operator, overrides: overrides, planes: make(map[*kgo.Client]plane)}
	for key, value := range overrides {
		set(t, c, kcfg.Set(key, value))
	}
	s.run(t, w)
	require.NotZero(t, w.proofs, "no override was required to be in force")
	require.NotEmpty(t, w.lines())
	return w.lines()
}

// plane is what a scenario needs of ours to prove that overrides are in force.
type plane interface {
	Status() kcfg.Status
	RefreshConfigs(ctx context.Context) error
	WaitApplied(ctx context.Context, key string) error
}

// world is what a scenario runs in.
type world struct {
	trace
	c         *fakebroker.Cluster
	operator  *kgo.Client // a bare client, for what others do
	overrides map[string]string
	planes    map[*kgo.Client]plane
	proofs    int
}

// options are those of every client of a scenario.
func (w *world) options(opts []kgo.Opt) []kgo.Opt {
	return append(seeds(w.c, kgo.FetchMaxWait(250*time.Millisecond), kgo.MetadataMinAge(20*time.Millisecond)), opts...)
}

// ours are the options of this library.
func (w *world) ours() []client.Option {
	keys := make([]string, 0, len(w.overrides))
	for key := range w.overrides {
		keys = append(keys, key)
	}
	return []client.Option{client.AcceptOverrides(keys...)}
}

// newClient makes a client of the kind that this run is about.
func (w *world) newClient(t *testing.T, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	if w.overrides == nil {
		cl, err := kgo.NewClient(w.options(opts)...)
		require.NoError(t, err)
		t.Cleanup(cl.Close)
		return cl
	}
	cl, err := client.New(w.options(opts), w.ours()...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	w.planes[cl.Client] = cl
	return cl.Client
}

// newSession is newClient for what makes its client itself.
func (w *world) newSession(t *testing.T, opts ...kgo.Opt) *kgo.GroupTransactSession {
	t.Helper()
	opts = w.options(opts)
	p := client.NewPlugin(w.ours()...)
	if w.overrides != nil {
		opts = append(opts, p.Opts()...)
	}
	s, err := kgo.NewGroupTransactSession(opts...)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	if w.overrides != nil {
		w.planes[s.Client()] = p
	}
	return s
}

// asks waits until a client of ours knows the overrides, before it does anything:
// only a group waits for them by itself.
func (w *world) asks(t *testing.T, cl *kgo.Client) {
	t.Helper()
	if p, ok := w.planes[cl]; ok {
		require.NoError(t, p.RefreshConfigs(withTimeout(t)))
	}
}

// inForce requires that the overrides of these keys are in force in a client of
// ours, and nothing of a bare one.
func (w *world) inForce(t *testing.T, cl *kgo.Client, keys ...string) {
	t.Helper()
	w.proofs++
	if w.overrides == nil {
		return
	}
	p, ok := w.planes[cl]
	require.True(t, ok, "a client of ours")
	for _, key := range keys {
		require.NoError(t, p.WaitApplied(withTimeout(t), key))
		k := state(t, p.Status(), key)
		require.Equal(t, kcfg.OverrideApplied, k.State, key)
		require.Equal(t, w.overrides[key], *k.InForce, key)
		require.NotEqual(t, *k.Static, *k.InForce, key)
	}
}
