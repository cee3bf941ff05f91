package wire

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// The golden bodies in testdata are hexadecimal, a line a field, each with what
// it means. They were not written by the code under test but by a script from
// the schema, and were then read against it by hand; so there is no flag that
// overwrites them.

// golden returns the bytes of testdata/name.hex. A # begins a comment.
func golden(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".hex"))
	require.NoError(t, err)
	return unhex(t, string(text))
}

// unhex is golden for a text.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	var digits strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	b, err := hex.DecodeString(digits.String())
	require.NoError(t, err)
	return b
}

// goldenRequests are the golden requests and the entries in them.
func goldenRequests() map[string][]sensitive.Entry {
	return map[string][]sensitive.Entry{
		"902_push_config_request": {
			{Key: "enable.idempotence", Value: "true", Type: sensitive.Boolean, IsDefault: true},
			{Key: "client.id", Value: "caf\u00e9 \u65e5\u672c \U0001f600", Type: sensitive.String},
			{Key: "session.timeout.ms", Value: "45000", Type: sensitive.Int, IsDefault: true},
			{Key: "x.short", Value: "-1", Type: sensitive.Short},
			{Key: "metadata.max.age.ms", Value: "300000", Type: sensitive.Long, IsDefault: true},
			{Key: "x.ratio", Value: "0.8", Type: sensitive.Double},
			{Key: "partition.assignment.strategy", Value: "range,cooperative-sticky", Type: sensitive.List},
			{Key: "client.rack", Value: "", Type: sensitive.String, IsDefault: true},
			{Key: "x.longest.of.one", Value: strings.Repeat("y", 126), Type: sensitive.String},
			{Key: "x.shortest.of.two", Value: strings.Repeat("z", 127), Type: sensitive.String},
		},
		"902_push_config_request_empty": {},
	}
}

// goldenResponses are the golden responses.
func goldenResponses() map[string]PushConfigResponse {
	text := func(s string) *string { return &s }
	const long = "The configurations of caf\u00e9-\u65e5\u672c take 2097152 bytes, and client.configs.max.bytes is 1048576. "
	return map[string]PushConfigResponse{
		"902_push_config_response":               {},
		"902_push_config_response_empty_message": {ThrottleMillis: 1500, ErrorCode: 40, ErrorMessage: text("")},
		"902_push_config_response_long_message":  {ThrottleMillis: 1<<31 - 1, ErrorCode: 900, ErrorMessage: text(long + long + "Push fewer of them.")},
		"902_push_config_response_negative_code": {ThrottleMillis: -1, ErrorCode: -1, ErrorMessage: text("Unknown")},
	}
}

// cleaned passes entries through the filter, which must let all of them pass.
func cleaned(t testing.TB, entries ...sensitive.Entry) []sensitive.Clean {
	t.Helper()
	clean, held := sensitive.Filter(entries...)
	require.Empty(t, held)
	return clean
}

// received returns a request with entries that no filter has seen, as one that
// came from a peer has.
func received(entries ...sensitive.Entry) *PushConfigRequest {
	r := &PushConfigRequest{key: kcfg.DefaultProtocol().PushConfigKey, configs: entries}
	r.configsSize = len(r.appendConfigs(nil))
	return r
}

func newRequest() *PushConfigRequest   { return NewPushConfigRequest(kcfg.DefaultProtocol()) }
func newResponse() *PushConfigResponse { return NewPushConfigResponse(kcfg.DefaultProtocol()) }

// withKey returns r with the default key, to compare it with a decoded one.
func withKey(r PushConfigResponse) *PushConfigResponse {
	r.key = kcfg.DefaultProtocol().PushConfigKey
	return &r
}
