package connpatch

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// stream is what kgo writes to a connection, and what a scanner is to make of
// it.
type stream struct {
	bytes   []byte
	starts  []int // of the frames
	want    []request
	strange uint64
	corr    int32
}

func (s *stream) add(frame []byte) {
	s.starts = append(s.starts, len(s.bytes))
	s.bytes = append(s.bytes, frame...)
}

func (s *stream) request(frame []byte, answered bool) {
	s.want = append(s.want, request{header: parseHeader(frame), answered: answered})
	s.add(frame)
	s.corr++
}

func (s *stream) key(key, version int16) { s.request(encodeKey(key, version, s.corr), true) }

func (s *stream) produce(version int16, txnID *string, acks int16) {
	s.request(produce(version, s.corr, repeated(4), txnID, acks), acks != 0)
}

func (s *stream) token(n int) {
	s.strange++
	s.add(token(n))
}

// scan gives the scanner the stream in pieces that end at the given positions.
func (s *stream) scan(cuts ...int) (scanner, []request) {
	var sc scanner
	var got []request
	emit := func(r request) { got = append(got, r) }
	last := 0
	for _, cut := range append(cuts, len(s.bytes)) {
		sc.write(s.bytes[last:cut], emit)
		last = cut
	}
	return sc, got
}

// check fails unless the scanner, given these pieces, does what it is to do.
func (s *stream) check(t *testing.T, cuts ...int) {
	t.Helper()
	sc, got := s.scan(cuts...)
	for i, want := range s.want {
		if i >= len(got) || got[i] != want {
			t.Fatalf("cut at %v: request %d is not %+v, but %+v", cuts, i, want, got[i:min(i+1, len(got))])
		}
	}
	if len(got) > len(s.want) || !sc.atStart() || sc.strange != s.strange || sc.opaque || sc.corr != s.corr {
		t.Fatalf("cut at %v: %d requests, want %d; %d strange frames, want %d; %+v",
			cuts, len(got), len(s.want), sc.strange, s.strange, sc)
	}
}

// saslStream opens a connection with old SASL, whose tokens have the given
// sizes, and goes on with requests of several kinds.
func saslStream(tokens ...int) *stream {
	s := new(stream)
	s.key(keyAPIVersions, 3)
	s.key(keySaslHandshk, 0)
	for _, n := range tokens {
		s.token(n)
	}
	s.produce(8, nil, 0)
	s.produce(9, repeated(20), 0)
	s.key(3, 12)
	s.produce(13, nil, -1)
	s.produce(2, nil, 0)
	s.key(12, 4)
	return s
}

func TestEveryKeyOfKgoIsSeen(t *testing.T) {
	s := new(stream)
	for key := range int16(kmsg.MaxKey + 1) {
		req := kmsg.RequestForKey(key)
		if req == nil || key == keyProduce {
			continue
		}
		for version := range req.MaxVersion() + 1 {
			if key == 7 && version == 0 {
				continue // kmsg v1.15.1 leaves its size out
			}
			s.key(key, version)
		}
	}
	for version := range int16(newestProduce + 1) {
		s.produce(version, nil, 0)
		s.produce(version, nil, 1)
	}
	require.Greater(t, len(s.want), 300)
	s.check(t)
	s.check(t, s.starts...)
	for i := range len(s.bytes) {
		if i%7 == 0 {
			s.check(t, i)
		}
	}
}

func TestRequestsAreTheSameHoweverTheWritesAreCut(t *testing.T) {
	s := saslStream(0, 3, 30)
	s.check(t)
	s.check(t, s.starts...)
	every := make([]int, len(s.bytes))
	for i := range every {
		every[i] = i
	}
	s.check(t, every...)
	for i := range s.bytes {
		for j := i; j < len(s.bytes); j++ {
			s.check(t, i, j)
		}
	}
}

func TestLongTokensAreCutAnywhere(t *testing.T) {
	s := saslStream(3000, 0, 3000, 3, 3000)
	var near []int
	for _, start := range append(s.starts, len(s.bytes)) {
		for i := max(0, start-3); i <= min(start+headerLen+4, len(s.bytes)); i++ {
			near = append(near, i)
		}
	}
	for i, cut := range near {
		for _, second := range near[i:] {
			if second >= cut {
				s.check(t, cut, second)
			}
		}
	}
}

func TestARequestIsKnownBeforeItsLastByte(t *testing.T) {
	var sc scanner
	var got []request
	frame := encodeKey(3, 12, 0)
	sc.write(frame[:headerLen], func(r request) { got = append(got, r) })
	assert.Len(t, got, 1)
	assert.False(t, sc.atStart())
	sc.write(frame[headerLen:], func(request) { t.Error("a second request") })
	assert.True(t, sc.atStart())
}

func TestAStartIsNoStartWhileItIsJudged(t *testing.T) {
	var sc scanner
	assert.True(t, sc.atStart())
	sc.write([]byte{0}, func(request) { t.Error("a request") })
	assert.False(t, sc.atStart())
}

func TestCorrelationIDsWrapAtTheLargest(t *testing.T) {
	sc := scanner{corr: math.MaxInt32 - 1}
	var got []int32
	for _, corr := range []int32{math.MaxInt32 - 1, math.MaxInt32, 0, 1} {
		sc.write(encodeKey(3, 9, corr), func(r request) { got = append(got, r.corr) })
	}
	assert.Equal(t, []int32{math.MaxInt32 - 1, math.MaxInt32, 0, 1}, got)
	assert.Zero(t, sc.strange)
}

func TestWhatIsNoRequestPasses(t *testing.T) {
	head := func(size int32, key, version int16, corr int32) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(size))
		b = binary.BigEndian.AppendUint16(b, uint16(key))
		b = binary.BigEndian.AppendUint16(b, uint16(version))
		return binary.BigEndian.AppendUint32(b, uint32(corr))
	}
	for name, tc := range map[string]struct {
		bytes  []byte
		opaque bool
	}{
		"negative size":            {head(-1, 3, 1, 0), true},
		"smallest size":            {head(math.MinInt32, 3, 1, 0), true},
		"size above 1 GiB":         {head(maxFrame+1, 3, 1, 0), true},
		"HTTP":                     {[]byte("HTTP/1.1 400 Bad Request\r\n"), true},
		"negative key":             {head(8, -1, 1, 0), false},
		"no version":               {head(8, 3, 200, 0), false},
		"another correlation id":   {head(8, 3, 1, 1), false},
		"an empty frame":           {token(0), false},
		"less than a header":       {token(7), false},
		"as much as a header":      {token(8), false},
		"a size without its bytes": {head(maxFrame, 3, 1, 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			for cut := range tc.bytes {
				var sc scanner
				sc.write(tc.bytes[:cut], func(request) { t.Error("a request") })
				sc.write(tc.bytes[cut:], func(request) { t.Error("a request") })
				assert.Equal(t, tc.opaque, sc.opaque)
				assert.EqualValues(t, 1, sc.strange)
				assert.Empty(t, sc.prefix)
			}
		})
	}
}

// What lies behind a frame is not read, whatever the frame claims of itself.
func TestAProduceThatEndsBeforeItsAcksIsARequest(t *testing.T) {
	whole := produce(9, 0, nil, nil, 0)
	for n := headerLen; n < acksEnd(t, 9, nil, nil); n++ {
		short := sized(slices.Clone(whole[:n]))
		stream := append(short, make([]byte, 100)...)
		for cut := range short {
			var sc scanner
			var got []request
			emit := func(r request) { got = append(got, r) }
			sc.write(stream[:cut], emit)
			sc.write(stream[cut:n], emit)
			require.Len(t, got, 1, "it ends after %d bytes", n)
			assert.True(t, got[0].answered)
			assert.True(t, sc.atStart())

			sc, got = scanner{}, nil
			sc.write(stream[:cut], emit)
			sc.write(stream[cut:], emit)
			require.Len(t, got, 1)
			assert.True(t, got[0].answered)
			assert.EqualValues(t, 25, sc.strange)
		}
	}
}

func TestNothingIsReadOfAConnectionOnceItIsOpaque(t *testing.T) {
	var sc scanner
	sc.write([]byte{0xff, 0xff, 0xff, 0xff}, func(request) { t.Error("a request") })
	sc.write(encodeKey(3, 1, 0), func(request) { t.Error("a request") })
	assert.True(t, sc.opaque)
	assert.EqualValues(t, 1, sc.strange)
}

func TestTheFrameAfterATransactionalIDThatIsTooLongIsSeen(t *testing.T) {
	long := produce(9, 0, repeated(10), repeated(3*maxPrefix), 0)
	next := encodeKey(3, 1, 1)
	for _, piece := range []int{1 << 10, maxPrefix - 1, maxPrefix, maxPrefix + 1, 4 * maxPrefix} {
		t.Run(fmt.Sprint(piece), func(t *testing.T) {
			var sc scanner
			var got []request
			for b := append(long, next...); len(b) > 0; {
				n := min(piece, len(b))
				sc.write(b[:n], func(r request) { got = append(got, r) })
				b = b[n:]
				require.LessOrEqual(t, cap(sc.prefix), 2*maxPrefix)
			}
			require.Len(t, got, 2)
			if whole := piece > len(long); whole {
				assert.False(t, got[0].answered)
			} else {
				assert.True(t, got[0].answered, "the acks were not seen, so an answer may come")
			}
			assert.True(t, sc.atStart())
			assert.False(t, sc.opaque)
		})
	}
}

// With cuts kgo does not write, but a wrapper may: the body must not be copied
// because the first byte of its frame came alone.
func TestALargeWriteIsNotCopied(t *testing.T) {
	const size = 32 << 20
	large := append(encodeKey(3, 9, 0), make([]byte, size)...)
	sized(large)
	for _, cut := range []int{0, 1, headerLen - 1, headerLen} {
		var before, after runtime.MemStats
		var sc scanner
		runtime.ReadMemStats(&before)
		sc.write(large[:cut], func(request) {})
		sc.write(large[cut:], func(request) {})
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*maxPrefix), "cut at %d", cut)
		assert.True(t, sc.atStart())
	}
}

func TestLongestClientAndTransactionalIDsDoNotHideTheAcks(t *testing.T) {
	for _, version := range []int16{8, 9, 13} {
		frame := produce(version, 0, repeated(math.MaxInt16), repeated(math.MaxInt16), 0)
		var sc scanner
		var got []request
		for i := range frame {
			sc.write(frame[i:i+1], func(r request) { got = append(got, r) })
		}
		require.Len(t, got, 1)
		assert.False(t, got[0].answered)
	}
}
