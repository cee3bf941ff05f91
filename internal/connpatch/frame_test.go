package connpatch

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"
)

// produce returns the frame of a Produce request with one small partition.
func produce(version int16, corr int32, clientID, txnID *string, acks int16) []byte {
	req := kmsg.NewPtrProduceRequest()
	req.Version = version
	req.TransactionID = txnID
	req.Acks = acks
	req.TimeoutMillis = 10_000
	p := kmsg.NewProduceRequestTopicPartition()
	p.Records = []byte("records")
	topic := kmsg.NewProduceRequestTopic()
	topic.Topic = "topic"
	topic.Partitions = append(topic.Partitions, p)
	req.Topics = append(req.Topics, topic)
	return encode(req, corr, clientID)
}

// acksEnd finds behind which byte of the frame the acks end, without a parser:
// it is the last byte that changes with them.
func acksEnd(t require.TestingT, version int16, clientID, txnID *string) int {
	a := produce(version, 0, clientID, txnID, 0x0102)
	b := produce(version, 0, clientID, txnID, 0x0304)
	require.Len(t, b, len(a))
	end := 0
	for i := range a {
		if a[i] != b[i] {
			end = i + 1
		}
	}
	require.Positive(t, end)
	return end
}

func repeated(n int) *string { return new(strings.Repeat("i", n)) }

func describe(s *string) string {
	if s == nil {
		return "null"
	}
	return fmt.Sprint(len(*s))
}

func TestProduceAcksAreWhatKmsgEncoded(t *testing.T) {
	clientIDs := []*string{nil, repeated(0), repeated(3), repeated(300)}
	txnIDs := []*string{nil, repeated(0), repeated(5), repeated(127), repeated(300), repeated(20_000)}
	for version := range kmsg.NewPtrProduceRequest().MaxVersion() + 1 {
		for _, clientID := range clientIDs {
			for _, txnID := range txnIDs {
				name := fmt.Sprintf("v%d client %s txn %s", version, describe(clientID), describe(txnID))
				t.Run(name, func(t *testing.T) {
					end := acksEnd(t, version, clientID, txnID)
					for _, acks := range []int16{-1, 0, 1, 258} {
						frame := produce(version, 7, clientID, txnID, acks)
						for n := range len(frame) + 1 {
							want, wantAcks := needMore, int16(0)
							if n >= end {
								want, wantAcks = found, acks
							}
							got, v := produceAcks(version, frame[:n:n])
							if v != want || got != wantAcks {
								t.Fatalf("the first %d bytes: %v %d", n, v, got)
							}
						}
					}
				})
			}
		}
	}
}

func TestProduceAcksOfAnyFrameAreWhatKmsgEncoded(t *testing.T) {
	id := rapid.Ptr(rapid.StringN(0, 400, 1000), true)
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.Int16Range(0, newestProduce).Draw(t, "version")
		clientID, txnID := id.Draw(t, "client id"), id.Draw(t, "txn id")
		acks := rapid.Int16().Draw(t, "acks")
		frame := produce(version, 0, clientID, txnID, acks)
		end := acksEnd(t, version, clientID, txnID)
		n := rapid.IntRange(0, len(frame)).Draw(t, "cut")

		got, v := produceAcks(version, frame[:n])
		if n < end {
			require.Equal(t, needMore, v)
			return
		}
		require.Equal(t, found, v)
		require.Equal(t, acks, got)
	})
}

func TestProduceOfAVersionToComeIsReadAsTheNewest(t *testing.T) {
	frame := produce(newestProduce, 0, repeated(3), nil, 1)
	got, v := produceAcks(newestProduce+1, frame)
	assert.Equal(t, found, v)
	assert.EqualValues(t, 1, got)
}

func TestProduceAcksCannotBeReadBehindWhatKgoNeverWrites(t *testing.T) {
	client := repeated(3)
	frame := produce(9, 0, client, nil, 1)
	const tags = headerLen + 2 + 3
	for name, edit := range map[string]func([]byte) []byte{
		"tags in the header":        func(b []byte) []byte { b[tags] = 1; return b },
		"a length above all frames": func(b []byte) []byte { return append(b[:tags+1], 0xff, 0xff, 0xff, 0xff, 0x0f) },
		"a length above 31 bits":    func(b []byte) []byte { return append(b[:tags+1], 0x80, 0x80, 0x80, 0x80, 0x08) },
		"a length above 32 bits":    func(b []byte) []byte { return append(b[:tags+1], 0x80, 0x80, 0x80, 0x80, 0x10) },
		"a length that never ends":  func(b []byte) []byte { return append(b[:tags+1], 0x80, 0x80, 0x80, 0x80, 0x80, 0x80) },
	} {
		t.Run(name, func(t *testing.T) {
			_, v := produceAcks(9, edit(append([]byte(nil), frame...)))
			assert.Equal(t, malformed, v)
		})
	}
}

func TestUvarintReadsWhatKbinWrites(t *testing.T) {
	values := []uint32{0, 1, 127, 128, 16383, 16384, 1<<21 - 1, 1 << 21, 1<<28 - 1, 1 << 28, math.MaxInt32, math.MaxUint32}
	for _, want := range values {
		b := kbin.AppendUvarint([]byte{0xff}, want)
		for n := range b {
			_, _, v := uvarint(b[:n], 1)
			require.Equal(t, needMore, v, "%d bytes of %d", n, want)
		}
		got, width, v := uvarint(append(b, 0xff), 1)
		assert.Equal(t, found, v)
		assert.Equal(t, want, got)
		assert.Equal(t, len(b)-1, width)
	}
}

func TestCorrelationIDsCountAsKgoDoes(t *testing.T) {
	assert.EqualValues(t, 1, nextCorrelation(0))
	assert.EqualValues(t, math.MaxInt32, nextCorrelation(math.MaxInt32-1))
	assert.EqualValues(t, 0, nextCorrelation(math.MaxInt32))
}

func TestOnlyTheNextRequestOfKgoIsPlausible(t *testing.T) {
	good := header{size: headerLen - 4, key: 3, version: 12, corr: 5}
	assert.True(t, good.plausible(5))
	for name, tc := range map[string]struct {
		edit func(*header)
		want bool
	}{
		"largest size":            {func(h *header) { h.size = maxFrame }, true},
		"above the largest size":  {func(h *header) { h.size = maxFrame + 1 }, false},
		"smaller than a header":   {func(h *header) { h.size = headerLen - 5 }, false},
		"negative size":           {func(h *header) { h.size = -1 }, false},
		"unknown key":             {func(h *header) { h.key = math.MaxInt16 }, true},
		"key zero":                {func(h *header) { h.key = 0 }, true},
		"negative key":            {func(h *header) { h.key = -1 }, false},
		"largest version":         {func(h *header) { h.version = maxVersion }, true},
		"above all versions":      {func(h *header) { h.version = maxVersion + 1 }, false},
		"negative version":        {func(h *header) { h.version = -1 }, false},
		"earlier correlation id":  {func(h *header) { h.corr = 4 }, false},
		"later correlation id":    {func(h *header) { h.corr = 6 }, false},
		"negative correlation id": {func(h *header) { h.corr = -5 }, false},
	} {
		h := good
		tc.edit(&h)
		assert.Equal(t, tc.want, h.plausible(5), name)
	}
}

func FuzzProduceAcks(f *testing.F) {
	for version := range int16(newestProduce + 1) {
		f.Add(version, produce(version, 0, repeated(3), repeated(4), 1), 20)
	}
	f.Add(int16(9), append(produce(9, 0, nil, nil, 0)[:headerLen+3], 0xff, 0xff, 0xff, 0xff, 0x7f), 3)
	f.Add(int16(9), append(produce(9, 0, nil, nil, 0)[:headerLen+3], 0x80, 0x80, 0x80, 0x80, 0x08, 0, 0), 3)
	f.Fuzz(func(t *testing.T, version int16, frame []byte, cut int) {
		acks, v := produceAcks(version, frame)
		if cut < 0 || cut > len(frame) {
			return
		}
		// A shorter start says the same, or that it is too short.
		got, start := produceAcks(version, frame[:cut:cut])
		if start == needMore {
			return
		}
		if start != v || got != acks {
			t.Fatalf("%d bytes: %v %d, %d bytes: %v %d", cut, start, got, len(frame), v, acks)
		}
	})
}
