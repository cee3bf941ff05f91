//go:build soak

package integration_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// traffic counts what goes over connections.
type traffic struct{ conns, in, out atomic.Int64 }

func (c *traffic) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c.conns.Add(1)
	return &countedConn{conn, c}, nil
}

type countedConn struct {
	net.Conn
	c *traffic
}

func (c *countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.c.in.Add(int64(n))
	return n, err
}

func (c *countedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.c.out.Add(int64(n))
	return n, err
}

// take returns what was counted, and begins again.
func (c *traffic) take() (conns, in, out int64) {
	return c.conns.Swap(0), c.in.Swap(0), c.out.Swap(0)
}

const (
	scaleUsers = 1000
	scaleKeys  = 10 // of each user: half of them for one of its client ids
)

// fill sets 10,000 dynamic configurations of 1,000 users.
func fill(t *testing.T, s store) {
	t.Helper()
	ops := []kcfg.Op{
		kcfg.Set("acks", "1"), kcfg.Set("session.timeout.ms", "30000"), kcfg.Set("heartbeat.interval.ms", "3000"),
		kcfg.Set("fetch.max.wait.ms", "500"), kcfg.Set("fetch.min.bytes", "1"),
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	for first := 0; first < scaleUsers; first += 100 {
		var alterations []kcfg.Alteration
		for n := first; n < first+100; n++ {
			user := kcfg.User(fmt.Sprintf("user-%04d", n))
			alterations = append(alterations, kcfg.Alter(user, ops...), kcfg.Alter(user.Client("orders"), ops...))
		}
		out, err := s.AlterClientConfigs(ctx, alterations...)
		require.NoError(t, err)
		for _, o := range out {
			require.NoError(t, o.Err)
		}
	}
}

func TestSoakScaleOfAPoll(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	fill(t, s)
	n := &traffic{}
	id := name(t)
	cl := ours(t, []kgo.Opt{kgo.SeedBrokers(c.Addrs()...), kgo.ClientID(id)}, append(s.where(),
		client.Dialer(n.dial), client.Principal("user-0042"), client.DisableConfigsPush(), client.PollInterval(time.Hour))...)
	require.NoError(t, cl.Ping(withTimeout(t)))
	eventually(t, func() bool { return cl.Status().Dynamic.Polls == 1 }, "the first poll")
	n.take()
	// The reader keeps its place, so a second client measures the first read.
	second := ours(t, []kgo.Opt{kgo.SeedBrokers(c.Addrs()...), kgo.ClientID(id + "-2")}, append(s.where(),
		client.Dialer(n.dial), client.Principal("user-0042"), client.DisableConfigsPush(), client.PollInterval(time.Hour))...)
	start := time.Now()
	require.NoError(t, second.RefreshConfigs(withTimeout(t)))
	took := time.Since(start)
	conns, in, out := n.take()
	t.Logf("first read of %d records of %d users in 12 partitions: %v, %d connections, %d bytes in, %d out (of them some of kgo's own first connection)",
		scaleUsers*scaleKeys, scaleUsers, took.Round(time.Millisecond), conns, in, out)

	requests := func() int {
		all, err := c.Requests(id)
		require.NoError(t, err)
		return len(all)
	}
	before := 0
	eventually(t, func() bool { now := requests(); same := now == before; before = now; return same && now > 0 }, "the log is complete")
	const polls = 20
	n.take()
	start = time.Now()
	for range polls {
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	}
	took = time.Since(start)
	conns, in, out = n.take()
	last := 0
	eventually(t, func() bool { now := requests(); same := now == last; last = now; return same }, "the log is complete")
	t.Logf("a poll with nothing new: %v, %.1f connections, %.1f requests, ApiVersions of each connection among them, %d bytes in, %d out",
		(took / polls).Round(10*time.Microsecond), float64(conns)/polls, float64(last-before)/polls, in/polls, out/polls)
	t.Logf("memory kept by a client: %s", kept(t, c, s))
}

// kept tells how much more memory a client has that polls over topics.
func kept(t *testing.T, c *kafkatest.Cluster, s store) string {
	t.Helper()
	const clients = 100
	heap := func(opts ...client.Option) uint64 {
		var all []*client.Client
		for n := range clients {
			cl, err := client.New([]kgo.Opt{kgo.SeedBrokers(c.Addrs()...)}, append(opts, client.Principal(fmt.Sprintf("user-%04d", n)), client.DisableConfigsPush())...)
			require.NoError(t, err)
			require.NoError(t, cl.Ping(withTimeout(t)))
			all = append(all, cl)
		}
		for _, cl := range all {
			_ = cl.RefreshConfigs(withTimeout(t)) // unsupported without topics
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		for _, cl := range all {
			cl.Close()
		}
		return m.HeapAlloc
	}
	without := heap()
	with := heap(s.where()...)
	return fmt.Sprintf("%d bytes more than without a transport (%d clients)", (int64(with)-int64(without))/clients, clients)
}

// seconds counts events by the second.
type seconds struct {
	mu sync.Mutex
	n  map[int64]int
}

func (s *seconds) OnPolled(context.Context, kcfg.Polled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n[time.Now().Unix()]++
}

func TestSoakScaleOfAThousandClients(t *testing.T) {
	const clients, interval, intervals = 1000, 20 * time.Second, 5
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	h := &seconds{n: make(map[int64]int)}
	n := &traffic{}
	var all []*client.Client
	start := time.Now()
	for i := range clients {
		cl, err := client.NewProducer([]kgo.Opt{kgo.SeedBrokers(c.Addrs()...), kgo.ClientID(fmt.Sprint("fleet-", i))},
			append(s.where(), client.Dialer(n.dial), client.Principal("fleet"), client.PollInterval(interval), client.WithHooks(h))...)
		require.NoError(t, err)
		all = append(all, cl)
	}
	defer func() {
		var wg sync.WaitGroup
		for _, cl := range all {
			wg.Go(cl.Close)
		}
		wg.Wait()
	}()
	var wg sync.WaitGroup
	for _, cl := range all {
		wg.Go(func() { _ = cl.Ping(context.Background()) })
	}
	wg.Wait()
	for _, cl := range all {
		require.Eventually(t, func() bool { st := cl.Status(); return st.Dynamic.Polls > 0 && st.Push.Pushes > 0 }, 5*time.Minute, poll)
	}
	up := time.Since(start)
	conns, in, out := n.take()
	t.Logf("the start of %d clients at once: %v until each had read and written; %d connections, %d bytes in, %d out", clients, up.Round(time.Millisecond), conns, in, out)

	h.mu.Lock()
	h.n = make(map[int64]int)
	h.mu.Unlock()
	begin := time.Now()
	<-time.After(intervals * interval)
	took := time.Since(begin)
	conns, in, out = n.take()
	h.mu.Lock()
	total, busiest := 0, 0
	for _, n := range h.n {
		total += n
		busiest = max(busiest, n)
	}
	h.mu.Unlock()
	mean := float64(total) / took.Seconds()
	t.Logf("%d clients, %d intervals of %v: %d polls, %.1f a second in the mean, %d in the busiest second (%.1f times); %d connections, %d bytes in, %d out",
		clients, intervals, interval, total, mean, busiest, float64(busiest)/mean, conns, in, out)
	require.GreaterOrEqual(t, total, clients*(intervals-1))
	require.Less(t, float64(busiest), 10*mean)
	for _, cl := range all {
		require.NoError(t, cl.Status().Dynamic.Err)
	}
}
