package sensitive_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg/sensitive"
)

// lookAlikes are letters that an eye, and some a comparison, takes for another:
// two that fold to ASCII, Cyrillic ones, and full-width ones (added below).
var lookAlikes = map[rune][]rune{
	's': {0x17f, 0x455}, 'k': {0x212a, 0x43a}, 'a': {0x430}, 'c': {0x441}, 'e': {0x435}, 'i': {0x456}, 'o': {0x43e}, 'p': {0x440}, 'y': {0x443}, 'j': {0x458},
}

// disguised draws a spelling of the text in any case, with look-alikes.
func disguised(text string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Map(func(r rune) rune {
			if r < 'a' || r > 'z' {
				return r
			}
			spellings := append([]rune{r, r, r - 0x20, r + 0xfee0, r - 0x20 + 0xfee0}, lookAlikes[r]...)
			return rapid.SampledFrom(spellings).Draw(t, "letter")
		}, text)
	})
}

// recased draws a spelling of the text that folds to it: any case, and long s.
func recased(text string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if !rapid.Bool().Draw(t, "recased") {
			return text
		}
		return strings.Map(func(r rune) rune {
			spellings := []rune{r}
			if r >= 'a' && r <= 'z' {
				spellings = append(spellings, r-0x20)
			}
			if r == 's' {
				spellings = append(spellings, 0x17f)
			}
			return rapid.SampledFrom(spellings).Draw(t, "letter")
		}, text)
	})
}

var ordinaryWords = []string{
	"session", "timeout", "ms", "max", "poll", "records", "monkey", "tokenizer", "authors", "keyboard", "layout", "fetch", "bytes", "metadata", "strategy", "sub", "x", "user", "ssls", "9", "class2",
}

// ordinary draws text that may stand before or behind anything: words with a
// separator after each.
var ordinary = rapid.Custom(func(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 4).Draw(t, "words") {
		b.WriteString(rapid.SampledFrom(ordinaryWords).Draw(t, "word"))
		b.WriteString(rapid.SampledFrom([]string{".", "_", "-", "."}).Draw(t, "separator"))
	}
	return b.String()
})

var sendable = rapid.Custom(func(t *rapid.T) sensitive.Type {
	return sensitive.Type(rapid.Int8Range(int8(sensitive.Boolean), int8(sensitive.List)).Draw(t, "type"))
})

// badKey draws a key that some rule is about, spelled as the generator spells.
func badKey(t *rapid.T, spell func(string) *rapid.Generator[string]) (key string, reason sensitive.Reason) {
	before, after := ordinary.Draw(t, "before"), ordinary.Draw(t, "after")+"x"
	name := rapid.SampledFrom([]string{"sasl", "security", "ssl"}).Draw(t, "name")
	switch rapid.SampledFrom([]string{"prefix", "infix", "suffix", "word"}).Draw(t, "rule") {
	case "prefix":
		return spell(name+".").Draw(t, "spelled") + after, sensitive.ReasonPrefix
	case "infix":
		return before + "x" + spell("."+name+".").Draw(t, "spelled") + after, sensitive.ReasonInfix
	case "suffix":
		return before + "x" + spell(rapid.SampledFrom([]string{".class", ".classes"}).Draw(t, "suffix")).Draw(t, "spelled"), sensitive.ReasonSuffix
	}
	return before + spell(rapid.SampledFrom(append(secretWords, "user.info")).Draw(t, "word")).Draw(t, "spelled") + "." + after, sensitive.ReasonWord
}

func TestNoDisguiseMakesASensitiveKeyClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, _ := badKey(t, disguised)
		clean, held := sensitive.Filter(sensitive.Entry{Key: key, Value: "1", Type: sendable.Draw(t, "type")})
		require.Empty(t, clean, "%q", key)
		require.Equal(t, key, held[0].Key)
	})
}

func TestASensitiveKeyInAnyCaseHasTheReasonOfItsRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, want := badKey(t, recased)
		if want == sensitive.ReasonWord && strings.Contains(key, longS) {
			want = sensitive.ReasonCharacters // comes first
		}
		require.Equal(t, want, sensitive.Check(key, sendable.Draw(t, "type")), "%q", key)
	})
}

func TestAKeyOfOrdinaryWordsIsClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := ordinary.Draw(t, "key") + "x"
		if rapid.Bool().Draw(t, "upper") {
			key = strings.ToUpper(key)
		}
		require.Equal(t, sensitive.NotSensitive, sensitive.Check(key, sendable.Draw(t, "type")), "%q", key)
	})
}

func TestAnyKeyGetsTheReasonOfTheSlowReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := slices.Concat(ordinaryWords, secretWords, []string{"sasl", "ssl", "security", "class", "classes", ".", ".", "_", "info", "Info", "ID", "DB", longS, kelvin, " ", "\xff"})
		key := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), rapid.SampledFrom([]string{"", "."}).Draw(t, "separator"))
		key = recased(key).Draw(t, "key")
		typ := sensitive.Type(rapid.Int8().Draw(t, "type"))
		require.Equal(t, refCheck(key, typ), sensitive.Check(key, typ), "%q", key)
	})
}

func TestAnyValueGetsTheReasonOfTheSlowReference(t *testing.T) {
	pieces := slices.Concat(secretWords, []string{
		"://", ":", "/", `\`, "@", "?", "#", `"`, "'", " ", "\t", "\n", "\r", ",", ";", "=", "}", "%40", "%3A", "%2f", "%25", "%", "----", "-", "BEGIN", "eyJhbGciOiJI", ".", "a", "B", "9", "80",
		"bearer", "Basic", "ba\u017fic", "\u00a0", "\u200b", "\x00", "\u00e9", "\xff", "access", "account", "-BEGIN ", "authorization",
	})
	rapid.Check(t, func(t *rapid.T) {
		value := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 9).Draw(t, "pieces"), "")
		require.Equal(t, refCheckValue(value), sensitive.CheckValue(value), "%q", value)
	})
}

func TestNoSurroundingsMakeACredentialClean(t *testing.T) {
	unreserved := rapid.StringMatching(`[A-Za-z0-9._~!$&'()*+,;=-]{1,12}`)
	rapid.Check(t, func(t *rapid.T) {
		user, pass := unreserved.Draw(t, "user"), unreserved.Draw(t, "pass")
		text := rapid.SampledFrom([]string{
			recased("https").Draw(t, "scheme") + "://" + user + ":" + pass + "@host",
			"kafka://" + user + "@host:9092/",
			"\n" + recased("bearer").Draw(t, "bearer") + rapid.SampledFrom([]string{" ", "\t", " \t", "\u00a0"}).Draw(t, "space") + "x" + pass,
			",\t\"" + recased("basic").Draw(t, "basic") + " x" + pass,
			"-----BEGIN " + user,
			jws,
			`"` + recased("password").Filter(isASCII).Draw(t, "name") + `"="` + "x" + pass,
		}).Draw(t, "credential")
		before := rapid.StringMatching(`([a-z0-9:/.=@ \n]|http://h/){0,20}`).Draw(t, "before")
		after := rapid.StringMatching(`[ ,;a-z@\n"]{0,20}`).Draw(t, "after")
		value := before + text + after
		for range rapid.IntRange(0, 3).Draw(t, "encodings") {
			value = url.QueryEscape(strings.ReplaceAll(value, " ", "\t")) // QueryEscape makes a plus of a space
		}
		require.Equal(t, sensitive.ReasonValue, sensitive.CheckValue(value), "%q", value)
	})
}

func isASCII(s string) bool { return !strings.ContainsRune(s, 0x17f) }

func TestFilterLosesNothingAndInventsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := rapid.Custom(func(t *rapid.T) sensitive.Entry {
			return sensitive.Entry{
				Key:       rapid.OneOf(ordinary, rapid.String(), rapid.SampledFrom(append(fuzzKeys, tooLong))).Draw(t, "key"),
				Value:     rapid.OneOf(rapid.String(), rapid.SampledFrom(append(fuzzValues, tooLong))).Draw(t, "value"),
				Type:      sensitive.Type(rapid.Int8Range(-1, 8).Draw(t, "type")),
				IsDefault: rapid.Bool().Draw(t, "default"),
			}
		})
		in := rapid.SliceOfN(entry, 0, 8).Draw(t, "entries")
		clean, held := sensitive.Filter(in...)
		for _, e := range in {
			if refCheck(e.Key, e.Type) == sensitive.NotSensitive && refCheckValue(e.Value) == sensitive.NotSensitive {
				require.Equal(t, e, clean[0].Entry())
				clean = clean[1:]
				continue
			}
			require.Equal(t, e.Key, held[0].Key)
			require.Equal(t, len(e.Value), held[0].Length)
			require.NotEqual(t, sensitive.NotSensitive, held[0].Reason)
			held = held[1:]
		}
		require.Empty(t, clean)
		require.Empty(t, held)
	})
}
