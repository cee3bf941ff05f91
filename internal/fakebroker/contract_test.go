package fakebroker

import (
	"bytes"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// watched is a listener of a bare kfake. It notes each Write of kfake.
type watched struct {
	net.Listener
	mu      sync.Mutex
	writes  int
	largest int
	broken  [][]byte // what was not one whole frame, cut
}

type watchedConn struct {
	net.Conn
	l *watched
}

func (l *watched) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	return &watchedConn{inner, l}, err
}

func (c *watchedConn) Write(b []byte) (int, error) {
	c.l.mu.Lock()
	c.l.writes++
	c.l.largest = max(c.l.largest, len(b))
	if !wholeFrame(b) {
		c.l.broken = append(c.l.broken, bytes.Clone(b[:min(len(b), 64)]))
	}
	c.l.mu.Unlock()
	return c.Conn.Write(b)
}

// The tap rests on this and on nothing else that kfake does not promise. If it
// breaks with a new kfake, the tap needs a parser of its own on the way back.
func TestKfakeWritesEveryAnswerAsOneWholeFrame(t *testing.T) {
	t.Parallel()
	l := &watched{}
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"),
		kfake.ListenFn(func(network, address string) (net.Listener, error) {
			inner, err := net.Listen(network, address)
			l.Listener = inner
			return l, err
		}))
	require.NoError(t, err)
	defer fake.Close()

	// Every request that kfake has, at every version, empty.
	answers := 0
	for key := range int16(200) {
		req := kmsg.RequestForKey(key)
		if req == nil {
			continue
		}
		for version := range req.MaxVersion() + 1 {
			req.SetVersion(version)
			if p, ok := req.(*kmsg.ProduceRequest); ok {
				p.Acks = 1 // 0 has no answer
			}
			conn, err := net.Dial("tcp", l.Addr().String())
			require.NoError(t, err)
			r := raw(t, conn)
			r.send(req, 1)
			if frame, err := readFrame(r); err == nil { // else kfake closed it
				require.EqualValues(t, 1, correlation(frame), "key %d version %d", key, version)
				answers++
			}
			require.NoError(t, r.Close())
		}
	}
	require.Greater(t, answers, 200)

	// And large ones: a fetch of many megabytes.
	cl, err := kgo.NewClient(kgo.SeedBrokers(l.Addr().String()), kgo.ConsumeTopics("t"),
		kgo.FetchMaxBytes(64<<20), kgo.FetchMaxPartitionBytes(64<<20), kgo.ProducerBatchCompression(kgo.NoCompression()))
	require.NoError(t, err)
	defer cl.Close()
	value := make([]byte, 900_000)
	for range 8 {
		require.NoError(t, cl.ProduceSync(testContext(t), &kgo.Record{Topic: "t", Value: value}).FirstErr())
	}
	for n := 0; n < 8; {
		fetches := cl.PollFetches(testContext(t))
		require.NoError(t, fetches.Err())
		n += fetches.NumRecords()
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	require.Empty(t, l.broken)
	require.Greater(t, l.writes, answers)
	require.Greater(t, l.largest, 4<<20)
}

func TestAWriteThatIsNotOneFrameClosesTheConnection(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, b := range [][]byte{{}, {0, 0, 0, 4}, {0, 0, 0, 4, 0, 0, 0}, {0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 2}} {
		inner := &segments{}
		tap := tapOf(t, c, inner)
		_, err := tap.Write(b)
		require.ErrorIs(t, err, errNotOneFrame)
		require.Zero(t, inner.written.Len())
		_, err = tap.Write([]byte{0, 0, 0, 4, 0, 0, 0, 1})
		require.ErrorIs(t, err, net.ErrClosed)
	}
}
