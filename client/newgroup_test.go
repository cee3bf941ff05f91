package client_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// written keeps what a client writes to its sockets.
type written struct {
	mu    sync.Mutex
	conns []*writtenConn
}

type writtenConn struct {
	net.Conn
	w     *written
	bytes []byte
}

func (w *written) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &writtenConn{Conn: conn, w: w}
	w.conns = append(w.conns, c)
	return c, nil
}

func (c *writtenConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.bytes = append(c.bytes, b[:n]...)
	return n, err
}

// frames returns the requests of an API key, each once and the first one first,
// and how many there were. What differs between two members anyway is blanked:
// the correlation id, and the ids of the group and of the member.
func (w *written) frames(t *testing.T, key int16) (distinct [][]byte, n int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	known := make(map[string]bool)
	for _, c := range w.conns {
		for b := c.bytes; len(b) >= 4; {
			size := 4 + int(binary.BigEndian.Uint32(b))
			if size > len(b) {
				break
			}
			frame := bytes.Clone(b[:size])
			b = b[size:]
			if int16(binary.BigEndian.Uint16(frame[4:])) != key {
				continue
			}
			n++
			frame = blanked(t, frame)
			if !known[string(frame)] {
				known[string(frame)] = true
				distinct = append(distinct, frame)
			}
		}
	}
	return distinct, n
}

// blanked blanks a ConsumerGroupHeartbeat or ShareGroupHeartbeat request. Both
// have flexible headers in every version.
func blanked(t *testing.T, frame []byte) []byte {
	t.Helper()
	req := kmsg.RequestForKey(int16(binary.BigEndian.Uint16(frame[4:])))
	req.SetVersion(int16(binary.BigEndian.Uint16(frame[6:])))
	clear(frame[8:12])
	body := frame[15+int(binary.BigEndian.Uint16(frame[12:])):]
	require.NoError(t, req.ReadFrom(body))
	var ids []string
	switch r := req.(type) {
	case *kmsg.ConsumerGroupHeartbeatRequest:
		ids = []string{r.Group, r.MemberID}
	case *kmsg.ShareGroupHeartbeatRequest:
		ids = []string{r.GroupID, r.MemberID}
	}
	for _, id := range ids {
		require.NotEmpty(t, id)
		frame = bytes.ReplaceAll(frame, []byte(id), bytes.Repeat([]byte("-"), len(id)))
	}
	return frame
}

// overrides that would both change the pace of a classic member.
func overrides(session, heartbeat string) []kcfg.Op {
	return []kcfg.Op{kcfg.Set("session.timeout.ms", session), kcfg.Set("heartbeat.interval.ms", heartbeat)}
}

// quickGroups makes the broker tell members of the new protocols to send a
// heartbeat each 100 ms. A share consumer of kgo sends one each second at most.
func quickGroups() fakebroker.Option {
	return fakebroker.KfakeOpts(kfake.BrokerConfigs(map[string]string{
		"group.consumer.heartbeat.interval.ms": "100",
		"group.share.heartbeat.interval.ms":    "100",
	}))
}

// poll polls until the test ends.
func poll(t *testing.T, cl *kgo.Client) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			cl.PollFetches(ctx)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// asBare requires that a member of ours, under overrides that change, writes
// what one of bare kgo does, and that there is nothing of a classic group. The
// options name a group of as long a name for each. It waits for so many
// heartbeats under each override: if the first one was obeyed there would be one.
func asBare(t *testing.T, c *fakebroker.Cluster, key int16, enough int, ours, bare []kgo.Opt) *client.Client {
	t.Helper()
	set(t, c, overrides("60000", "20000")...)
	var mine, theirs written
	cl := newClient(t, seeds(c, ours...), client.RejoinDelay(0), client.Dialer(mine.dial))
	poll(t, cl.Client)
	plain, err := kgo.NewClient(seeds(c, append(bare, kgo.Dialer(theirs.dial))...)...)
	require.NoError(t, err)
	t.Cleanup(plain.Close)
	poll(t, plain)

	written := func(w *written, n int) {
		eventually(t, func() bool { _, m := w.frames(t, key); return m >= n }, "the member is alive")
	}
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	written(&mine, enough)
	set(t, c, overrides("20000", "100")...) // shorter than kgo's own now
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	written(&mine, 2*enough)
	written(&theirs, 2*enough)

	require.Positive(t, c.Count(fakebroker.AnyNode, key), "the path ran")
	want, _ := theirs.frames(t, key)
	got, _ := mine.frames(t, key)
	assert.Equal(t, want, got)
	for _, classic := range []kmsg.Key{kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat} {
		assert.Zero(t, c.Count(fakebroker.AnyNode, int16(classic)), classic.Name())
	}
	assert.Zero(t, cl.Status().Dynamic.Rejoins)
	return cl
}

func TestAMemberByKIP848IsLeftAloneAndStatusNamesTheLever(t *testing.T) {
	c := overriding(t, quickGroups())
	opts := func(group string) []kgo.Opt {
		return []kgo.Opt{kgo.ConsumerGroup(group), kgo.ConsumeTopics("orders"), kgo.ServerSideBalancer()}
	}
	cl := asBare(t, c, int16(kmsg.ConsumerGroupHeartbeat), 15, opts("ours"), opts("bare"))
	for _, key := range []string{"session.timeout.ms", "heartbeat.interval.ms"} {
		k := state(t, cl.Status(), key)
		assert.Equal(t, kcfg.OverrideNotApplicable, k.State)
		assert.Contains(t, k.Reason, "consumer."+key)
		assert.Nil(t, k.InForce, "the client has none")
		err, ok := cl.WaitApplied(withTimeout(t), key).(*dynconfig.NotAppliedError) //nolint:errorlint // as it is returned
		require.True(t, ok)
		assert.Equal(t, k.Reason, err.Reason)
	}
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	last := c.Pushes()[len(c.Pushes())-1]
	assert.NotContains(t, got(last), "session.timeout.ms")
}

func TestAShareConsumerIsLeftAlone(t *testing.T) {
	opts := func(group string) []kgo.Opt {
		return []kgo.Opt{kgo.ShareGroup(group), kgo.ConsumeTopics("orders")}
	}
	t.Run("it has nothing to change", func(t *testing.T) {
		c := overriding(t, quickGroups())
		cl := asBare(t, c, int16(kmsg.ShareGroupHeartbeat), 2, opts("ours"), opts("bare"))
		assert.Equal(t, kcfg.DynamicNothing, cl.Status().Dynamic.State)
		require.True(t, isA[*dynconfig.NotAppliedError](cl.WaitApplied(withTimeout(t), "session.timeout.ms")))
	})
	t.Run("as a producer too", func(t *testing.T) {
		c := overriding(t)
		producer := func(group string) []kgo.Opt { return append(opts(group), kgo.DisableIdempotentWrite()) }
		set(t, c, kcfg.Set("acks", "1"))
		cl, err := client.New(seeds(c, producer("sold")...), client.WithKind(kcfg.KindProducer))
		require.NoError(t, err)
		defer cl.Close()
		poll(t, cl.Client)
		set(t, c, overrides("20000", "100")...)
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		produce(t, cl.Client, 10)
		require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"), "the path ran")
		for _, key := range []string{"session.timeout.ms", "heartbeat.interval.ms"} {
			k := state(t, cl.Status(), key)
			assert.Equal(t, kcfg.OverrideNotApplicable, k.State)
			assert.Contains(t, k.Reason, "share."+key)
		}
	})
}

// Only JoinGroup can carry something that is worth waiting for.
func TestAMemberByKIP848DoesNotWaitForTheFirstAnswer(t *testing.T) {
	c := overriding(t)
	c.Script(fakebroker.Fault{Keys: []int16{900}, Never: true, Count: -1})
	m := newMember(t, c, []kgo.Opt{kgo.ServerSideBalancer()}, client.InitialFetchTimeout(time.Hour))
	steady(t, []*member{m}, 3)
	assert.Positive(t, c.Count(fakebroker.AnyNode, int16(kmsg.ConsumerGroupHeartbeat)))
	assert.Zero(t, c.Count(fakebroker.AnyNode, int16(kmsg.JoinGroup)))
	assert.Zero(t, m.Status().Dynamic.Polls, "it is yet to be answered")
}

// The wire decides by which protocol a client is a member, and not its options.
func TestOverridesApplyToAMemberThatFellBackToTheClassicProtocol(t *testing.T) {
	c := overriding(t)
	w := watchMembers(c)
	c.Kfake().ControlKey(int16(kmsg.ConsumerGroupHeartbeat), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		resp := req.ResponseKind().(*kmsg.ConsumerGroupHeartbeatResponse)
		resp.ErrorCode = kerr.UnsupportedVersion.Code
		return resp, nil, true
	})
	set(t, c, kcfg.Set("session.timeout.ms", "20000"))
	m := newMember(t, c, []kgo.Opt{kgo.ServerSideBalancer(), kgo.HeartbeatInterval(100 * time.Millisecond)}, client.RejoinDelay(0))
	require.NoError(t, c.Wait(withTimeout(t), func() bool { return c.Count(fakebroker.AnyNode, int16(kmsg.JoinGroup)) > 0 }))
	require.Positive(t, c.Count(fakebroker.AnyNode, int16(kmsg.ConsumerGroupHeartbeat)), "the path ran")
	inForce(t, m, "session.timeout.ms", kcfg.OverrideApplied, "20000")
	steady(t, []*member{m}, 3)
	assert.Equal(t, int32(20000), w.last(m))
	_, _, lost := m.counts()
	assert.Zero(t, lost)
}
