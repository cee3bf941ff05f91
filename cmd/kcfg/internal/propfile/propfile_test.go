package propfile

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPropertiesAreReadAsJavaDoes(t *testing.T) {
	for text, want := range map[string][]kcfg.KeyValue{
		"":                          {},
		"# a\n! b\n\n \t\n":         {},
		"b=1\na : 2\nc 3\nd":        {{Key: "b", Value: "1"}, {Key: "a", Value: "2"}, {Key: "c", Value: "3"}, {Key: "d"}},
		"a=1\na=2":                  {{Key: "a", Value: "2"}},
		"a=b=c:d ":                  {{Key: "a", Value: "b=c:d "}},
		"a=1 \\\n  =2":              {{Key: "a", Value: "1 =2"}},
		"a=1 \\\r\n  =2\r\nb=3\r\n": {{Key: "a", Value: "1 =2"}, {Key: "b", Value: "3"}},
		"a=1\rb=2":                  {{Key: "a", Value: "1"}, {Key: "b", Value: "2"}},
		"a=\\u00e9\\t\\\\":          {{Key: "a", Value: "\u00e9\t\\"}},
		"a\\=b=\u6f22":              {{Key: "a=b", Value: "\u6f22"}},
		"a=${b}\nb=${a}":            {{Key: "a", Value: "${b}"}, {Key: "b", Value: "${a}"}},
		"# goes not on \\\na=1":     {{Key: "a", Value: "1"}},
		"a\\\n  b\\\n =\\\n\t1":     {{Key: "ab", Value: "1"}},
		"a=1\\\n#2\\\n\nb=3":        {{Key: "a", Value: "1#2"}, {Key: "b", Value: "3"}},
		"\\\n# a comment\na=1\\":    {{Key: "a", Value: "1"}},
		"a=\\ud83d\\uDE00 \\q\\ ":   {{Key: "a", Value: "\U0001f600 q "}},
		"\ufeffa=\ufeff":            {{Key: "a", Value: "\ufeff"}},
		"\u00a0a=1":                 {{Key: "\u00a0a", Value: "1"}},
	} {
		got, err := Parse([]byte(text))
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, got, "%q", text)
	}
}

func TestWhatAreNoPropertiesIsRefusedWithoutAWordOfIt(t *testing.T) {
	for _, text := range []string{"=x\nb=1", "a=1\n  :x\nc=1", "a=hunter2\\u12", "# \\\n=x", "a=1\\\\\n=x", "a=hunter2\\ud83d", "a=\\ude00\\ud83d", "a=\\ud83dx", "a=\\u+041"} {
		_, err := Parse([]byte(text))
		require.ErrorIs(t, err, ErrForm, "%q", text)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestWhatIsNoTextIsRefused(t *testing.T) {
	_, err := Parse([]byte("a=hunter2\xff"))
	require.ErrorIs(t, err, ErrEncoding)
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestAnyTextIsReadOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _ = Parse([]byte(rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-c=: \\u0#!\n\r\t\f]|\\u00|\\\n)*`)).Draw(t, "text")))
	})
}
