package wire

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

// mustFail reads body into a request or response that holds something, and
// wants an error with the message's name, and the receiver as it was.
func mustFail(t *testing.T, message string, body []byte) error {
	t.Helper()
	switch message {
	case "PushConfigRequest":
		r, want := received(sensitive.Entry{Key: "k", Value: "v"}), received(sensitive.Entry{Key: "k", Value: "v"})
		r.SetVersion(3)
		want.SetVersion(3)
		err := r.ReadFrom(body)
		require.ErrorContains(t, err, "wire: "+message+": ", "% x", body)
		require.Equal(t, want, r, "% x", body)
		return err
	case "PushConfigResponse":
		old := "old"
		r := withKey(PushConfigResponse{Version: 3, ThrottleMillis: 4, ErrorCode: 5, ErrorMessage: &old})
		want := *r
		err := r.ReadFrom(body)
		require.ErrorContains(t, err, "wire: "+message+": ", "% x", body)
		require.Equal(t, want, *r, "% x", body)
		require.Equal(t, "old", *r.ErrorMessage)
		return err
	}
	t.Fatalf("no message %s", message)
	return nil
}

func TestEveryTruncationIsAnErrorThatNamesTheMessage(t *testing.T) {
	for message, names := range map[string][]string{
		"PushConfigRequest":  slices.Sorted(maps.Keys(goldenRequests())),
		"PushConfigResponse": slices.Sorted(maps.Keys(goldenResponses())),
	} {
		for _, name := range names {
			body := golden(t, name)
			for n := range body {
				_ = mustFail(t, message, body[:n:n])
				// With the rest of the buffer behind it, as in a frame.
				_ = mustFail(t, message, body[:n])
			}
		}
	}
}

func TestTrailingBytesAreAnError(t *testing.T) {
	for name := range goldenRequests() {
		err := mustFail(t, "PushConfigRequest", append(golden(t, name), 0))
		assert.ErrorContains(t, err, "1 bytes behind the end")
	}
	for name := range goldenResponses() {
		err := mustFail(t, "PushConfigResponse", append(golden(t, name), 0, 0))
		assert.ErrorContains(t, err, "2 bytes behind the end")
	}
}

func TestWrongBodiesAreErrorsThatNameTheField(t *testing.T) {
	const (
		request  = "PushConfigRequest"
		response = "PushConfigResponse"
	)
	for _, tt := range []struct {
		name, message, body, want string
	}{
		{"null array", request, "00 00", "Configs is null"},
		{"null key", request, "02 00 01 00 00 00 00", "ConfigKey is null"},
		{"null value", request, "02 01 00 00 00 00 00", "ConfigValue is null"},

		{"one entry too many", request, "03 01 01 00 00 00 00", "Configs has more elements than the message can hold"},
		{"an entry that does not fit by a byte", request, "02 01 01 00 00", "Configs has more elements than the message can hold"},
		{"2^32 entries", request, "ffffffff 0f 00", "Configs has more elements than the message can hold"},
		{"2^31 entries", request, "81 80 80 80 08 01 01 00 00 00 00", "Configs has more elements than the message can hold"},
		{"so many that five bytes each are 4 in 32 bits", request, "b5 e6 cc 99 03 01 01 00 00 00 00", "Configs has more elements than the message can hold"},
		{"one entry more than there are", request, "03 01 01 00 00 03 01 01 61", "Configs"},

		{"key longer than the body", request, "02 7f 01 00 00 00 00", "ConfigKey is longer than the message"},
		{"value longer than the body by a byte", request, "02 01 06 00 00 00 00", "ConfigValue is longer than the message"},
		{"key of 32,768 bytes", request, "02 81 80 02 01 00 00 00", "ConfigKey is longer than a Kafka string can be"},
		{"key of 2^32 bytes", request, "02 ffffffff 0f 01 00 00", "ConfigKey is longer than a Kafka string can be"},
		{"value of 2^31 bytes", request, "02 01 81 80 80 80 08 00 00", "ConfigValue is longer than a Kafka string can be"},

		{"array length of six bytes", request, "82 80 80 80 80 00 01 01 00 00 00 00", "Configs is cut short or has no valid length"},
		{"array length beyond 32 bits", request, "ffffffff 1f 01 01 00 00 00 00", "Configs is cut short or has no valid length"},
		{"key length of six bytes", request, "02 81 80 80 80 80 00 01 00 00 00 00", "ConfigKey is cut short or has no valid length"},
		{"tag count of six bytes", request, "01 80 80 80 80 80 00", "is cut short or has no valid length"},

		{"tags of an entry, fewer than told", request, "02 01 01 00 00 02 00 00 00", "Configs"},
		{"tag of an entry, longer than the body", request, "02 01 01 00 00 01 00 03 61 00", "Configs has a tag that is longer than the message"},
		{"tag of the request, longer than the body", request, "01 01 00 02 61", "PushConfigRequest has a tag that is longer than the message"},
		{"tag of 2^32 bytes", request, "01 01 00 ffffffff 0f", "has a tag that is longer than the message"},
		{"2^32 tags", request, "01 ffffffff 0f 00 00 00 00", "PushConfigRequest"},
		{"no tag section", request, "01", "PushConfigRequest"},

		{"message longer than the body", response, "00 00 00 00 00 00 03 61 00", ""},
		{"message longer than the body by far", response, "00 00 00 00 00 00 7f 61 00", "ErrorMessage is longer than the message"},
		{"message of 32,768 bytes", response, "00 00 00 00 00 00 81 80 02 61 00", "ErrorMessage is longer than a Kafka string can be"},
		{"message length of six bytes", response, "00 00 00 00 00 00 81 80 80 80 80 00 00", "ErrorMessage is cut short or has no valid length"},
		{"tag longer than the body", response, "00 00 00 00 00 00 00 01 00 01", "PushConfigResponse has a tag that is longer than the message"},
		{"nothing", response, "", ""},
	} {
		assert.ErrorContains(t, mustFail(t, tt.message, unhex(t, tt.body)), tt.want, tt.name)
	}
}

func TestUnknownTagsAreSkipped(t *testing.T) {
	r := newRequest()
	require.NoError(t, r.ReadFrom(unhex(t, `
		03                         # two entries, plus 1
		02 61 02 62 01 01          # a=b, STRING, a default
		02 00 00 ffff 03 03 01 02 03 # tags 0, empty, and 65535, three bytes
		02 63 02 64 02 00 00       # c=d, INT
		01 80 01 02 ffff          # a tag of the request: 128, two bytes
	`)))
	require.Equal(t, []sensitive.Entry{
		{Key: "a", Value: "b", Type: sensitive.String, IsDefault: true},
		{Key: "c", Value: "d", Type: sensitive.Int},
	}, r.Configs())

	response := newResponse()
	require.NoError(t, response.ReadFrom(unhex(t, `
		00 00 00 01  00 28  02 61
		02 00 01 ff 01 00 # tags 0 and 1
	`)))
	message := "a"
	require.Equal(t, withKey(PushConfigResponse{ThrottleMillis: 1, ErrorCode: 40, ErrorMessage: &message}), response)
}

func TestLengthsMayTakeMoreBytesThanTheyNeed(t *testing.T) {
	r := newRequest()
	require.NoError(t, r.ReadFrom(unhex(t, "82 80 80 80 00  82 00 61  81 80 00  00 00 80 00  80 80 80 80 00")))
	require.Equal(t, []sensitive.Entry{{Key: "a"}}, r.Configs())
}
