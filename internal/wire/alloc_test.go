package wire

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kbin"
)

// What a decoder allocates for a body of n bytes is at most growth*n + slack,
// whatever the body claims.
//
// growth: an entry takes five bytes at least and becomes a sensitive.Entry of
// 40, so the array of entries is 8 times the body at most. A string costs its
// own bytes, which are then not spent on entries: at most 16 for a body's 9, the
// worst case of the allocator. So the array alone is the worst, and a ninth part
// is for the allocator, which rounds up by at most an eighth.
//
// slack: an error and its text, the reader, and a page of 8 kB, to which large
// objects are rounded up.
const (
	growth = 9
	slack  = 8<<10 + 1<<10
)

// allocated returns how many bytes a call of f allocates, on average.
func allocated(f func()) int {
	const runs = 4
	var before, after runtime.MemStats
	f()
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / runs
}

// expensiveBodies are bodies of about n bytes that make a decoder allocate as
// much as it can be made to, or claim that it should.
func expensiveBodies(n int) map[string][]byte {
	entries := func(entry []byte) []byte {
		count := n / len(entry)
		return append(append(kbin.AppendCompactArrayLen(nil, count), bytes.Repeat(entry, count)...), 0)
	}
	array := func(count int, rest []byte) []byte { return append(kbin.AppendCompactArrayLen(nil, count), rest...) }
	zeros := make([]byte, n)
	ones := bytes.Repeat([]byte{1}, n)
	tags := bytes.Repeat([]byte{5, 0}, n/2)
	random := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)

	return map[string][]byte{
		"empty entries":                  entries([]byte{1, 1, 0, 0, 0}),
		"keys of two bytes":              entries([]byte{3, 'a', 'b', 1, 0, 0, 0}),
		"keys of nine bytes":             entries(slices.Concat([]byte{10}, ones[:9], []byte{1, 0, 0, 0})),
		"keys and values of nine bytes":  entries(slices.Concat([]byte{10}, ones[:9], []byte{10}, ones[:9], []byte{0, 0, 0})),
		"keys of 17 bytes":               entries(slices.Concat([]byte{18}, ones[:17], []byte{1, 0, 0, 0})),
		"as many entries as may fit":     array(n/5, zeros),
		"as many entries, then nothing":  array(n/5, ones),
		"one entry more than fits":       array(n/5+1, zeros),
		"2^32 entries":                   array(1<<32-2, zeros),
		"a string of 2^32 bytes":         append([]byte{2, 0xff, 0xff, 0xff, 0xff, 0x0f}, zeros...),
		"a string of the rest":           append(kbin.AppendUvarint([]byte{2}, uint32(min(n, MaxStringLen))+1), ones...),
		"a response, a message and more": append(append(make([]byte, 6), kbin.AppendUvarint(nil, uint32(min(n, MaxStringLen))+1)...), ones...),
		"a response of 2^32 bytes":       append([]byte{0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}, zeros...),
		"2^32 tags":                      append([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f}, tags...),
		"tags of a response":             append([]byte{0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}, tags...),
		"zeros":                          zeros,
		"ones":                           ones,
		"random":                         random,
	}
}

func TestDecodersAllocateInProportionToTheBody(t *testing.T) {
	for _, n := range []int{20, 100, 1000, 5000, 32767, 1 << 18} {
		for name, body := range expensiveBodies(n) {
			limit := growth*len(body) + slack
			request, response := newRequest(), newResponse()
			assert.LessOrEqual(t, allocated(func() { _ = request.ReadFrom(body) }), limit, "request: %s, %d bytes", name, n)
			assert.LessOrEqual(t, allocated(func() { _ = response.ReadFrom(body) }), len(body)+slack, "response: %s, %d bytes", name, n)
		}
	}
}

func TestTheAllocationBoundIsTight(t *testing.T) {
	// If this fails the bound has become generous, and the test above weak.
	body := expensiveBodies(1 << 17)["empty entries"]
	request := newRequest()
	got := allocated(func() {
		if err := request.ReadFrom(body); err != nil {
			t.Fatal(err)
		}
	})
	assert.Greater(t, got, (growth-2)*len(body))
}
