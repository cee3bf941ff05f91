package wire

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
)

// body is what a request and a response have in common.
type body interface {
	AppendTo(dst []byte) []byte
	ReadFrom(src []byte) error
}

// plainMessages makes, by name, an empty message of every kind that is not
// flexible.
func plainMessages() map[string]func() body {
	p := kcfg.DefaultProtocol()
	return map[string]func() body{
		"DescribeClientConfigsRequest":  func() body { return NewDescribeClientConfigsRequest(p) },
		"DescribeClientConfigsResponse": func() body { return NewDescribeClientConfigsResponse(p) },
		"AlterClientConfigsRequest":     func() body { return NewAlterClientConfigsRequest(p) },
		"AlterClientConfigsResponse":    func() body { return NewAlterClientConfigsResponse(p) },
	}
}

// plainGolden has, by name of the message and of the file, what the golden files
// of the messages that are not flexible say.
func plainGolden() map[string]map[string]body {
	all := make(map[string]map[string]body)
	for _, m := range []map[string]map[string]body{describeGolden(), alterGolden()} {
		maps.Copy(all, m)
	}
	return all
}

func TestPlainMessagesAreWrittenAndReadAsInTheGoldenFiles(t *testing.T) {
	for message, files := range plainGolden() {
		for name, want := range files {
			bytes := golden(t, name)
			assert.Equal(t, bytes, want.AppendTo(nil), name)
			assert.Equal(t, bytes, want.AppendTo(nil), "%s, once more", name)

			fresh := plainMessages()[message]()
			require.NoError(t, fresh.ReadFrom(bytes), name)
			assert.Equal(t, want, fresh, name)

			// Nothing of an earlier message stays.
			for other := range files {
				require.NoError(t, fresh.ReadFrom(golden(t, other)), name)
				require.NoError(t, fresh.ReadFrom(bytes), name)
				assert.Equal(t, want, fresh, "%s after %s", name, other)
			}
		}
	}
}

func TestPlainMessagesSurviveARoundTrip(t *testing.T) {
	for message, gen := range anyPlain() {
		t.Run(message, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				sent := gen.Draw(t, "message")
				encoded := sent.AppendTo(nil)
				require.Equal(t, encoded, sent.AppendTo(nil))
				got := plainMessages()[message]()
				require.NoError(t, got.ReadFrom(encoded))
				require.Equal(t, sent, got)
			})
		})
	}
}

// anyPlain generates messages. Arrays that may be null are nil or not, those
// that may not are nil when empty, as they are read.
func anyPlain() map[string]*rapid.Generator[body] {
	str := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", strings.Repeat("m", MaxStringLen), "\xff\xfe", "acks"}))
	ptr := rapid.Ptr(str, true)
	part := rapid.Custom(func(t *rapid.T) kcfg.EntityPart {
		return kcfg.EntityPart{Type: str.Draw(t, "type"), Name: ptr.Draw(t, "name")}
	})
	value := rapid.Custom(func(t *rapid.T) kcfg.KeyValue {
		return kcfg.KeyValue{Key: str.Draw(t, "key"), Value: str.Draw(t, "value")}
	})
	op := rapid.Custom(func(t *rapid.T) kcfg.Op {
		return kcfg.Op{Key: str.Draw(t, "key"), Value: str.Draw(t, "value"), Remove: rapid.Bool().Draw(t, "remove")}
	})
	component := rapid.Custom(func(t *rapid.T) DescribeComponent {
		return DescribeComponent{str.Draw(t, "type"), rapid.Int8().Draw(t, "match type"), ptr.Draw(t, "match")}
	})
	entry := rapid.Custom(func(t *rapid.T) DescribeEntry {
		return DescribeEntry{plain(t, part), plain(t, value)}
	})
	change := rapid.Custom(func(t *rapid.T) AlterEntry { return AlterEntry{plain(t, part), plain(t, op)} })
	result := rapid.Custom(func(t *rapid.T) AlterResult {
		return AlterResult{rapid.Int16().Draw(t, "code"), ptr.Draw(t, "message"), plain(t, part)}
	})
	p := kcfg.DefaultProtocol()
	return map[string]*rapid.Generator[body]{
		"DescribeClientConfigsRequest": rapid.Custom(func(t *rapid.T) body {
			r := NewDescribeClientConfigsRequest(p)
			r.Components, r.SupportedConfigs = plain(t, component), nullable(t, str)
			r.ResolveEntity, r.Strict = rapid.Bool().Draw(t, "resolve"), rapid.Bool().Draw(t, "strict")
			return r
		}),
		"DescribeClientConfigsResponse": rapid.Custom(func(t *rapid.T) body {
			r := NewDescribeClientConfigsResponse(p)
			r.ThrottleMillis, r.ErrorCode = rapid.Int32().Draw(t, "throttle"), rapid.Int16().Draw(t, "code")
			r.ErrorMessage, r.Entries = ptr.Draw(t, "message"), nullable(t, entry)
			return r
		}),
		"AlterClientConfigsRequest": rapid.Custom(func(t *rapid.T) body {
			r := NewAlterClientConfigsRequest(p)
			r.Entries, r.ValidateOnly = plain(t, change), rapid.Bool().Draw(t, "validate only")
			return r
		}),
		"AlterClientConfigsResponse": rapid.Custom(func(t *rapid.T) body {
			r := NewAlterClientConfigsResponse(p)
			r.ThrottleMillis, r.Entries = rapid.Int32().Draw(t, "throttle"), plain(t, result)
			return r
		}),
	}
}

func plain[T any](t *rapid.T, g *rapid.Generator[T]) []T {
	s := rapid.SliceOfN(g, 0, 3).Draw(t, "array")
	if len(s) == 0 {
		return nil
	}
	return s
}

func nullable[T any](t *rapid.T, g *rapid.Generator[T]) []T {
	if rapid.Bool().Draw(t, "null") {
		return nil
	}
	return append(make([]T, 0), plain(t, g)...)
}

// mustFailPlain reads bytes into a message that holds something, and wants an
// error with the message's name and the receiver as it was.
func mustFailPlain(t *testing.T, message string, bytes []byte) error {
	t.Helper()
	files := plainGolden()[message]
	name := slices.Sorted(maps.Keys(files))[0]
	r := files[name]
	err := r.ReadFrom(bytes)
	require.ErrorContains(t, err, "wire: "+message+": ", "% x", bytes)
	require.Equal(t, plainGolden()[message][name], r, "% x", bytes)
	return err
}

func TestEveryTruncationOfAPlainMessageIsAnErrorThatNamesIt(t *testing.T) {
	for message, files := range plainGolden() {
		for name := range files {
			bytes := golden(t, name)
			for n := range bytes {
				_ = mustFailPlain(t, message, bytes[:n:n])
				_ = mustFailPlain(t, message, bytes[:n])
			}
			assert.ErrorContains(t, mustFailPlain(t, message, append(bytes, 0)), "1 bytes behind the end")
		}
	}
}

func TestWrongPlainBodiesAreErrorsThatNameTheField(t *testing.T) {
	const (
		describe  = "DescribeClientConfigsRequest"
		described = "DescribeClientConfigsResponse"
		alter     = "AlterClientConfigsRequest"
		altered   = "AlterClientConfigsResponse"
	)
	for _, tt := range []struct{ name, message, body, want string }{
		{"null components", describe, "ffffffff 00000000 00 00", "Components is null"},
		{"negative components", describe, "fffffffe ffffffff 00 00", "Components has a negative length"},
		{"components beyond the body", describe, "00000001 ffffffff", "Components has more elements than the message can hold"},
		{"2^31-1 components", describe, "7fffffff ffffffff 00 00", "Components has more elements"},
		{"null entity type", describe, "00000001 ffff 00 ffff ffffffff 00 00", "EntityType is null"},
		{"negative entity type", describe, "00000001 fffe 00 ffff ffffffff 00 00", "EntityType has a negative length"},
		{"negative match", describe, "00000001 0000 00 8000 ffffffff 00 00", "Match has a negative length"},
		{"match beyond the body", describe, "00000001 0000 00 0007 ffffffff 00 00", "Match is longer than the message"},
		{"negative supported keys", describe, "00000000 80000000 00 00", "SupportedConfigs has a negative length"},
		{"null supported key", describe, "00000000 00000001 ffff 00 00", "SupportedConfigs is null"},
		{"supported keys beyond the body", describe, "00000000 00000002 0000 00", "SupportedConfigs has more elements"},

		{"negative entries", described, "00000000 0000 ffff fffffffe", "Entries has a negative length"},
		{"entries beyond the body", described, "00000000 0000 ffff 00000001 00000000 000000", "Entries has more elements"},
		{"negative message", described, "00000000 0000 fffe ffffffff", "ErrorMessage has a negative length"},
		{"null entity", described, "00000000 0000 ffff 00000001 ffffffff 00000000", "Entity is null"},
		{"null values", described, "00000000 0000 ffff 00000001 00000000 ffffffff", "Values is null"},
		{"entity beyond the body", described, "00000000 0000 ffff 00000001 00000002 0000 ffff", "Entity has more elements"},
		{"values beyond the body", described, "00000000 0000 ffff 00000001 00000000 00000002 0000 0000", "Values has more elements"},
		{"null key", described, "00000000 0000 ffff 00000001 00000000 00000001 ffff 0000", "Key is null"},
		{"null value", described, "00000000 0000 ffff 00000001 00000000 00000001 0000 ffff", "Value is null"},

		{"null entries", alter, "ffffffff 00", "Entries is null"},
		{"null ops", alter, "00000001 00000000 ffffffff 00", "Ops is null"},
		{"ops beyond the body", alter, "00000001 00000000 00000001 00", "Ops has more elements"},
		{"null op key", alter, "00000001 00000000 00000001 ffff 0000 00 00", "Key is null"},
		{"null op value", alter, "00000001 00000000 00000001 0000 ffff 00 00", "Value is null"},

		{"null results", altered, "00000000 ffffffff", "Entries is null"},
		{"results beyond the body", altered, "00000000 00000001 0000 ffff", "Entries has more elements"},
	} {
		assert.ErrorContains(t, mustFailPlain(t, tt.message, unhex(t, tt.body)), tt.want, tt.name)
	}
}

func TestPlainMessagesAppendBehindWhatIsThere(t *testing.T) {
	for _, files := range plainGolden() {
		for name, m := range files {
			want := golden(t, name)
			for _, room := range []int{0, 1, len(want), len(want) + 100} {
				before := []byte("bytes of a header")
				dst := append(make([]byte, 0, len(before)+room), before...)
				assert.Equal(t, slices.Concat(before, want), m.AppendTo(dst), name)
				assert.Equal(t, []byte("bytes of a header"), dst)
			}
		}
	}
}

func TestPlainMessagesKeepNothingOfTheFrame(t *testing.T) {
	for message, files := range plainGolden() {
		for name, want := range files {
			bytes := golden(t, name)
			m := plainMessages()[message]()
			require.NoError(t, m.ReadFrom(bytes))
			clear(bytes)
			assert.Equal(t, want, m, name)
		}
	}
}

func TestPlainFramesHaveTheHeaderThatIsNotFlexible(t *testing.T) {
	r := NewDescribeClientConfigsRequest(kcfg.DefaultProtocol())
	frame := kmsg.NewRequestFormatter(kmsg.FormatterClientID("x")).AppendRequest(nil, r, 0x01020304)
	header := unhex(t, "03 84  00 00  01 02 03 04  00 01 78") // key 900, version, correlation id, client id; no tags
	require.Equal(t, uint32(len(header)+len(r.AppendTo(nil))), binary.BigEndian.Uint32(frame))
	require.Equal(t, header, frame[4:4+len(header)])
}

func TestTheProtocolDecidesTheKeysOfPlainMessages(t *testing.T) {
	p := kcfg.DefaultProtocol()
	p.DescribeClientConfigsKey, p.AlterClientConfigsKey = 1234, 1235
	for key, pair := range map[int16]struct {
		req  kmsg.Request
		resp kmsg.Response
	}{
		1234: {NewDescribeClientConfigsRequest(p), NewDescribeClientConfigsResponse(p)},
		1235: {NewAlterClientConfigsRequest(p), NewAlterClientConfigsResponse(p)},
	} {
		pair.req.SetVersion(3)
		pair.resp.SetVersion(4)
		assert.Equal(t, key, pair.req.Key())
		assert.Equal(t, key, pair.resp.Key())
		assert.Equal(t, key, pair.req.ResponseKind().Key())
		assert.Equal(t, key, pair.resp.RequestKind().Key())
		assert.EqualValues(t, 3, pair.req.GetVersion())
		assert.EqualValues(t, 3, pair.req.ResponseKind().GetVersion())
		assert.EqualValues(t, 4, pair.resp.GetVersion())
		assert.EqualValues(t, 4, pair.resp.RequestKind().GetVersion())
		assert.IsType(t, pair.resp, pair.req.ResponseKind())
		assert.IsType(t, pair.req, pair.resp.RequestKind())
		assert.Zero(t, pair.req.MaxVersion())
		assert.Zero(t, pair.resp.MaxVersion())
		assert.False(t, pair.req.IsFlexible())
		assert.False(t, pair.resp.IsFlexible())
		for _, m := range []any{pair.req, pair.resp} {
			// kgo would route, hold or isolate them; see those of PushConfig.
			assert.False(t, implements[kmsg.TimeoutRequest](m))
			assert.False(t, implements[kmsg.ThrottleResponse](m))
			assert.False(t, implements[kmsg.AdminRequest](m))
			assert.False(t, implements[kmsg.UnsafeReadFrom](m))
		}

		// The body does not hold the key or the version, so reading one keeps
		// them.
		require.NoError(t, pair.req.ReadFrom(pair.req.AppendTo(nil)))
		require.NoError(t, pair.resp.ReadFrom(pair.resp.AppendTo(nil)))
		assert.Equal(t, key, pair.req.Key())
		assert.Equal(t, key, pair.resp.Key())
		assert.EqualValues(t, 3, pair.req.GetVersion())
		assert.EqualValues(t, 4, pair.resp.GetVersion())
	}
}

// plainGrowth bounds what the decoders of this file's messages allocate for a
// body, as growth does: a part of an entity takes four bytes at least and becomes
// 24 and a string header of 16, ten times the body; the rest is the allocator's.
const plainGrowth = 12

func expensivePlainBodies(n int) map[string][]byte {
	zeros, ones := make([]byte, n), bytes.Repeat([]byte{0xff}, n)
	array := func(before string, elem []byte, claim int) []byte {
		b := append([]byte(before), kbin.AppendArrayLen(nil, claim)...)
		return append(b, bytes.Repeat(elem, n/len(elem))...)
	}
	const described = "\x00\x00\x00\x00\x00\x00\xff\xff" // what is before Entries
	empty := []byte{0, 0, 0, 0}
	return map[string][]byte{
		"zeros":                      zeros,
		"ones":                       ones,
		"components":                 append(array("", []byte{0, 0, 0, 0, 0}, n/5), 0xff, 0xff, 0xff, 0xff, 0, 0),
		"components, then nothing":   array("", []byte{0xff}, n/5),
		"supported keys":             append(array(string(empty), []byte{0, 0}, n/2), 0, 0),
		"entries":                    array(described, make([]byte, 8), n/8),
		"entries, then nothing":      array(described, []byte{0xff}, n/8),
		"values of one entry":        array(described+"\x00\x00\x00\x01\x00\x00\x00\x00", empty, n/4),
		"values, then nothing":       array(described+"\x00\x00\x00\x01\x00\x00\x00\x00", []byte{0xff}, n/4),
		"parts of one entry":         array(described+"\x00\x00\x00\x01", empty, n/4-1),
		"entries to alter":           append(array("", make([]byte, 8), n/8), 0),
		"parts of one to alter":      array("\x00\x00\x00\x01", empty, n/4-1),
		"ops of one":                 append(array("\x00\x00\x00\x01\x00\x00\x00\x00", make([]byte, 5), n/5), 0),
		"results":                    array(string(empty), make([]byte, 8), n/8),
		"2^31-1 of whatever":         array("", []byte{0}, 1<<31-1),
		"2^31-1 entries":             array(described, []byte{0}, 1<<31-1),
		"entries that claim entries": array(described, []byte{0, 0, 0, 1, 0, 0, 0, 0}, n/8),
	}
}

func TestPlainDecodersAllocateInProportionToTheBody(t *testing.T) {
	for _, n := range []int{20, 100, 5000, 1 << 17} {
		for name, body := range expensivePlainBodies(n) {
			for message, fresh := range plainMessages() {
				r := fresh()
				assert.LessOrEqual(t, allocated(func() { _ = r.ReadFrom(body) }), plainGrowth*len(body)+slack, "%s: %s, %d bytes", message, name, n)
			}
		}
	}
}

func TestThePlainAllocationBoundIsTight(t *testing.T) {
	body := expensivePlainBodies(1 << 17)["parts of one entry"]
	r := NewDescribeClientConfigsResponse(kcfg.DefaultProtocol())
	got := allocated(func() {
		if err := r.ReadFrom(append(slices.Clip(body), 0, 0, 0, 0)); err != nil && !strings.Contains(err.Error(), "behind the end") {
			t.Fatal(err)
		}
	})
	assert.Greater(t, got, (plainGrowth-3)*len(body))
}

// fuzzPlain is the fuzz target of one message.
func fuzzPlain(f *testing.F, message string) {
	f.Helper()
	for name := range plainGolden()[message] {
		f.Add(golden(f, name))
	}
	for _, body := range expensivePlainBodies(48) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := slices.Clone(src)
		r := plainMessages()[message]()
		err := r.ReadFrom(src)
		require.Equal(t, before, src, "the body changed")
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "wire: "+message+": "), "%v", err)
			require.Equal(t, plainMessages()[message](), r)
			return
		}
		again := plainMessages()[message]()
		encoded := r.AppendTo(nil)
		require.Equal(t, encoded, r.AppendTo(nil))
		require.Len(t, encoded, len(src))
		require.NoError(t, again.ReadFrom(encoded))
		require.Equal(t, r, again)
	})
}

func FuzzDescribeClientConfigsRequest(f *testing.F)  { fuzzPlain(f, "DescribeClientConfigsRequest") }
func FuzzDescribeClientConfigsResponse(f *testing.F) { fuzzPlain(f, "DescribeClientConfigsResponse") }
func FuzzAlterClientConfigsRequest(f *testing.F)     { fuzzPlain(f, "AlterClientConfigsRequest") }
func FuzzAlterClientConfigsResponse(f *testing.F)    { fuzzPlain(f, "AlterClientConfigsResponse") }
