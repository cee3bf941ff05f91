package fakebroker

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestPipelinedRequestsAreAnsweredInOrderWhereverTheyAreCut(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(1, "t"), Policy(&RecordPolicy{}))
	frames := slices.Concat(
		formatted(produceOf("t", -1, []byte("value")), 1),
		formatted(pushOf(t, entry("client.id", "x")), 2),
		formatted(metadataOf(), 3),
	)
	for cut := 1; cut < len(frames); cut++ {
		r := dial(t, c, 0)
		r.write(frames[:cut])
		r.write(frames[cut:])
		produced := r.read()
		require.EqualValues(t, 1, correlation(produced), "cut at %d", cut)
		resp := answerOf(t, produced, kmsg.NewPtrProduceResponse(), 11)
		require.Zero(t, resp.Topics[0].Partitions[0].ErrorCode)
		answer := r.read()
		require.EqualValues(t, 2, correlation(answer), "cut at %d", cut)
		require.Zero(t, pushed(t, answer).ErrorCode)
		require.EqualValues(t, 3, correlation(r.read()), "cut at %d", cut)
		require.NoError(t, r.Close())
	}
	require.Len(t, c.Pushes(), len(frames)-1)
}

// segments is a connection whose Read returns exactly the given pieces and then
// blocks until it is closed. It keeps what is written.
type segments struct {
	net.Conn
	pieces  [][]byte
	written bytes.Buffer
}

func (s *segments) Read(p []byte) (int, error) {
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.pieces[0])
	if s.pieces[0] = s.pieces[0][n:]; len(s.pieces[0]) == 0 {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

func (s *segments) Write(p []byte) (int, error) { return s.written.Write(p) }
func (s *segments) Close() error                { return nil }
func (s *segments) RemoteAddr() net.Addr        { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1} }

// tapOf returns a tap of a cluster on a connection that the test made.
func tapOf(t testing.TB, c *Cluster, inner net.Conn) *conn {
	t.Helper()
	tap, ok := c.adopt(c.nodes[0], inner)
	require.True(t, ok)
	t.Cleanup(func() { _ = tap.Close() })
	return tap
}

// echo reads frames from a tap as kfake does and answers each with an empty
// body, until the tap ends. It returns the frames.
func echo(t testing.TB, tap *conn) (frames [][]byte) {
	t.Helper()
	for {
		frame, err := readFrame(tap)
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return frames
		}
		frames = append(frames, frame)
		_, err = tap.Write(sized(append(make([]byte, sizeLen), frame[8:12]...)))
		require.NoError(t, err)
	}
}

func TestATapHandsOutTheSameFramesForEveryPairOfCuts(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	first := formatted(kmsg.NewPtrListGroupsRequest(), 1)
	ours := formatted(pushOf(t, entry("k", "v")), 2)
	last := formatted(kmsg.NewPtrApiVersionsRequest(), 3)
	all := slices.Concat(first, ours, last)
	for i := 1; i < len(all)-1; i++ {
		for j := i + 1; j < len(all); j++ {
			inner := &segments{pieces: [][]byte{all[:i], all[i:j], all[j:]}}
			require.Equal(t, [][]byte{first, last}, echo(t, tapOf(t, c, inner)), "cut at %d and %d", i, j)
			for id := int32(1); id <= 3; id++ {
				frame, err := readFrame(&inner.written)
				require.NoError(t, err)
				require.Equal(t, id, correlation(frame), "cut at %d and %d", i, j)
			}
		}
	}
}

// A frame of ours that came early must wait: kfake reads ahead of its answers.
func TestOursWaitsForEveryAnswerBeforeIt(t *testing.T) {
	t.Parallel()
	policy := &RecordPolicy{}
	c := start(t, Policy(policy))
	metadata := formatted(metadataOf(), 7)
	inner := &segments{pieces: [][]byte{slices.Concat(metadata, formatted(pushOf(t), 8))}}
	tap := tapOf(t, c, inner)
	got, err := readFrame(tap)
	require.NoError(t, err)
	require.Equal(t, metadata, got)

	ahead := make(chan error)
	go func() {
		_, err := readFrame(tap) // what kfake does while it handles Metadata
		ahead <- err
	}()
	answer := sized([]byte{0, 0, 0, 0, 0, 0, 0, 7, 42})
	_, err = tap.Write(answer)
	require.NoError(t, err)
	require.ErrorIs(t, <-ahead, io.EOF)
	require.True(t, bytes.HasPrefix(inner.written.Bytes(), answer))
	require.Len(t, policy.Calls(), 1)
}

func TestProduceWithoutAcksDoesNotHoldUpOurs(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(1, "t"), Policy(&RecordPolicy{}))
	r := dial(t, c, 0)
	const n = 50
	var frames []byte
	for i := range int32(n) {
		frames = append(frames, formatted(produceOf("t", 0, []byte("unacknowledged")), 3*i)...)
		frames = append(frames, formatted(pushOf(t, entry("k", "v")), 3*i+1)...)
		frames = append(frames, formatted(produceOf("t", 1, []byte("acknowledged")), 3*i+2)...)
	}
	go func() { _, _ = r.Write(frames) }() // answers may fill the socket meanwhile
	for i := range int32(n) {
		require.Equal(t, 3*i+1, correlation(r.read()))
		produced := r.read()
		require.Equal(t, 3*i+2, correlation(produced))
		resp := answerOf(t, produced, kmsg.NewPtrProduceResponse(), 11)
		require.EqualValues(t, 2*i+1, resp.Topics[0].Partitions[0].BaseOffset, "both records are there, in order")
	}
	require.Equal(t, map[int16]int{0: n, 1: n}, c.Acks(AnyNode))
}

// kfake's own control functions can answer a Produce with acks 0.
func TestAnAnswerToWhatHasNoneIsPassedOn(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(1, "t"), Policy(&RecordPolicy{}))
	c.Kfake().ControlKey(keyProduce, func(req kmsg.Request) (kmsg.Response, error, bool) {
		return req.ResponseKind(), nil, true
	})
	r := dial(t, c, 0)
	r.send(produceOf("t", 0, nil), 1)
	require.EqualValues(t, 1, correlation(r.read()))
	r.send(pushOf(t), 2)
	require.EqualValues(t, 2, correlation(r.read()))
}

func TestAnAnswerWithAnotherCorrelationIsNotTheOneWaitedFor(t *testing.T) {
	t.Parallel()
	c := start(t)
	inner := &segments{pieces: [][]byte{formatted(metadataOf(), 7)}}
	tap := tapOf(t, c, inner)
	_, err := readFrame(tap)
	require.NoError(t, err)
	other, its := []byte{0, 0, 0, 4, 0, 0, 0, 9}, []byte{0, 0, 0, 4, 0, 0, 0, 7}
	n, err := tap.Write(other)
	require.NoError(t, err)
	require.Len(t, other, n)
	require.Len(t, tap.waiting, 1)
	n, err = tap.Write(its)
	require.NoError(t, err)
	require.Len(t, its, n)
	require.Empty(t, tap.waiting)
	require.Equal(t, slices.Concat(other, its), inner.written.Bytes())
}

// Where acks is depends on two names that may be as long as 32 KiB.
func TestAcksBehindLongNamesAreFound(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(1, "t"), Policy(&RecordPolicy{}))
	for _, n := range []int{200, 300, 5000, 32767} {
		r := dial(t, c, 0)
		long := kmsg.NewRequestFormatter(kmsg.FormatterClientID(strings.Repeat("c", n)))
		r.write(long.AppendRequest(nil, produceOf("t", 0, []byte("v")), 1))
		r.send(pushOf(t), 2)
		require.EqualValues(t, 2, correlation(r.read()), "%d bytes", n)
	}
	require.Equal(t, map[int16]int{0: 4}, c.Acks(0))
}
