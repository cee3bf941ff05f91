package topicstore

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

func TestADynamicValueIsJSONWithAVersion(t *testing.T) {
	for b, want := range map[string]string{
		`{"version":1,"value":"1"}`:                          "1",
		`{"version":1,"value":""}`:                           "",
		"{\"value\":\"\\u00fc\U0001F600\",\"version\":1}":    "\u00fc\U0001F600",
		`{"version" : 1, "value" : "all", "by" : {"a":[1]}}`: "all",
	} {
		got, err := parseDynamic([]byte(b))
		require.NoError(t, err, b)
		assert.Equal(t, want, got)
	}
	v := "<\u2028>"
	got, err := parseDynamic(encode(dynamicValue{Version: schemaVersion, Value: &v}))
	require.NoError(t, err)
	assert.Equal(t, v, got)
}

// secret is what no error may show.
const secret = "hunter2"

func TestAValueThatIsNotOfTheSchemaIsRefusedWithoutShowingIt(t *testing.T) {
	for b, want := range map[string]error{
		``:                           errValue,
		secret:                       errValue,
		`"` + secret + `"`:           errValue,
		`{"version":1}`:              errValue,
		`{"version":1,"value":null}`: errValue,
		`{"version":1,"value":7}`:    errValue,
		`{"version":1,"value":["` + secret + `"]}`:         errValue,
		`{"version":1,"value":{"` + secret + `":1}}`:       errValue,
		`{"version":"` + secret + `","value":"1"}`:         errValue,
		`{"version":1.5,"value":"` + secret + `"}`:         errValue,
		`{"version":1,"value":"` + secret:                  errValue,
		`{"version":1,"value":"` + secret + `"} ` + secret: errValue,
		`null`:                                   versionError(0),
		`{}`:                                     versionError(0),
		`{"value":"` + secret + `"}`:             versionError(0),
		`{"version":2,"value":"` + secret + `"}`: versionError(2),
		`{"version":-1}`:                         versionError(-1),
		"{\"version\":1,\"value\":\"" + secret + "\xff\"}": errUTF8,
	} {
		got, err := parseDynamic([]byte(b))
		require.ErrorIs(t, err, want, b)
		assert.NotContains(t, err.Error(), secret)
		assert.Empty(t, got, b)
	}
}

func TestHeadersAndClientsAreRefusedWithoutShowingThem(t *testing.T) {
	for _, b := range []string{
		secret, `{"version":1,"cluster":["` + secret + `"],"instance":["` + secret + `"]}`,
		`{"version":2,"cluster":"` + secret + `"}`, "{\"version\":1,\"cluster\":\"" + secret + "\xff\"}",
		`{"version":1,"partitions":"` + secret + `","kinds":["` + secret + `"],"at":"` + secret + `"}`,
	} {
		_, err := parseHeader([]byte(b))
		require.Error(t, err, b)
		assert.NotContains(t, err.Error(), secret)
		_, err = parseClient([]byte(b))
		require.Error(t, err, b)
		assert.NotContains(t, err.Error(), secret)
	}
}

func TestAHeaderReadsAsWritten(t *testing.T) {
	h := header{Version: schemaVersion, Cluster: "a", Topic: "b", Clients: "c", Partitions: partitions}
	assert.JSONEq(t, `{"version":1,"cluster":"a","topicId":"b","clientsTopicId":"c","partitions":12}`, string(encode(h)))
	got, err := parseHeader(encode(h))
	require.NoError(t, err)
	assert.Equal(t, h, got)
}

func FuzzParseValues(f *testing.F) {
	for _, seed := range []string{
		`{"version":1,"value":"1"}`, `{"version":2}`, `null`, `[]`, "\xff", `{"version":1,"value":null}`,
		`{"version":1,"cluster":"a","topicId":"b","clientsTopicId":"c","partitions":12}`,
		`{"version":1,"instance":"i","principal":null,"kinds":["producer"],"configs":[],"supported":["acks"],"dynamic":[]}`,
		strings.Repeat(`{"value":`, 100),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := parseDynamic(b); err == nil {
			again, err := parseDynamic(encode(dynamicValue{Version: schemaVersion, Value: &v}))
			require.NoError(t, err)
			require.Equal(t, v, again)
		}
		if h, err := parseHeader(b); err == nil {
			again, err := parseHeader(encode(h))
			require.NoError(t, err)
			require.Equal(t, h, again)
		}
		c, err := parseClient(b)
		if err != nil {
			return
		}
		require.Equal(t, schemaVersion, c.Version)
		if out, err := json.Marshal(c); err == nil { // a time may be beyond what RFC 3339 has
			var again kcfg.ClientRecord
			require.NoError(t, json.Unmarshal(out, &again))
		}
	})
}
