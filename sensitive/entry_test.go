package sensitive_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

// request stands for what keeps its entries in an unexported field.
type request struct {
	entries []sensitive.Clean
	first   sensitive.Clean
	p       *sensitive.Clean
}

func TestFmtNeverPrintsTheValueOfACleanEntry(t *testing.T) {
	clean, _ := sensitive.Filter(sensitive.Entry{Key: "client.id", Value: hidden, Type: sensitive.String})
	c := clean[0]
	r := request{entries: clean, first: c, p: &c}
	for _, v := range []any{c, &c, clean, r, &r, []request{r}, map[sensitive.Clean]sensitive.Clean{c: c}, struct{ C any }{c}} {
		eachFormat(func(format string) { requireHidden(t, fmt.Sprintf(format, v), format) })
	}
	require.Equal(t, "client.id=[redacted] (STRING, default false)", fmt.Sprintf("%d", c))
	require.Equal(t, c.String(), c.GoString())
	require.Equal(t, c.String(), c.Entry().String())
}

func TestFmtPrintsAnEntryWithoutItsValue(t *testing.T) {
	e := sensitive.Entry{Key: "client.id", Value: hidden, Type: sensitive.String, IsDefault: true}
	const want = "client.id=[redacted] (STRING, default true)"
	require.Equal(t, want, e.String())
	require.Equal(t, want, e.GoString())
	for _, v := range []any{e, &e, []sensitive.Entry{e}, map[string]*sensitive.Entry{"k": &e}, struct{ E sensitive.Entry }{e}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%z"} {
			requireHidden(t, fmt.Sprintf(verb, v), verb)
		}
	}
}

func TestSlogWritesAnEntryWithoutItsValue(t *testing.T) {
	e := sensitive.Entry{Key: "client.id", Value: hidden, Type: sensitive.String}
	clean, _ := sensitive.Filter(e)
	var b bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(h).Info("m", "entry", e, "clean", clean[0], "pointer", &clean[0])
	}
	require.Contains(t, b.String(), "client.id")
	requireHidden(t, b.String(), "slog")
}

func TestAnEntryKeepsItsValueInJSON(t *testing.T) {
	got, err := json.Marshal(sensitive.Entry{Key: "acks", Value: "all", Type: sensitive.String, IsDefault: true})
	require.NoError(t, err)
	require.JSONEq(t, `{"key":"acks","value":"all","type":1,"isDefault":true}`, string(got))
}

func TestTheZeroCleanIsAnEmptyEntry(t *testing.T) {
	require.Zero(t, sensitive.Clean{}.Entry())
	require.Equal(t, sensitive.Entry{}.String(), sensitive.Clean{}.String())
}

func TestCleanEntriesAreComparedByWhatTheyHold(t *testing.T) {
	e := sensitive.Entry{Key: "acks", Value: "all", Type: sensitive.String}
	one, _ := sensitive.Filter(e)
	two, _ := sensitive.Filter(e)
	e.Value = "1"
	three, _ := sensitive.Filter(e)
	require.Equal(t, one[0], two[0])
	require.NotEqual(t, one[0], three[0])
}

func TestEveryTypeHasTheNumberOfItsConfigDefOrdinal(t *testing.T) {
	for i, name := range []string{"BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "CLASS", "PASSWORD"} {
		require.Equal(t, name, sensitive.Type(i).String())
	}
	require.Equal(t, "UNKNOWN", sensitive.Unknown.String())
	require.Equal(t, "UNKNOWN(9)", sensitive.Type(9).String())
	require.Equal(t, "UNKNOWN(-2)", sensitive.Type(-2).String())
}
