package fakebroker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// foreign returns the bytes of a stream that belong to whole or cut frames with
// keys that are not ours.
func foreign(c *Cluster, stream []byte) []byte {
	var out []byte
	for len(stream) >= sizeLen+headLen {
		size := int(int32(binary.BigEndian.Uint32(stream)))
		if size < headLen || size > maxRequest {
			break
		}
		n := min(sizeLen+size, len(stream))
		if !c.ours(int16(binary.BigEndian.Uint16(stream[4:]))) {
			out = append(out, stream[:n]...)
		}
		stream = stream[n:]
	}
	return out
}

// Whatever a client sends, kfake gets what is not ours and nothing else, byte
// for byte, up to the point where the tap refuses to go on.
func FuzzTap(f *testing.F) {
	c := start(f, Policy(&RecordPolicy{}))
	f.Add(slices.Concat(
		formatted(metadataOf(), 1),
		formatted(pushOf(f, entry("k", "v")), 2),
		formatted(produceOf("t", 0, []byte("v")), 3),
		formatted(pushOf(f), 4),
		formatted(apiVersionsRequest(3), 5),
	), uint8(7))
	handshake := requestAt(kmsg.NewPtrSASLHandshakeRequest(), 1)
	handshake.Mechanism = mechanismPlain
	token := requestAt(kmsg.NewPtrSASLAuthenticateRequest(), 2)
	token.SASLAuthBytes = []byte("\x00a\x00b")
	f.Add(slices.Concat(formatted(handshake, 1), formatted(token, 2), formatted(pushOf(f), 3)), uint8(1))
	f.Add([]byte{0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0}, uint8(2))
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		inner := &segments{}
		for p := range slices.Chunk(stream, int(piece)+1) {
			inner.pieces = append(inner.pieces, p)
		}
		tap := tapOf(t, c, inner)
		defer tap.Close()
		var got []byte
		var whole bool // nothing was refused
		for {
			frame, err := readFrame(tap)
			got = append(got, frame...)
			if err != nil {
				whole = errors.Is(err, io.EOF)
				break
			}
			require.GreaterOrEqual(t, len(frame), sizeLen+headLen, "kfake cannot read it")
			_, err = tap.Write(sized([]byte{0, 0, 0, 0, frame[8], frame[9], frame[10], frame[11], 0, 0, 0}))
			require.NoError(t, err)
		}
		want := foreign(c, stream)
		require.True(t, bytes.HasPrefix(want, got), "got %x, want %x", got, want)
		require.True(t, !whole || len(want) == len(got), "got %x, want %x", got, want)
	})
}

func TestATapThatIsClosedStopsAtOnce(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	stream := slices.Concat(formatted(metadataOf(), 1), formatted(pushOf(t), 2))
	tap := tapOf(t, c, &segments{pieces: [][]byte{stream}})
	_, err := readFrame(tap)
	require.NoError(t, err)
	waits := make(chan error)
	go func() {
		_, err := readFrame(tap) // ours, behind what is not answered
		waits <- err
	}()
	require.NoError(t, c.Wait(testContext(t), func() bool { return c.Count(0, 902) == 1 }))
	require.NoError(t, tap.Close())
	require.ErrorIs(t, <-waits, net.ErrClosed)
	require.NoError(t, tap.Close())
	require.Empty(t, c.Requests())
}

func TestAnEmptyReadTakesNothing(t *testing.T) {
	t.Parallel()
	tap := tapOf(t, start(t), &segments{pieces: [][]byte{formatted(metadataOf(), 1)}})
	n, err := tap.Read(nil)
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = readFrame(tap)
	require.NoError(t, err)
}

func TestAStreamThatEndsWithinAFrameIsUnexpected(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	ours, theirs := formatted(pushOf(t, entry("k", "v")), 1), formatted(apiVersionsRequest(3), 1)
	for _, frame := range [][]byte{ours, theirs} {
		for n := range frame {
			tap := tapOf(t, c, &segments{pieces: [][]byte{frame[:n]}})
			_, err := io.ReadAll(tap)
			if n == 0 {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", n)
		}
	}
}

// A size is only the client's word: memory is taken as the bytes come.
func TestAFrameOfOursThatDoesNotComeTakesNoMemory(t *testing.T) {
	c := start(t, Policy(&RecordPolicy{}))
	frame := formatted(pushOf(t), 1)
	binary.BigEndian.PutUint32(frame, maxRequest)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := io.ReadAll(tapOf(t, c, &segments{pieces: [][]byte{frame}}))
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(maxRequest/10))
}

// kfake asks for no more than a frame; who asks for more does not get ours.
func TestAReadEndsWithItsFrame(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	first, last := formatted(produceOf("t", 0, make([]byte, 10_000)), 1), formatted(produceOf("t", 0, nil), 3)
	inner := &segments{pieces: [][]byte{slices.Concat(first, formatted(pushOf(t), 2), last)}}
	got, err := io.ReadAll(tapOf(t, c, inner))
	require.NoError(t, err)
	require.Equal(t, slices.Concat(first, last), got)
	require.Len(t, c.Pushes(), 1)
}
