package fakebroker

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestAcksAreFoundInEveryVersionOfProduce(t *testing.T) {
	t.Parallel()
	highest := kmsg.NewPtrProduceRequest().MaxVersion()
	require.EqualValues(t, 13, highest, "a new version of Produce: check where acks is")
	for version := range highest + 1 {
		for _, clientID := range []string{"", "id", strings.Repeat("c", 300)} {
			for _, txn := range []*string{nil, new(""), new(strings.Repeat("t", 200))} {
				for _, acks := range []int16{-1, 0, 1} {
					req := requestAt(kmsg.NewPtrProduceRequest(), version)
					req.Acks, req.TransactionID = acks, txn
					frame := kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID)).AppendRequest(nil, req, 1)
					got, ok := produceAcks(frame)
					require.True(t, ok)
					require.Equal(t, acks, got, "version %d", version)
					// Where the prefix is too short it says so, and never something else.
					for n := range frame {
						if got, ok := produceAcks(frame[:n]); ok {
							require.Equal(t, acks, got, "version %d, %d bytes", version, n)
						}
					}
				}
			}
		}
	}
}

func TestAcksAreNotLookedForInOtherRequests(t *testing.T) {
	t.Parallel()
	_, ok := produceAcks(formatted(metadataOf(), 1))
	require.False(t, ok)
}

func TestAnImpossibleSizeIsMalformed(t *testing.T) {
	t.Parallel()
	for size, ok := range map[int32]bool{
		-1: false, 0: false, 7: false, 8: true, 100 << 20: true, 100<<20 + 1: false, 1<<31 - 1: false,
	} {
		_, err := frameSize(kbin.AppendInt32(nil, size))
		require.Equal(t, ok, err == nil, "size %d", size)
	}
}

func TestARequestHeaderIsReadInBothForms(t *testing.T) {
	t.Parallel()
	head := []byte{3, 134, 0, 0, 0, 0, 0, 5} // key 902, version 0, correlation id 5
	for _, tt := range []struct {
		name     string
		rest     []byte
		flexible bool
		clientID string
		body     []byte
		ok       bool
	}{
		{"plain", []byte{0, 1, 'c', 9}, false, "c", []byte{9}, true},
		{"null client id", []byte{255, 255, 9}, false, "", []byte{9}, true},
		{"empty body", []byte{0, 0}, false, "", []byte{}, true},
		{"flexible", []byte{0, 1, 'c', 0, 9}, true, "c", []byte{9}, true},
		{"flexible with tags", []byte{0, 1, 'c', 2, 0, 1, 7, 5, 0, 9}, true, "c", []byte{9}, true},
		{"client id beyond the frame", []byte{0, 9, 'c'}, false, "", nil, false},
		{"tag beyond the frame", []byte{0, 1, 'c', 1, 0, 9}, true, "", nil, false},
		{"no client id", nil, false, "", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			frame := sized(append(append(make([]byte, sizeLen), head...), tt.rest...))
			got, err := parseRequest(frame, tt.flexible)
			if !tt.ok {
				require.ErrorIs(t, err, errMalformed)
				return
			}
			require.NoError(t, err)
			require.Equal(t, frameHead{size: len(frame) - 4, key: 902, correlation: 5}, got.frameHead)
			require.Equal(t, tt.clientID, got.clientID)
			require.Equal(t, tt.body, got.body)

			_, err = parseRequest(append(frame, 0), tt.flexible)
			require.ErrorIs(t, err, errMalformed, "more than the frame")
		})
	}
}

func TestOnlyAWholeAnswerFrameIsWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		frame []byte
		want  bool
	}{
		{[]byte{0, 0, 0, 4, 0, 0, 0, 1}, true},
		{[]byte{0, 0, 0, 6, 0, 0, 0, 1, 0, 0}, true},
		{[]byte{0, 0, 0, 4, 0, 0, 0, 1, 0}, false},
		{[]byte{0, 0, 0, 6, 0, 0, 0, 1, 0}, false},
		{[]byte{0, 0, 0, 3, 0, 0, 1}, false},
		{[]byte{255, 255, 255, 255, 0, 0, 0, 1}, false},
		{nil, false},
	} {
		require.Equal(t, tt.want, wholeFrame(tt.frame), "%v", tt.frame)
	}
}

func FuzzRequestFrame(f *testing.F) {
	f.Add(formatted(kmsg.NewPtrHeartbeatRequest(), 1), false)
	f.Add(formatted(pushOf(f, entry("k", "v")), 2), true)
	f.Fuzz(func(t *testing.T, frame []byte, flexible bool) {
		before := bytes.Clone(frame)
		got, err := parseRequest(frame, flexible)
		require.Equal(t, before, frame)
		if err != nil {
			return
		}
		require.True(t, bytes.HasSuffix(frame, got.body))
		require.Len(t, frame, sizeLen+got.size)
	})
}

// The acks that the tap finds must be those that kfake will, or an answer is
// waited for that never comes.
func FuzzProduceAcks(f *testing.F) {
	for version := range int16(14) {
		req := requestAt(kmsg.NewPtrProduceRequest(), version)
		f.Add(formatted(req, 1)[sizeLen:])
		req.Acks, req.TransactionID = 0, new("txn")
		f.Add(formatted(req, 1)[sizeLen:])
	}
	f.Fuzz(func(t *testing.T, rest []byte) {
		frame := sized(append(make([]byte, sizeLen), rest...))
		before := bytes.Clone(frame)
		acks, ok := produceAcks(frame)
		require.Equal(t, before, frame)
		h, err := peekHead(frame)
		if err != nil || h.key != keyProduce {
			require.False(t, ok)
			return
		}
		// As kfake reads it.
		r := kbin.Reader{Src: frame[sizeLen+headLen:]}
		r.NullableString()
		req := requestAt(kmsg.NewPtrProduceRequest(), h.version)
		if req.IsFlexible() {
			kmsg.SkipTags(&r)
		}
		if err := req.ReadFrom(r.Src); err == nil {
			require.True(t, ok, "kfake takes it")
			require.Equal(t, req.Acks, acks)
		}
	})
}

func FuzzAnswerFrame(f *testing.F) {
	f.Add([]byte{0, 0, 0, 6, 0, 0, 0, 1, 0, 35}, false)
	f.Add([]byte{0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 35}, true)
	f.Fuzz(func(t *testing.T, frame []byte, flexible bool) {
		if _, ok := firstCode(frame, flexible); ok {
			require.True(t, wholeFrame(frame))
			require.GreaterOrEqual(t, len(frame), answerHead+2)
		}
		if wholeFrame(frame) {
			correlation(frame)
		}
	})
}

func TestAFirstCodeIsFoundBehindTheTags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		body     []byte
		flexible bool
		code     int16
		ok       bool
	}{
		{[]byte{0, 35}, false, 35, true},
		{[]byte{255, 255, 1}, false, -1, true},
		{[]byte{0, 0, 58}, true, 58, true},
		{[]byte{1, 0, 1, 7, 0, 58}, true, 58, true},
		{[]byte{0}, false, 0, false},
		{[]byte{1, 0, 9, 0, 0}, true, 0, false},
	} {
		t.Run(fmt.Sprint(tt.body), func(t *testing.T) {
			code, ok := firstCode(sized(append(make([]byte, answerHead), tt.body...)), tt.flexible)
			require.Equal(t, tt.ok, ok)
			require.Equal(t, tt.code, code)
		})
	}
}
