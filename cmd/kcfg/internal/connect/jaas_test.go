package connect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg/sensitive"
)

func revealed(options map[string]sensitive.Secret) map[string]string {
	out := make(map[string]string)
	for key, value := range options {
		out[key] = value.Reveal()
	}
	return out
}

// The expectations are what Kafka's JaasConfig makes of the same text.
func TestALoginModuleIsReadAsKafkaReadsIt(t *testing.T) {
	for text, want := range map[string]map[string]string{
		`M required;`: {},
		`M required username="alice" password="secret";`:     {"username": "alice", "password": "secret"},
		`M REQUIRED username=alice password='se"cret' ;`:     {"username": "alice", "password": `se"cret`},
		`M required password="a\"b\\c\/d";`:                  {"password": `a"b\c/d`},
		`M required password="a\tb\n\101\7\1234\48";`:        {"password": "a\tb\nA\aS4\x048"},
		`M required password="a b;c=d//e";`:                  {"password": "a b;c=d//e"},
		"M required // comment\n a=b /* c=d; */ e=f;":        {"a": "b", "e": "f"},
		"M required a=b / a lone slash; is one too\n;":       {"a": "b"},
		`M required a=b1.2-3 $x_y=$z;`:                       {"a": "b1.2-3", "$x_y": "$z"},
		`M required a=b a=c;`:                                {"a": "c"},
		"M required a=\"zo\u00eb\" b=zo\u00eb c=\u6f22;":     {"a": "zo\u00eb", "b": "zo\u00eb", "c": "\u6f22"},
		`M sufficient a="";`:                                 {"a": ""},
		`"M" 'optional' "a b"=c;`:                            {"a b": "c"},
		`M required tokenauth=true username="t" password=p;`: {"tokenauth": "true", "username": "t", "password": "p"},
	} {
		m, err := parseJAAS(text)
		require.NoError(t, err, text)
		assert.Equal(t, "M", m.name, text)
		assert.Equal(t, want, revealed(m.options), text)
	}
}

func TestALoginModuleThatKafkaRefusesIsRefused(t *testing.T) {
	for _, text := range []string{
		``, `;`, `M`, `M;`, `M maybe a=b;`, `M required`, `M required a=b`, `M required a;`, `M required a=;`, `M required a b=c;`,
		`M required a="wonder-5ecret;`, "M required a=\"wonder-5ecret\n\";", `M required password=5wonder-5ecret;`, `M required password=-wonder-5ecret;`,
		`M required password=wonder-5ecret=x;`, `M required a=b; N required;`, `M required a=b;;`, `M required a=b /* ;`, `M required =b;`, `5 required;`,
	} {
		_, err := parseJAAS(text)
		require.Error(t, err, text)
		assert.NotContains(t, err.Error(), "wonder", text)
	}
}

func TestAQuotedValueMakesTheRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		text := "M required password=\"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(value) + "\";"
		m, err := parseJAAS(text)
		require.NoError(t, err)
		require.Equal(t, value, m.options["password"].Reveal())
	})
}

func FuzzParseJAAS(f *testing.F) {
	for _, text := range []string{
		`M required username="alice" password="s\"e\101";`, "M required // x\n a=b /* c */ d='e';", `M required 1=2;`, `/`, `"\`, `/*`, "\x00\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseJAAS(text)
		if err == nil && (m.name == "" && !strings.ContainsAny(text, `"'`)) {
			t.Errorf("a module without a name of %q", text)
		}
		if err != nil && len(err.Error()) > 100 {
			t.Errorf("an error with some of the text: %v", err)
		}
	})
}
