package connpatch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"
)

var groupKeys = []int16{
	keyOffsetCommit, keyOffsetFetch, keyFindCoordinator, keyJoinGroup, keyHeartbeat, keyLeave, keySyncGroup,
}

// field is a string of a request. set leaves a *string alone unless it sets it.
type field struct {
	name string
	set  func(string)
}

// fieldsOf returns every string in a value, after it made its slices two long.
func fieldsOf(v reflect.Value, path string) (out []field) {
	switch v.Kind() {
	case reflect.Pointer:
		switch {
		case v.Type().Elem().Kind() == reflect.String:
			return []field{{path, func(s string) { v.Set(reflect.ValueOf(&s)) }}}
		case !v.IsNil():
			return fieldsOf(v.Elem(), path)
		}
	case reflect.String:
		return []field{{path, v.SetString}}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "UnknownTags" {
				out = append(out, fieldsOf(v.Field(i), path+"."+f.Name)...)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("some bytes"))
			return nil
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			out = append(out, fieldsOf(v.Index(i), fmt.Sprint(path, i))...)
		}
	}
	return out
}

// groupRequest returns a request with two of everything, and its strings.
func groupRequest(key, version int16) (kmsg.Request, []field) {
	req := kmsg.RequestForKey(key)
	req.SetVersion(version)
	fields := fieldsOf(reflect.ValueOf(req), kmsg.NameForKey(key))
	for _, f := range fields {
		f.set("name")
	}
	return req, fields
}

// overlong are lengths that come out corrupt: negative ones, that of null, and those
// that come out as another length.
var overlong = []int{32_768, 40_000, 65_534, 65_535, 65_536, 65_540, 70_000, 100_000, 131_072, 200_000}

func isCorrupt(frame []byte) bool { return corrupt(parseHeader(frame), frame) }

func TestAStringThatIsTooLongForItsLengthIsFoundWhereverItIs(t *testing.T) {
	for _, key := range groupKeys {
		flexible, ok := flexibleFrom(key)
		require.True(t, ok)
		for v := range kmsg.RequestForKey(key).MaxVersion() + 1 {
			req, fields := groupRequest(key, v)
			require.Equal(t, v >= flexible, req.IsFlexible())
			plain := len(encode(req, 7, new("test")))
			written := 0
			for _, f := range fields {
				f.set(strings.Repeat("a", math.MaxInt16))
				frame := encode(req, 7, new("test"))
				assert.False(t, isCorrupt(frame), "%s v%d: the longest that there is", f.name, v)
				if len(frame) > plain {
					written++
					for _, n := range overlong {
						f.set(strings.Repeat("a", n))
						assert.Equal(t, v < flexible, isCorrupt(encode(req, 7, new("test"))), "%s v%d: %d bytes", f.name, v, n)
					}
				}
				f.set("name")
			}
			assert.Positive(t, written, "%s v%d", kmsg.NameForKey(key), v)
		}
	}
}

func TestOnlyGroupRequestsAreLookedAt(t *testing.T) {
	for key := range int16(kmsg.MaxKey) + 1 {
		req := kmsg.RequestForKey(key)
		if req == nil {
			continue
		}
		frame := sized(append(encodeKey(key, 0, 3), make([]byte, 40_000)...))
		_, group := flexibleFrom(key)
		assert.Equal(t, group, isCorrupt(frame), kmsg.NameForKey(key))
	}
}

func TestNullsAndEmptyArraysAreNotCorrupt(t *testing.T) {
	for _, key := range groupKeys {
		flexible, _ := flexibleFrom(key)
		for v := range flexible {
			// With a client id that fills the frame, so that it is looked at.
			req := kmsg.RequestForKey(key)
			req.SetVersion(v)
			assert.False(t, isCorrupt(encode(req, 3, new(strings.Repeat("c", math.MaxInt16)))), "%s v%d", kmsg.NameForKey(key), v)
		}
	}
}

// With any lengths and any bytes in all strings at once, a frame is corrupt if and
// only if one of them is too long.
func TestAFrameIsCorruptIffAStringIsTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom(groupKeys).Draw(t, "key")
		flexible, _ := flexibleFrom(key)
		req, fields := groupRequest(key, rapid.Int16Range(0, flexible-1).Draw(t, "version"))
		letter := rapid.SampledFrom([]string{"a", "\x7f", "\xff"}).Draw(t, "letter")
		long := false
		for _, f := range fields {
			n := rapid.OneOf(rapid.Just(4), rapid.IntRange(0, 100), rapid.IntRange(32_760, 33_000)).Draw(t, f.name)
			before := len(encode(req, 7, nil))
			f.set(strings.Repeat(letter, n))
			long = long || n > math.MaxInt16 && len(encode(req, 7, nil)) != before
		}
		require.Equal(t, long, isCorrupt(encode(req, 7, nil)))
	})
}

func FuzzCorrupt(f *testing.F) {
	for _, key := range groupKeys {
		flexible, _ := flexibleFrom(key)
		for v := range flexible {
			req, fields := groupRequest(key, v)
			f.Add(key, v, req.AppendTo(nil))
			fields[0].set(strings.Repeat("a", 40_000))
			f.Add(key, v, req.AppendTo(nil))
		}
	}
	f.Fuzz(func(t *testing.T, key, version int16, body []byte) {
		flexible, ok := flexibleFrom(key)
		if !ok || version < 0 || version >= flexible {
			return
		}
		frame := sized(append(encodeKey(key, version, 3)[:headerLen], append([]byte{0xff, 0xff}, body...)...))
		h := parseHeader(frame)
		req := kmsg.RequestForKey(key)
		req.SetVersion(version)
		// What kmsg reads and writes again as it was is a request of kgo's.
		if req.ReadFrom(body) == nil && bytes.Equal(req.AppendTo(nil), body) && corrupt(h, frame) {
			t.Fatal("a good request is taken for a corrupt one")
		}
		resp := invalidRequest(h, frame) // whatever it is, there is an answer
		if int(binary.BigEndian.Uint32(resp)) != len(resp)-sizeLen {
			t.Fatal("the answer is no frame")
		}
	})
}
