package sensitive_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

func entries(clean []sensitive.Clean) []sensitive.Entry {
	var out []sensitive.Entry
	for _, c := range clean {
		out = append(out, c.Entry())
	}
	return out
}

func TestFilterPartsCleanFromHeldAndKeepsTheOrder(t *testing.T) {
	in := []sensitive.Entry{
		{Key: "session.timeout.ms", Value: "45000", Type: sensitive.Int, IsDefault: true},
		{Key: "sasl.jaas.config", Value: "x", Type: sensitive.Password},
		{Key: "acks", Value: "all", Type: sensitive.String},
		{Key: "my.feature", Value: "on", Type: sensitive.Unknown},
		{Key: "proxy", Value: "http://u:p@h", Type: sensitive.String},
		{Key: "note", Value: strings.Repeat("x", 40000), Type: sensitive.String},
		{Key: "name", Value: "caf\xe9", Type: sensitive.String},
		{Key: "a", Value: "", Type: sensitive.List},
	}
	clean, held := sensitive.Filter(in...)
	require.Equal(t, []sensitive.Entry{in[0], in[2], in[7]}, entries(clean))
	require.Equal(t, []sensitive.Held{
		{Key: "sasl.jaas.config", Type: sensitive.Password, Reason: sensitive.ReasonPrefix, Length: 1},
		{Key: "my.feature", Type: sensitive.Unknown, Reason: sensitive.ReasonCustom, Length: 2},
		{Key: "proxy", Type: sensitive.String, Reason: sensitive.ReasonValue, Length: 12},
		{Key: "note", Type: sensitive.String, Reason: sensitive.ReasonTooLong, Length: 40000},
		{Key: "name", Type: sensitive.String, Reason: sensitive.ReasonEncoding, Length: 4},
	}, held)
}

func TestFilterGivesNilWhereThereIsNothing(t *testing.T) {
	clean, held := sensitive.Filter()
	require.Nil(t, clean)
	require.Nil(t, held)
	clean, held = sensitive.Filter(sensitive.Entry{Key: "a"})
	require.Len(t, clean, 1)
	require.Nil(t, held)
	clean, held = sensitive.Filter(sensitive.Entry{})
	require.Nil(t, clean)
	require.Equal(t, []sensitive.Held{{Reason: sensitive.ReasonCharacters}}, held)
}

func TestTheReasonOfTheKeyGoesBeforeThatOfTheValue(t *testing.T) {
	_, held := sensitive.Filter(sensitive.Entry{Key: strings.Repeat("x", 40000), Value: "Bearer abc"})
	require.Equal(t, sensitive.ReasonTooLong, held[0].Reason)
}

func TestAKeyThatOccursTwiceIsKeptTwice(t *testing.T) {
	a := sensitive.Entry{Key: "acks", Value: "all", Type: sensitive.String}
	b := sensitive.Entry{Key: "acks", Value: "1", Type: sensitive.String}
	clean, _ := sensitive.Filter(a, b, a)
	require.Equal(t, []sensitive.Entry{a, b, a}, entries(clean))
}

func TestALaterChangeOfTheCallersSliceDoesNotMatter(t *testing.T) {
	in := []sensitive.Entry{{Key: "acks", Value: "all", Type: sensitive.String}, {Key: "x.class", Value: "y"}}
	clean, held := sensitive.Filter(in...)
	in[0], in[1] = sensitive.Entry{Key: "sasl.x", Value: "secret"}, sensitive.Entry{Key: "z"}
	require.Equal(t, sensitive.Entry{Key: "acks", Value: "all", Type: sensitive.String}, clean[0].Entry())
	require.Equal(t, "x.class", held[0].Key)
}

func TestHeldPrintsKeyTypeAndReasonButNoLength(t *testing.T) {
	h := sensitive.Held{Key: "db.password", Type: sensitive.String, Reason: sensitive.ReasonWord, Length: 918273}
	want := "db.password (STRING) is held back: key contains a word for a secret"
	require.Equal(t, want, h.String())
	require.Equal(t, want, h.String())
	require.Equal(t, "["+want+"]", fmt.Sprintf("%+v", []sensitive.Held{h}))
}

func TestAKeyCannotForgeALogLine(t *testing.T) {
	for key, want := range map[string]string{
		"a\nlevel=ERROR": `"a\nlevel=ERROR"`,
		"":               `""`,
		"\u0441lient":    `"\u0441lient"`,
		"a b":            `"a b"`,
		`a"b`:            `a"b`,
	} {
		require.True(t, strings.HasPrefix(sensitive.Held{Key: key}.String(), want+" ("), "%q", key)
		require.True(t, strings.HasPrefix(sensitive.Entry{Key: key}.String(), want+"="), "%q", key)
	}
	require.Less(t, len(sensitive.Held{Key: strings.Repeat("x", 1<<20)}.String()), 400)
	require.Contains(t, sensitive.Held{Key: strings.Repeat("x", 257)}.String(), `x"... (`)
	require.True(t, strings.HasPrefix(sensitive.Held{Key: strings.Repeat("x", 256)}.String(), strings.Repeat("x", 256)+" ("))
}

func TestHeldNeverCarriesTheValue(t *testing.T) {
	const value = "Bearer hunter2hunter2"
	_, held := sensitive.Filter(sensitive.Entry{Key: "proxy", Value: value}, sensitive.Entry{Key: "db.password", Value: value})
	for i := range 2 {
		v := reflect.ValueOf(held[i])
		for _, field := range v.Fields() {
			require.NotContains(t, fmt.Sprint(field), "hunter2")
		}
	}
	got, err := json.Marshal(held[1])
	require.NoError(t, err)
	require.JSONEq(t, `{"key":"db.password","type":0,"reason":"key contains a word for a secret","length":21}`, string(got))
}

func TestHeldLogsAsAGroup(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: dropTime}))
	log.Warn("x", "held", sensitive.Held{Key: "db.password\n", Type: sensitive.String, Reason: sensitive.ReasonWord, Length: 7})
	require.JSONEq(t, `{"level":"WARN","msg":"x","held":{"key":"\"db.password\\n\"","type":"STRING","reason":"key contains a word for a secret"}}`, b.String())
}

func dropTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
