package connpatch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
)

// split makes a script of bytes that come in pieces of the given sizes, which
// are used round and round, and then the error.
func split(b []byte, sizes []int, end error) *script {
	s := new(script)
	for i := 0; len(b) > 0; i++ {
		n := len(b)
		if len(sizes) > 0 {
			n = min(n, max(1, sizes[i%len(sizes)]))
		}
		s.steps = append(s.steps, step{b: b[:n]})
		b = b[n:]
	}
	s.steps = append(s.steps, step{err: end})
	if end != errBlocked { //nolint:errorlint // as it was given
		s.steps = append(s.steps, step{err: errors.New("a Read after the end")})
	}
	return s
}

// frames returns a stream of response frames with bodies of the given sizes,
// and where each of them ends.
func frames(sizes ...int) (b []byte, ends []int) {
	for corr, n := range sizes {
		start := len(b)
		b = append(b, token(n)...)
		if n >= corrLen {
			binary.BigEndian.PutUint32(b[start+sizeLen:], uint32(corr))
		}
		ends = append(ends, len(b))
	}
	return b, ends
}

func TestABareConnectionReadsTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(490, 530), rapid.IntRange(0, 120_000))
		b, ends := frames(rapid.SliceOfN(size, 1, 8).Draw(t, "frames")...)
		pieces := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(500, 5000), rapid.Just(1<<20)), 1, 5)
		reads := pieces.Draw(t, "reads")
		c := newConn(split(b, pieces.Draw(t, "below"), io.EOF), testManager(kcfg.DefaultProtocol(), nil))

		var got []byte
		buf := make([]byte, 1<<20)
		for i := 0; ; i++ {
			n, err := c.Read(buf[:reads[i%len(reads)]])
			if err != nil {
				require.Equal(t, io.EOF, err)
				require.Zero(t, n)
				break
			}
			require.Positive(t, n)
			start := len(got)
			got = append(got, buf[:n]...)
			for _, end := range ends {
				require.False(t, start < end && len(got) > end, "bytes of two frames in one Read")
			}
		}
		require.True(t, bytes.Equal(b, got))
		require.Zero(t, c.m.Counts().Opaque)
	})
}

// readAsKgo reads frames as kgo does until there is an error, and returns it.
func readAsKgo(r io.Reader) (got [][]byte, err error) {
	br := bufio.NewReaderSize(r, 4<<10)
	for {
		size := make([]byte, sizeLen)
		n, err := io.ReadFull(br, size)
		got = append(got, size[:n])
		if err != nil {
			return got, err
		}
		body := make([]byte, min(binary.BigEndian.Uint32(size), 1<<20))
		n, err = io.ReadFull(br, body)
		got = append(got, body[:n])
		if err != nil {
			return got, err
		}
	}
}

func TestErrorsComeWhereAndAsABareConnectionGivesThem(t *testing.T) {
	timeout := &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
	b, _ := frames(0, 3, 4, 5, 30, 4, 600, 1)
	for _, end := range []error{io.EOF, timeout, net.ErrClosed} {
		for n := range len(b) + 1 {
			for _, sizes := range [][]int{nil, {1}, {5}, {8, 1}} {
				for _, together := range []bool{false, true} {
					bare, below := split(b[:n], sizes, end), split(b[:n], sizes, end)
					bare.together, below.together = together, together
					want, wantErr := readAsKgo(bare)
					got, err := readAsKgo(connect(t, below))
					if !same(wantErr, err) {
						t.Fatalf("after %d bytes: %v, a bare connection gives %v", n, err, wantErr)
					}
					require.Equal(t, want, got)
				}
			}
		}
	}
}

func same(a, b error) bool { return a == b } //nolint:errorlint // the same, not wrapped

func TestADeadlinePassesAndTheConnectionStays(t *testing.T) {
	ours, theirs := net.Pipe()
	c := connect(t, ours)
	defer c.Close()
	defer theirs.Close()
	c.waiting.push(requestWith(0, false))
	require.NoError(t, c.SetReadDeadline(time.Now()))
	_, err := c.Read(make([]byte, 10))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	_, bare := ours.Read(make([]byte, 10))
	assert.Equal(t, bare, err)

	// kgo waits once for an answer to a Produce with acks 0, and keeps the
	// connection when none comes.
	require.NoError(t, c.SetReadDeadline(time.Time{}))
	written := make(chan error, 1)
	go func() {
		_, err := theirs.Write(answer(0, 1, 2, 3))
		written <- err
	}()
	got := make([]byte, 11)
	_, err = io.ReadFull(c, got)
	require.NoError(t, err)
	require.NoError(t, <-written)
	assert.Equal(t, answer(0, 1, 2, 3), got)
	assert.Zero(t, c.waiting.len())
	assert.Zero(t, c.m.Counts().Opaque+c.m.Counts().Unmatched)
}

func TestADeadlineInTheMiddleOfAStartComesOnce(t *testing.T) {
	timeout := &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
	for start := 1; start < 8; start++ {
		frame := answer(0, 1, 2, 3)
		c := connect(t, &script{steps: []step{{b: frame[:start]}, {err: timeout}, {b: frame[start:]}, {err: io.EOF}}})
		got, err := io.ReadAll(c)
		require.True(t, same(err, timeout))
		assert.Equal(t, frame[:start], got)
		rest, err := io.ReadAll(c)
		require.NoError(t, err)
		assert.Equal(t, frame[start:], rest)
	}
}

// What kgo recognizes by its first four bytes must get to it even if no more
// ever comes: the other side of a failed TLS handshake sends seven bytes.
func TestNothingIsWaitedForThatKgoDoesNotWaitFor(t *testing.T) {
	alert := []byte{21, 3, 1, 0, 2, 2, 40}
	for name, b := range map[string][]byte{
		"a TLS alert":           alert,
		"the size alone":        alert[:4],
		"HTTP":                  []byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"HTTP's first bytes":    []byte("HTTP"),
		"a negative size":       {0xff, 0xff, 0xff, 0xff},
		"an empty frame":        {0, 0, 0, 0},
		"a size of three":       {0, 0, 0, 3, 1, 2, 3},
		"a frame's size":        answer(0)[:4],
		"a frame's first bytes": answer(0)[:5],
		"a frame":               answer(0, 1, 2),
	} {
		t.Run(name, func(t *testing.T) {
			for _, sizes := range [][]int{nil, {1}, {4}} {
				inner := split(b, sizes, errBlocked)
				c := connect(t, inner)
				got := make([]byte, len(b))
				_, err := io.ReadFull(c, got[:4])
				require.NoError(t, err)
				if len(b) >= 8 {
					_, err = io.ReadFull(c, got[4:])
					require.NoError(t, err)
					assert.Equal(t, b, got)
				}
				assert.False(t, inner.blocked, "a Read waited for more than kgo asked for")
			}
		})
	}
}

func TestWhatIsNoFramePassesAndIsCountedOnce(t *testing.T) {
	for name, b := range map[string][]byte{
		"HTTP":             []byte("HTTP/1.1 400 Bad Request\r\n\r\nHTTP/1.1 400"),
		"negative size":    {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"size above 1 GiB": {0x40, 0, 0, 1, 2, 3, 4, 5},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, split(b, nil, io.EOF))
			got, err := io.ReadAll(c)
			require.NoError(t, err)
			assert.Equal(t, b, got)
			assert.EqualValues(t, 1, c.m.Counts().Opaque)
		})
	}
}

func TestALargestFrameIsAFrame(t *testing.T) {
	c := connect(t, split([]byte{0x40, 0, 0, 0, 0, 0, 0, 0, 1}, nil, errBlocked))
	_, err := io.ReadFull(c, make([]byte, 9))
	require.NoError(t, err)
	assert.Zero(t, c.m.Counts().Opaque)
	assert.Equal(t, maxFrame+4-9, c.in.rest)
}

func TestReadingNothingReadsNothing(t *testing.T) {
	inner := whole(answer(0))
	n, err := connect(t, inner).Read(nil)
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Empty(t, inner.reads)
}

func TestALargeBodyGoesToTheCallersBuffer(t *testing.T) {
	body := bytes.Repeat([]byte{7}, 100_000)
	inner := whole(answer(0, body...), answer(1, 1))
	c := connect(t, inner)
	_, err := io.ReadFull(c, make([]byte, sizeLen))
	require.NoError(t, err)
	buf := make([]byte, len(body)+corrLen)
	_, err = io.ReadFull(c, buf)
	require.NoError(t, err)

	direct := slices.IndexFunc(inner.reads, func(p []byte) bool {
		return len(p) > readBuffer && &p[len(p)-1] == &buf[len(buf)-1]
	})
	require.GreaterOrEqual(t, direct, 0, "the connection below never saw the caller's buffer")
	assert.GreaterOrEqual(t, len(inner.reads[direct]), len(buf)-readBuffer)
	for _, p := range inner.reads[direct+1:] {
		assert.Less(t, len(p), readBuffer, "a second read for what is left of the body only")
	}
}

func TestTheReadersBufferIsSmall(t *testing.T) {
	c := connect(t, whole(answer(0)))
	_, err := c.Read(make([]byte, 100))
	require.NoError(t, err)
	assert.Equal(t, readBuffer, c.in.br.Size())
}

func FuzzReader(f *testing.F) {
	b, _ := frames(0, 3, 4, 30, 600, 1)
	f.Add(b, []byte{1, 7, 200}, []byte{4, 100})
	f.Add([]byte("HTTP/1.1 400 Bad Request"), []byte{1}, []byte{4})
	f.Add([]byte{21, 3, 1, 0, 2, 2, 40}, []byte{7}, []byte{4})
	f.Fuzz(func(t *testing.T, b, pieces, reads []byte) {
		end := errors.New("the end")
		sizes := make([]int, len(pieces))
		for i, n := range pieces {
			sizes[i] = int(n)
		}
		c := newConn(split(b, sizes, end), testManager(kcfg.DefaultProtocol(), nil))
		// As if the first requests had been ApiVersions.
		for corr := range int32(4) {
			c.waiting.push(request{header: header{key: keyAPIVersions, version: int16(corr), corr: corr}, answered: true})
		}
		var got []byte
		buf := make([]byte, 1<<10)
		for i := 0; ; i++ {
			n := len(buf)
			if len(reads) > 0 {
				n = max(1, int(reads[i%len(reads)]))
			}
			n, err := c.Read(buf[:n])
			got = append(got, buf[:n]...)
			if err != nil {
				if !same(err, end) {
					t.Fatal(err)
				}
				break
			}
			if cap(c.in.keep) > 4*maxAPIVersions {
				t.Fatalf("%d bytes are kept", cap(c.in.keep))
			}
		}
		if !bytes.Equal(b, got) {
			t.Fatalf("got %q, want %q", got, b)
		}
	})
}
