package client_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// Every way to close, before the first connection, during an unanswered push,
// and after one; goleak sees to it that no goroutine is left by any.
func TestCloseEndsEverythingInEveryWayAndStage(t *testing.T) {
	ways := map[string]func(*client.Client){
		"Close":                  func(cl *client.Client) { cl.Close() },
		"CloseAllowingRebalance": func(cl *client.Client) { cl.CloseAllowingRebalance() },
		"the embedded client":    func(cl *client.Client) { cl.Client.Close() },
		"twice":                  func(cl *client.Client) { cl.Close(); cl.Close() },
		"both":                   func(cl *client.Client) { cl.Client.Close(); cl.Close() },
		"at the same time": func(cl *client.Client) {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(cl.Close)
			}
			wg.Wait()
		},
	}
	stages := map[string]func(*testing.T, *fakebroker.Cluster, *client.Client){
		"before the first connection": func(*testing.T, *fakebroker.Cluster, *client.Client) {},
		"during a push": func(t *testing.T, c *fakebroker.Cluster, cl *client.Client) {
			t.Helper()
			c.Script(fakebroker.Fault{Never: true, Count: -1})
			require.NoError(t, cl.Ping(withTimeout(t)))
			require.NoError(t, c.WaitRequests(withTimeout(t), 1))
		},
		"between two tries": func(t *testing.T, c *fakebroker.Cluster, cl *client.Client) {
			t.Helper()
			c.Script(fakebroker.Fault{Close: fakebroker.CloseOnReceipt, Count: -1})
			require.NoError(t, cl.Ping(withTimeout(t)))
			require.NoError(t, c.WaitRequests(withTimeout(t), 1))
		},
		"after a push": func(t *testing.T, _ *fakebroker.Cluster, cl *client.Client) {
			t.Helper()
			require.NoError(t, cl.PushConfig(withTimeout(t)))
		},
	}
	for stage, reach := range stages {
		for way, end := range ways {
			t.Run(stage+", "+way, func(t *testing.T) {
				c := cluster(t)
				cl, err := client.New(seeds(c), client.RetryBackoff(time.Hour, time.Hour), client.PushTimeout(24*time.Hour))
				require.NoError(t, err)
				reach(t, c, cl)
				start := time.Now()
				end(cl)
				assert.Less(t, time.Since(start), slowest)
				require.ErrorIs(t, cl.PushConfig(withTimeout(t)), cfgerrors.ErrClosed)
				assert.Equal(t, kcfg.PushClosed, cl.Status().Push.State)
				assert.Zero(t, cl.Status().Connections.Open)
			})
		}
	}
}

func TestACallerOfPushConfigIsReleasedByClose(t *testing.T) {
	c := cluster(t)
	c.Script(fakebroker.Fault{Never: true, Count: -1})
	cl := newClient(t, seeds(c))
	result := make(chan error, 1)
	go func() { result <- cl.PushConfig(context.WithoutCancel(t.Context())) }()
	require.NoError(t, c.WaitRequests(withTimeout(t), 1))
	cl.Close()
	require.ErrorIs(t, <-result, cfgerrors.ErrClosed)
}

func TestTheEndOfTheClientsContextEndsThePlugin(t *testing.T) {
	c := cluster(t)
	ctx, cancel := context.WithCancel(t.Context())
	p := client.NewPlugin()
	cl, err := kgo.NewClient(append(p.Opts(), seeds(c, kgo.WithContext(ctx))...)...)
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, p.PushConfig(withTimeout(t)))
	cancel()
	eventually(t, func() bool { return p.Status().Push.State == kcfg.PushClosed }, "closed")
}

func TestPushConfigWithoutABrokerReturnsWhy(t *testing.T) {
	c := cluster(t)
	kopts := seeds(c)
	c.Close()
	cl := newClient(t, kopts)
	err := cl.PushConfig(withTimeout(t))
	require.ErrorContains(t, err, "connect")
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.Error(t, cl.PushConfig(ctx))
}

func TestAtRestAClientHasAtMostTwoGoroutinesMoreThanBare(t *testing.T) {
	c := cluster(t)
	const n = 20
	goroutines := func(newOne func() *kgo.Client) int {
		runtime.GC()
		before := runtime.NumGoroutine()
		for range n {
			defer newOne().Close()
		}
		// What a connection needs at its start is gone when the count stays.
		last := -1
		eventually(t, func() bool {
			now := runtime.NumGoroutine()
			same := now == last
			last = now
			runtime.Gosched()
			return same
		}, "at rest")
		return last - before
	}
	bare := goroutines(func() *kgo.Client {
		cl, err := kgo.NewClient(seeds(c)...)
		require.NoError(t, err)
		require.NoError(t, cl.Ping(withTimeout(t)))
		return cl
	})
	ours := goroutines(func() *kgo.Client {
		cl, err := client.New(seeds(c))
		require.NoError(t, err)
		require.NoError(t, cl.PushConfig(withTimeout(t)))
		return cl.Client
	})
	assert.LessOrEqual(t, ours-bare, 2*n)
	assert.GreaterOrEqual(t, ours-bare, n, "the count works: one goroutine is the pusher's")
}
