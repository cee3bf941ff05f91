package output

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

func TestNamesThatCouldBeTakenForSomethingElseAreQuoted(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"alice", "alice"},
		{"CN=orders,O=example", "CN=orders,O=example"},
		{"a/b%2Fc", "a/b%2Fc"},
		{"a b", "a b"},
		{"a  b", `"a  b"`},
		{" a", `" a"`},
		{"", `""`},
		{"-", `"-"`},
		{"<default>", `"<default>"`},
		{`say "hi"`, `"say \"hi\""`},
		{`a\b`, `"a\\b"`},
		{"zo\u00eb", "zo\u00eb"},
		{"\u6f22\u5b57", "\u6f22\u5b57"},
		{"a\x1b[31mb", `"a\x1b[31mb"`},
		{"a\u202eb", `"a\u202eb"`},
		{"a\nb", `"a\nb"`},
		{"a\xffb", `"a\xffb"`},
		{"a\u009bb", `"a\u009bb"`},
	} {
		assert.Equal(t, tt.want, Text(tt.name), "%q", tt.name)
	}
	assert.Equal(t, "<default>", Name(nil))
}

func TestTextOfErrorsKeepsNothingThatATerminalObeys(t *testing.T) {
	assert.Equal(t, "a b\n\\x1b[2J \\u202e \"q\"", Printable("a b\n\x1b[2J \u202e \"q\""))
}

func printed(t *testing.T, format string, v any, text func(*TextWriter)) string {
	t.Helper()
	var b bytes.Buffer
	p, err := NewPrinter(&b, format, false)
	require.NoError(t, err)
	require.NoError(t, p.Print(v, text))
	return b.String()
}

func TestColumnsAreAsWideAsTheirWidestCell(t *testing.T) {
	got := printed(t, Table, nil, func(t *TextWriter) {
		t.Table([]string{"NAME", "X"}, [][]Cell{Of("\u6f22\u5b57\u6f22", "1"), Of("", "22"), Of("zo\u00eb", "")})
	})
	assert.Equal(t, "NAME    X\n\u6f22\u5b57\u6f22  1\n-       22\nzo\u00eb     -\n", got)
}

func TestColorsDoNotMoveColumns(t *testing.T) {
	var b bytes.Buffer
	p, err := NewPrinter(&b, Table, true)
	require.NoError(t, err)
	require.NoError(t, p.Print(nil, func(t *TextWriter) {
		t.Table([]string{"A", "B"}, [][]Cell{{{"yes", Good}, {"x", Plain}}})
	}))
	plain := strings.NewReplacer("\x1b[1m", "", "\x1b[32m", "", "\x1b[0m", "").Replace(b.String())
	assert.Equal(t, "A    B\nyes  x\n", plain)
	assert.Contains(t, b.String(), "\x1b[32myes\x1b[0m")
}

type doc struct {
	B string  `json:"b"`
	A *string `json:"a"`
	N int     `json:"n"`
}

func TestJSONAndYAMLKeepTheOrderOfFields(t *testing.T) {
	d := doc{B: "<x>", N: 3}
	//nolint:testifylint // the order is what this is about
	assert.Equal(t, "{\n  \"b\": \"<x>\",\n  \"a\": null,\n  \"n\": 3\n}\n", printed(t, JSON, d, nil))
	assert.Equal(t, "b: <x>\na: null\n\"n\": 3\n", printed(t, YAML, d, nil))
}

func TestEveryStringMakesTheRoundTripThroughEveryFormAndNoneReachesATerminal(t *testing.T) {
	for _, s := range []string{"", "yes", "No", "12:30", "null", "~", "1", "1e3", "0x1f", "a: b", "- a", "#a", "%2F", "a/b", "'", `"`,
		"\u2028", "\ufeff", "a\u0085b", "\u007f", "\U000e0041", "\U0001f600", "2026-11-30", "true", " a ", "a\nb", "{", "|", "*a", "&a", "!a", "@a", "`a", "<<"} {
		roundTrip(t, s)
	}
	rapid.Check(t, func(rt *rapid.T) { roundTrip(rt, rapid.String().Draw(rt, "s")) })
}

func TestWhatYAML11TakesForSomethingElseIsQuoted(t *testing.T) {
	for _, s := range []string{"y", "NO", "off", "12:30", "=", "<<", "0b1", "1_000", ".inf", "~"} {
		assert.Contains(t, printed(t, YAML, doc{B: s}, nil), `b: "`+s+`"`, s)
	}
}

func roundTrip(t require.TestingT, s string) {
	decode := map[string]func([]byte, any) error{JSON: json.Unmarshal, YAML: yaml.Unmarshal}
	for _, format := range []string{JSON, YAML} {
		var b bytes.Buffer
		p, err := NewPrinter(&b, format, false)
		require.NoError(t, err)
		require.NoError(t, p.Print(doc{B: s, A: &s}, nil))
		got := map[string]any{}
		require.NoError(t, decode[format](b.Bytes(), &got), b.String())
		require.Equal(t, s, got["b"], b.String())
		require.Equal(t, s, got["a"], b.String())
		require.False(t, hidden(strings.ReplaceAll(b.String(), "\n", "")), b.String())
	}
}

func TestAnUnknownFormatIsRefused(t *testing.T) {
	_, err := NewPrinter(nil, "xml", false)
	require.ErrorContains(t, err, `"xml"`)
}
