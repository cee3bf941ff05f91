package wire

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

func TestRequestsAreWrittenAsInTheGoldenFiles(t *testing.T) {
	for name, entries := range goldenRequests() {
		want := golden(t, name)
		r := NewPushConfigRequest(kcfg.DefaultProtocol(), cleaned(t, entries...)...)
		assert.Equal(t, want, r.AppendTo(nil), name)
		assert.Equal(t, want, r.AppendTo(nil), "%s, once more", name)
		assert.Equal(t, len(want)-1, r.ConfigsSize(), "%s: all but the tags of the request", name)
	}
}

func TestRequestsAreReadAsInTheGoldenFiles(t *testing.T) {
	for name, entries := range goldenRequests() {
		body := golden(t, name)
		r := newRequest()
		require.NoError(t, r.ReadFrom(body), name)
		if len(entries) == 0 {
			assert.Empty(t, r.Configs(), name)
		} else {
			assert.Equal(t, entries, r.Configs(), name)
		}
		assert.Equal(t, len(body)-1, r.ConfigsSize(), name)
		assert.Equal(t, body, r.AppendTo(nil), name)
	}
}

func TestResponsesAreWrittenAndReadAsInTheGoldenFiles(t *testing.T) {
	for name, want := range goldenResponses() {
		body := golden(t, name)
		assert.Equal(t, body, want.AppendTo(nil), name)
		assert.Equal(t, body, want.AppendTo(nil), "%s, once more", name)

		old := "of the last answer"
		r := newResponse()
		r.ThrottleMillis, r.ErrorCode, r.ErrorMessage = 7, 7, &old
		require.NoError(t, r.ReadFrom(body), name)
		assert.Equal(t, withKey(want), r, name)
	}
}

func anyEntry() *rapid.Generator[sensitive.Entry] {
	text := rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 300), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{strings.Repeat("m", MaxStringLen), strings.Repeat("m", 127), strings.Repeat("m", 16383)}),
	)
	return rapid.Custom(func(t *rapid.T) sensitive.Entry {
		return sensitive.Entry{
			Key:       text.Draw(t, "key"),
			Value:     text.Draw(t, "value"),
			Type:      sensitive.Type(rapid.Int8().Draw(t, "type")),
			IsDefault: rapid.Bool().Draw(t, "default"),
		}
	})
}

func TestRequestsSurviveARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(anyEntry(), 0, 8).Draw(t, "entries")
		sent := received(entries...)
		body := sent.AppendTo(nil)
		require.Equal(t, body, sent.AppendTo(nil))
		require.Equal(t, len(body)-1, sent.ConfigsSize())

		got := newRequest()
		require.NoError(t, got.ReadFrom(body))
		require.True(t, slices.Equal(entries, got.Configs()))
		require.Equal(t, sent.ConfigsSize(), got.ConfigsSize())
		require.Equal(t, body, got.AppendTo(nil))
	})
}

func TestFilteredRequestsSurviveARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clean, _ := sensitive.Filter(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sensitive.Entry {
			return sensitive.Entry{
				Key:       rapid.StringMatching(`[a-z]{1,8}(\.[a-z]{1,8}){0,3}`).Draw(t, "key"),
				Value:     rapid.StringN(0, 200, -1).Draw(t, "value"),
				Type:      sensitive.Type(rapid.Int8Range(0, 8).Draw(t, "type")),
				IsDefault: rapid.Bool().Draw(t, "default"),
			}
		}), 0, 8).Draw(t, "entries")...)
		sent := NewPushConfigRequest(kcfg.DefaultProtocol(), clean...)
		body := sent.AppendTo(nil)
		got := newRequest()
		require.NoError(t, got.ReadFrom(body))
		require.True(t, slices.Equal(sent.Configs(), got.Configs()))
		require.Len(t, got.Configs(), len(clean))
		for i, c := range clean {
			require.Equal(t, c.Entry(), got.Configs()[i])
		}
		require.Equal(t, len(body)-1, sent.ConfigsSize())
		require.Equal(t, len(body)-1, got.ConfigsSize())
	})
}

func TestResponsesSurviveARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := newResponse()
		sent.ThrottleMillis = rapid.Int32().Draw(t, "throttle")
		sent.ErrorCode = rapid.Int16().Draw(t, "code")
		sent.ErrorMessage = rapid.Ptr(rapid.String(), true).Draw(t, "message")
		body := sent.AppendTo(nil)
		require.Equal(t, body, sent.AppendTo(nil))

		got := newResponse()
		require.NoError(t, got.ReadFrom(body))
		require.Equal(t, sent, got)
	})
}

func TestAppendToLeavesWhatIsBeforeItAlone(t *testing.T) {
	request := NewPushConfigRequest(kcfg.DefaultProtocol(), cleaned(t, goldenRequests()["902_push_config_request"]...)...)
	response := goldenResponses()["902_push_config_response_long_message"]
	for name, appendTo := range map[string]func([]byte) []byte{"request": request.AppendTo, "response": response.AppendTo} {
		want := appendTo(nil)
		for _, room := range []int{0, 1, len(want) - 1, len(want), len(want) + 100} {
			before := []byte("bytes of a header")
			dst := append(make([]byte, 0, len(before)+room), before...)
			got := appendTo(dst)
			assert.Equal(t, before, dst, "%s, room for %d", name, room)
			assert.Equal(t, slices.Concat(before, want), got, "%s, room for %d", name, room)
		}
	}
}

func TestAFrameHasTheFlexibleHeader(t *testing.T) {
	r := NewPushConfigRequest(kcfg.DefaultProtocol(), cleaned(t, goldenRequests()["902_push_config_request"]...)...)
	frame := kmsg.NewRequestFormatter(kmsg.FormatterClientID("caf\u00e9")).AppendRequest(nil, r, 0x01020304)
	header := unhex(t, `
		03 86          # API key 902
		00 00          # version
		01 02 03 04    # correlation id
		00 05          # client id: two bytes of length, as in every version of the header
		63 61 66 c3 a9
		00             # no tags: the header of a flexible request
	`)
	body := golden(t, "902_push_config_request")
	require.Equal(t, uint32(len(header)+len(body)), binary.BigEndian.Uint32(frame))
	require.Equal(t, header, frame[4:4+len(header)])
	require.Equal(t, body, frame[4+len(header):])
}

func TestTheProtocolDecidesTheKey(t *testing.T) {
	p := kcfg.DefaultProtocol()
	p.PushConfigKey = 1234
	request, response := NewPushConfigRequest(p), NewPushConfigResponse(p)
	request.SetVersion(3)
	response.SetVersion(4)

	assert.EqualValues(t, 1234, request.Key())
	assert.EqualValues(t, 1234, response.Key())
	assert.EqualValues(t, 1234, request.ResponseKind().Key())
	assert.EqualValues(t, 1234, response.RequestKind().Key())
	assert.EqualValues(t, 3, request.GetVersion())
	assert.EqualValues(t, 3, request.ResponseKind().GetVersion())
	assert.EqualValues(t, 4, response.GetVersion())
	assert.EqualValues(t, 4, response.RequestKind().GetVersion())
	assert.IsType(t, response, request.ResponseKind())
	assert.IsType(t, request, response.RequestKind())

	// The body does not hold the key, so reading one keeps it.
	require.NoError(t, request.ReadFrom(golden(t, "902_push_config_request")))
	require.NoError(t, response.ReadFrom(golden(t, "902_push_config_response")))
	assert.EqualValues(t, 1234, request.Key())
	assert.EqualValues(t, 1234, response.Key())
}

func TestVersionZeroIsTheOnlyOneAndFlexible(t *testing.T) {
	request, response := newRequest(), newResponse()
	assert.Zero(t, request.MaxVersion())
	assert.Zero(t, response.MaxVersion())
	assert.Zero(t, request.GetVersion())
	assert.Zero(t, response.GetVersion())
	assert.True(t, request.IsFlexible())
	assert.True(t, response.IsFlexible())
}

func TestKgoSeesAPlainRequestAndAPlainResponse(t *testing.T) {
	var request, response any = newRequest(), newResponse()
	for name, is := range map[string]bool{
		// kgo sends requests with a timeout on a connection of their own,
		// which it kills when the context ends.
		"TimeoutRequest":    implements[kmsg.TimeoutRequest](request),
		"SetTimeoutRequest": implements[kmsg.SetTimeoutRequest](request),
		// kgo would hold everything that it sends to this broker, produce
		// requests too, for as long as our configuration is throttled.
		"ThrottleResponse":    implements[kmsg.ThrottleResponse](response),
		"SetThrottleResponse": implements[kmsg.SetThrottleResponse](response),
		// kgo would look for the controller or a coordinator and send it
		// there, though any broker takes it.
		"AdminRequest":            implements[kmsg.AdminRequest](request),
		"GroupCoordinatorRequest": implements[kmsg.GroupCoordinatorRequest](request),
		"TxnCoordinatorRequest":   implements[kmsg.TxnCoordinatorRequest](request),
		"ShareCoordinatorRequest": implements[kmsg.ShareCoordinatorRequest](request),
		// Its strings would keep the whole frame in memory.
		"UnsafeReadFrom, request":  implements[kmsg.UnsafeReadFrom](request),
		"UnsafeReadFrom, response": implements[kmsg.UnsafeReadFrom](response),
	} {
		assert.False(t, is, name)
	}
	assert.True(t, implements[kmsg.Request](request))
	assert.True(t, implements[kmsg.Response](response))
}

func implements[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func TestWhatConfigsReturnsIsACopy(t *testing.T) {
	r := NewPushConfigRequest(kcfg.DefaultProtocol(), cleaned(t, goldenRequests()["902_push_config_request"]...)...)
	before := r.AppendTo(nil)
	for i := range r.Configs() {
		r.Configs()[i] = sensitive.Entry{Key: "ssl.key.password", Value: "hunter2"}
	}
	configs := r.Configs()
	_ = append(configs[:0], sensitive.Entry{Key: "ssl.key.password", Value: "hunter2"})
	assert.Equal(t, before, r.AppendTo(nil))
}

func TestARequestKeepsNothingOfItsCallersSlices(t *testing.T) {
	clean := cleaned(t, goldenRequests()["902_push_config_request"]...)
	r := NewPushConfigRequest(kcfg.DefaultProtocol(), clean...)
	clear(clean)
	assert.Equal(t, golden(t, "902_push_config_request"), r.AppendTo(nil))

	body := golden(t, "902_push_config_request")
	require.NoError(t, r.ReadFrom(body))
	clear(body)
	assert.Equal(t, golden(t, "902_push_config_request"), r.AppendTo(nil))

	response := newResponse()
	body = golden(t, "902_push_config_response_long_message")
	require.NoError(t, response.ReadFrom(body))
	clear(body)
	assert.Equal(t, golden(t, "902_push_config_response_long_message"), response.AppendTo(nil))
}

func TestConfigsSizeIsThatOfThePeersBytes(t *testing.T) {
	// A peer may write lengths with more bytes than they need, and tags. They
	// count: client.configs.max.bytes is about what was sent.
	body := unhex(t, `
		82 00       # Configs: one entry, plus 1, in two bytes
		82 80 00 61 # ConfigKey: a
		01          # ConfigValue: empty
		01 00       # STRING, not a default
		01 05 02 ffff # a tag: number 5, two bytes
		00
	`)
	r := newRequest()
	require.NoError(t, r.ReadFrom(body))
	require.Equal(t, []sensitive.Entry{{Key: "a", Type: sensitive.String}}, r.Configs())
	require.Equal(t, len(body)-1, r.ConfigsSize())
}

func TestNoStringBeyondKafkasLimitIsWritten(t *testing.T) {
	// What the filter holds back cannot get into a request that we make, and
	// what a decoder refuses not into one that we received.
	longest := sensitive.Entry{Key: "x", Value: strings.Repeat("m", MaxStringLen), Type: sensitive.String}
	r := NewPushConfigRequest(kcfg.DefaultProtocol(), cleaned(t, longest)...)
	require.NoError(t, newRequest().ReadFrom(r.AppendTo(nil)))

	for _, longer := range []sensitive.Entry{
		{Key: "x", Value: longest.Value + "m", Type: sensitive.String},
		{Key: longest.Value + "m", Value: "x", Type: sensitive.String},
	} {
		clean, held := sensitive.Filter(longer)
		require.Empty(t, clean)
		require.Equal(t, sensitive.ReasonTooLong, held[0].Reason)
		require.ErrorContains(t, newRequest().ReadFrom(received(longer).AppendTo(nil)), "longer than a Kafka string")
	}
}

func TestALongErrorMessageIsCutBetweenRunes(t *testing.T) {
	pad := func(n int) string { return strings.Repeat("m", n) }
	for _, tt := range []struct {
		name, message, want string
	}{
		{"longest", pad(32767), pad(32767)},
		{"one byte more", pad(32768), pad(32767)},
		{"much more", pad(1 << 20), pad(32767)},
		{"two bytes at the limit", pad(32766) + "\u00e9", pad(32766)},
		{"two bytes before the limit", pad(32765) + "\u00e9m", pad(32765) + "\u00e9"},
		{"four bytes, one of them too many", pad(32764) + "\U0001f600", pad(32764)},
		{"four bytes, three of them too many", pad(32766) + "\U0001f600", pad(32766)},
		{"not UTF-8", strings.Repeat("\x80", 32768), strings.Repeat("\x80", 32767)},
	} {
		r := newResponse()
		r.ErrorMessage = &tt.message
		got := newResponse()
		require.NoError(t, got.ReadFrom(r.AppendTo(nil)), tt.name)
		require.Equal(t, tt.want, *got.ErrorMessage, tt.name)
		if utf8.ValidString(tt.message) {
			require.True(t, utf8.ValidString(*got.ErrorMessage), tt.name)
		}
	}
}

func TestADefaultIsAnyByteButZero(t *testing.T) {
	for flag, want := range map[byte]bool{0: false, 1: true, 2: true, 0xff: true} {
		r := newRequest()
		require.NoError(t, r.ReadFrom([]byte{2, 1, 1, 0, flag, 0, 0}))
		assert.Equal(t, want, r.Configs()[0].IsDefault, "%d", flag)
	}
}

func TestTypesOfAPeerAreKeptAsTheyAre(t *testing.T) {
	for _, typ := range []sensitive.Type{-128, -1, 7, 8, 9, 127} {
		r := newRequest()
		body := []byte{2, 1, 1, byte(typ), 0, 0, 0}
		require.NoError(t, r.ReadFrom(body))
		assert.Equal(t, typ, r.Configs()[0].Type)
		assert.True(t, bytes.Equal(body, r.AppendTo(nil)))
	}
}
