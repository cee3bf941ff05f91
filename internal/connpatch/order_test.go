package connpatch

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
)

// obedient is a broker that answers every request at once with its correlation
// id, a Produce with acks 0 only if told so.
type obedient struct {
	net.Conn
	answersAll bool
	in, out    bytes.Buffer
	frames     int
}

func (b *obedient) Write(p []byte) (int, error) {
	b.in.Write(p)
	for b.in.Len() >= headerLen {
		h := parseHeader(b.in.Bytes())
		if b.in.Len() < int(h.size)+4 {
			break
		}
		frame := b.in.Next(int(h.size) + 4)
		b.frames++
		if h.key == keyProduce && !b.answersAll {
			if f, ok := findProduce(h.version, frame); ok && f.acks == 0 {
				continue
			}
		}
		b.out.Write(answer(h.corr, bytes.Repeat([]byte{'b'}, int(h.corr)*37%900)...))
	}
	return len(p), nil
}

func (b *obedient) Read(p []byte) (int, error) {
	if b.out.Len() == 0 {
		return 0, errBlocked
	}
	return b.out.Read(p)
}

// Whatever is patched and whenever it changes, every request that kgo waits for
// is answered, once and in order.
func TestEveryRequestIsAnsweredOnceAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &obedient{answersAll: rapid.Bool().Draw(t, "a broker that answers acks 0")}
		m := NewManager(kcfg.DefaultProtocol(), func(context.Context, string, string) (net.Conn, error) { return b, nil }, nil)
		conn, err := m.Dial(context.Background(), "", "")
		require.NoError(t, err)
		c := conn.(*Conn)
		c.gone = true // no watcher: the broker cannot be waited for
		var written, read int32
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				m.SetPatches(rapid.SampledFrom([]*Patches{
					nil, {Acks: new(int16(0))}, {Acks: new(int16(1))}, {Acks: new(int16(-1)), ProduceTimeout: new(int32(5))},
				}).Draw(t, "patches"))
			case 1, 2:
				frame := encode(produceRequest(9, rapid.SampledFrom([]int16{1, -1}).Draw(t, "acks"), batch(2, -1, 0)), written, nil)
				if rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
					n := rapid.IntRange(1, len(frame)-1).Draw(t, "at")
					_, err := c.Write(frame[:n])
					require.NoError(t, err)
					frame = frame[n:]
				}
				_, err := c.Write(frame)
				require.NoError(t, err)
				written++
			case 3:
				_, err := c.Write(encode(kmsg.NewPtrMetadataRequest(), written, nil))
				require.NoError(t, err)
				written++
			case 4:
				for read < written && rapid.Bool().Draw(t, "read") {
					require.Equal(t, read, readCorr(t, c))
					read++
				}
			}
		}
		for ; read < written; read++ {
			require.Equal(t, read, readCorr(t, c))
		}
		require.EqualValues(t, written, b.frames)
		require.Zero(t, c.waiting.len())
		require.Zero(t, m.Counts().Unmatched)
	})
}

// readCorr reads a frame, in pieces, and returns its correlation id.
func readCorr(t *rapid.T, c *Conn) int32 {
	piece := make([]byte, rapid.IntRange(1, 300).Draw(t, "piece"))
	var got []byte
	for len(got) < sizeLen || len(got) < sizeLen+int(binary.BigEndian.Uint32(got)) {
		n, err := c.Read(piece)
		require.NoError(t, err)
		got = append(got, piece[:n]...)
	}
	require.Len(t, got, sizeLen+int(binary.BigEndian.Uint32(got)), "bytes of two frames")
	return int32(binary.BigEndian.Uint32(got[sizeLen:]))
}
