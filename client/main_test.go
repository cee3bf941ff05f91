package client_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const pushKey = 902

// patience bounds every wait of a test. It is no measure of speed: a test that
// needs it all has failed.
const patience = 30 * time.Second

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// cluster starts a reference broker with a policy that accepts everything, and
// the topic "orders" with three partitions.
func cluster(t *testing.T, opts ...fakebroker.Option) *fakebroker.Cluster {
	t.Helper()
	opts = append([]fakebroker.Option{
		fakebroker.Policy(&fakebroker.RecordPolicy{}),
		fakebroker.Topics(3, "orders"),
	}, opts...)
	c, err := fakebroker.New(opts...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// seeds returns the kgo option for a cluster, and what else a test wants.
func seeds(c *fakebroker.Cluster, opts ...kgo.Opt) []kgo.Opt {
	return append([]kgo.Opt{kgo.SeedBrokers(c.Addrs()...)}, opts...)
}

// newClient makes a client that is closed with the test.
func newClient(t *testing.T, kopts []kgo.Opt, opts ...client.Option) *client.Client {
	t.Helper()
	cl, err := client.New(kopts, opts...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

// produce produces n records to "orders", with their number as value.
func produce(t *testing.T, cl *kgo.Client, n int) {
	t.Helper()
	ctx := withTimeout(t)
	for i := range n {
		cl.Produce(ctx, &kgo.Record{Topic: "orders", Value: fmt.Append(nil, i)}, func(_ *kgo.Record, err error) {
			if err != nil {
				t.Errorf("record %d: %v", i, err)
			}
		})
	}
	require.NoError(t, cl.Flush(ctx))
}

// consume polls until n records came, and requires that each came once.
func consume(t *testing.T, cl *kgo.Client, n int) {
	t.Helper()
	ctx := withTimeout(t)
	seen := make(map[string]int)
	for len(seen) < n {
		fs := cl.PollFetches(ctx)
		require.NoError(t, ctx.Err(), "%d of %d records", len(seen), n)
		require.NoError(t, fs.Err())
		fs.EachRecord(func(r *kgo.Record) { seen[string(r.Value)]++ })
	}
	for v, times := range seen {
		require.Equal(t, 1, times, "record %s", v)
	}
}

// logger keeps log lines.
type logger struct {
	mu    sync.Mutex
	lines []string
}

func (*logger) Level() kgo.LogLevel { return kgo.LogLevelDebug }

func (l *logger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprint(level, " ", msg, " ", keyvals))
}

// about returns the lines that hold a text.
func (l *logger) about(text string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			out = append(out, line)
		}
	}
	return out
}

// told returns the lines of ours that an application sees which does not log
// debug lines.
func (l *logger) told() []string {
	var out []string
	for _, line := range l.about("kcfg: ") {
		if !strings.HasPrefix(line, "DEBUG ") {
			out = append(out, line)
		}
	}
	return out
}

// eventually waits for a condition that no event of the cluster announces.
func eventually(t *testing.T, condition func() bool, what string) {
	t.Helper()
	require.Eventually(t, condition, patience, 2*time.Millisecond, what)
}
