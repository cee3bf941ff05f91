package connpatch

import (
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// echo is a connection in memory that answers every request at once.
type echo struct {
	net.Conn
	response []byte
	rest     []byte
}

func newEcho(body int) *echo { return &echo{response: answer(0, make([]byte, body)...)} }

func (e *echo) Write(p []byte) (int, error) {
	copy(e.response[sizeLen:], p[8:headerLen])
	e.rest = e.response
	return len(p), nil
}

func (e *echo) Read(p []byte) (int, error) {
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// pair is one request and its response, as kgo writes and reads them: the size
// and the body, through a buffer of its own that a large body passes by.
type pair struct {
	conn   io.ReadWriter
	frame  []byte
	corr   int32
	buf    []byte
	failed error
}

func newPair(conn io.ReadWriter, frame []byte, body int) *pair {
	return &pair{conn: conn, frame: frame, buf: make([]byte, max(4<<10, sizeLen+corrLen+body))}
}

func (p *pair) run() {
	binary.BigEndian.PutUint32(p.frame[8:], uint32(p.corr))
	p.corr = nextCorrelation(p.corr)
	if _, err := p.conn.Write(p.frame); err != nil {
		p.failed = err
	}
	n, err := p.conn.Read(p.buf[:4<<10])
	if err != nil {
		p.failed = err
	}
	whole := sizeLen + int(binary.BigEndian.Uint32(p.buf))
	if _, err := io.ReadFull(p.conn, p.buf[n:whole]); err != nil {
		p.failed = err
	}
}

type pairCase struct {
	name  string
	frame []byte
	body  int // of the response
}

func pairs() []pairCase {
	return []pairCase{
		{"heartbeat", encodeKey(heartbeat, 4, 0), 10},
		{"fetch 2 KB", encodeKey(fetch, 13, 0), 2 << 10},
		{"fetch 1 MB", encodeKey(fetch, 13, 0), 1 << 20},
		{"produce 1 KB", large(produce(9, 0, repeated(10), nil, -1), 1<<10), 60},
		{"produce 1 MB", large(produce(9, 0, repeated(10), nil, -1), 1<<20), 60},
	}
}

// large makes a frame longer.
func large(frame []byte, n int) []byte { return sized(append(frame, make([]byte, n)...)) }

func TestASteadyPairAllocatesNothing(t *testing.T) {
	for _, tc := range pairs() {
		t.Run(tc.name, func(t *testing.T) {
			c := connect(t, newEcho(tc.body))
			p := newPair(c, tc.frame, tc.body)
			assert.Zero(t, testing.AllocsPerRun(1000, p.run))
			require.NoError(t, p.failed)
			got := c.m.Counts()
			assert.EqualValues(t, 1001, got.Requests)
			assert.Zero(t, got.Strange+got.Unmatched+got.Opaque)
		})
	}
}

func BenchmarkPair(b *testing.B) {
	for _, tc := range pairs() {
		for _, through := range []string{"bare", "ours"} {
			b.Run(tc.name+"/"+through, func(b *testing.B) {
				var conn io.ReadWriter = newEcho(tc.body)
				if through == "ours" {
					conn = connect(b, newEcho(tc.body))
				}
				p := newPair(conn, tc.frame, tc.body)
				b.ReportAllocs()
				for b.Loop() {
					p.run()
				}
				require.NoError(b, p.failed)
			})
		}
	}
}

// With five requests in flight all the time, as a saturated producer has.
func BenchmarkPipelined(b *testing.B) {
	const inFlight = 5
	c := connect(b, newEcho(60))
	frame := encodeKey(heartbeat, 4, 0)
	next := int32(0)
	push := func() {
		binary.BigEndian.PutUint32(frame[8:], uint32(next))
		next = nextCorrelation(next)
		c.out.write(frame, c.wrote)
	}
	for range inFlight {
		push()
	}
	b.ReportAllocs()
	for b.Loop() {
		push()
		c.answered(next - inFlight - 1)
	}
	assert.Equal(b, inFlight, c.waiting.len())
	assert.Zero(b, c.m.Counts().Unmatched)
}
