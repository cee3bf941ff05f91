package errors

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRedact(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		values        []string
		want          string
	}{
		{"no values", "value 1 is bad", nil, "value 1 is bad"},
		{"an empty value", "value is bad", []string{""}, "value is bad"},
		{"a value of spaces", "value  is bad", []string{"  "}, "value  is bad"},
		{"whole", "hunter2", []string{"hunter2"}, "[redacted]"},
		{"between words", "value hunter2 is bad", []string{"hunter2"}, "value [redacted] is bad"},
		{"inside a word", "valuehunter2isbad", []string{"hunter2"}, "value[redacted]isbad"},
		{"twice", "hunter2 or hunter2", []string{"hunter2"}, "[redacted] or [redacted]"},
		{"twice in a row", "hunter2hunter2!", []string{"hunter2"}, "[redacted]!"},
		{"overlapping itself", "xababababx", []string{"ababab"}, "x[redacted]x"},
		{"overlapping itself by less than it might", "aaabaaaabaaaa", []string{"aaabaaaa"}, "[redacted]"},
		{"another case is another value", "HUNTER2", []string{"hunter2"}, "HUNTER2"},
		{"a value that does not occur", "value is bad", []string{"hunter2"}, "value is bad"},
		{"a value longer than the message", "hunter", []string{"-hunter2"}, "hunter"},

		{"four bytes, inside", "xabcdx", []string{"abcd"}, "x[redacted]x"},
		{"three bytes, inside", "xabcx", []string{"abc"}, "xabcx"},
		{"short, whole", "all", []string{"all"}, "[redacted]"},
		{"short, at the ends", "1 is not 1", []string{"1"}, "[redacted] is not [redacted]"},
		{"short, inside letters", "all of shall, allow and tall", []string{"all"}, "[redacted] of shall, allow and tall"},
		{"short, next to digits", "1 10 01 1.5", []string{"1"}, "[redacted] 10 01 [redacted].5"},
		{"short, in punctuation", `acks=all, acks_all "all" (all)`, []string{"all"}, `acks=[redacted], acks_[redacted] "[redacted]" ([redacted])`},
		{"short, next to letters that are not ASCII", "\u00e9all all\u00e9 all\u0301", []string{"all"}, "\u00e9all all\u00e9 all\u0301"},
		{"short, in punctuation that is not ASCII", "\u201call\u201d \u00a0all\u3000", []string{"all"}, "\u201c[redacted]\u201d \u00a0[redacted]\u3000"},
		{"short, next to what is not UTF-8", "\xffall\xff", []string{"all"}, "\xff[redacted]\xff"},
		{"short, overlapping itself alone", "1 1 1", []string{"1 1"}, "[redacted]"},
		{"short, not ASCII", "\u00e9t\u00e9 \u00e9", []string{"\u00e9"}, "\u00e9t\u00e9 [redacted]"},

		{"overlapping, same start", "abcdef", []string{"abcd", "abcdef"}, "[redacted]"},
		{"overlapping, one after the other", "xabcdefghx", []string{"abcdef", "efgh"}, "x[redacted]x"},
		{"overlapping, the order does not matter", "xabcdefghx", []string{"efgh", "abcdef"}, "x[redacted]x"},
		{"one in the other", "xabcdefghx", []string{"cdef", "abcdefgh"}, "x[redacted]x"},
		{"a short one in a long one", "a-1-b", []string{"1", "a-1-b"}, "[redacted]"},
		{"touching", "abcdefgh", []string{"abcd", "efgh"}, "[redacted]"},

		{"quoted by Go", `bad: "a\"b\\c\n"`, []string{"a\"b\\c\n"}, `bad: "[redacted]"`},
		{"quoted by Go, not UTF-8", `bad: "ab\xffcd"`, []string{"ab\xffcd"}, `bad: "[redacted]"`},
		{"escaped by JSON", `{"v":"a\/b\u003cc\u0001\t"}`, []string{"a/b<c\x01\t"}, `{"v":"[redacted]"}`},
		{"escaped to ASCII", `bad: caf\u00e9 here`, []string{"caf\u00e9"}, `bad: [redacted] here`},
		{"escaped by half", "bad: \u00e9t\\u00E9 here", []string{"\u00e9t\u00e9"}, `bad: [redacted] here`},
		{"surrogates", `bad: \ud83d\uDE00!`, []string{"\U0001f600"}, `bad: [redacted]!`},
		{"a long escape", `bad: \U0001F600!`, []string{"\U0001f600"}, `bad: [redacted]!`},
		{"short, alone next to an escape", `bad:\nall\n`, []string{"all"}, `bad:\n[redacted]\n`},
		{"a value with a newline", "bad:\nline 1\nline 2!", []string{"line 1\nline 2"}, "bad:\n[redacted]!"},
		{"a value with a backslash, as it is", `C:\new is bad`, []string{`C:\new`}, `[redacted] is bad`},
		{"a value with a backslash, escaped", `C:\\new is bad`, []string{`C:\new`}, `[redacted] is bad`},
		{"what looks like an escape and is the value", `DOMAIN\nothing`, []string{"nothing"}, `DOMAIN\[redacted]`},
		{"spaces trimmed by Kafka", "value a, b is bad", []string{" a, b\n"}, "value [redacted] is bad"},

		{"cut by the broker", "bad: 0123456789ab", []string{"0123456789abcdef"}, "bad: [redacted]"},
		{"cut by the broker, to four bytes", "bad: 0123", []string{"0123456789abcdef"}, "bad: [redacted]"},
		{"cut by the broker, to three bytes", "bad: 012", []string{"0123456789abcdef"}, "bad: 012"},
		{"cut by the broker, all but a byte", "0123456789abcde", []string{"0123456789abcdef"}, "[redacted]"},
		{"cut by the broker, after a false start", "bad: abababx abababab", []string{"ababababx" + strings.Repeat("y", 99)}, "bad: abababx [redacted]"},
		{"cut by the broker in an escape", `bad: secret\u00`, []string{"secret\u00e9-and-more"}, `bad: [redacted]`},
		{"cut by the broker behind a backslash", `bad: secret\`, []string{"secret\n-and-more"}, `bad: [redacted]`},
		{"cut by the broker between surrogates", `bad: secret\ud83d\ude`, []string{"secret\U0001f600-and-more"}, `bad: [redacted]`},
		{"an end that is no cut escape", `secret\z`, []string{"secret\n-and-more"}, `secret\z`},

		{"the marker itself", "it is [redacted]", []string{"[redacted]"}, "it is [redacted]"},
		{"a part of the marker", "a redacted [red] thing", []string{"redacted", "[red]"}, "a [redacted] [redacted] thing"},
		{"a marker that the broker wrote", "it is [redacted], hunter2", []string{"hunter2"}, "it is [redacted], [redacted]"},
		{"what a marker makes with its surroundings", "xhunter2y", []string{"hunter2", "ted]y"}, "x[redacted]y"},
	} {
		assert.Equal(t, tt.want, redact(tt.message, tt.values), tt.name)
	}
}

func TestValuesThatJSONOrGoQuotedAreRedacted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringN(2, 20, -1).Filter(func(s string) bool { return len(s) >= minInside }).Draw(t, "value")
		quoted, err := json.Marshal(value)
		require.NoError(t, err)
		for _, q := range []string{string(quoted), strconv.Quote(value), strconv.QuoteToASCII(value)} {
			require.Equal(t, `"[redacted]"`, redact(q, []string{value}), "%s", q)
		}
	})
}

// escapes is what unescape takes for an escape, written in another way.
var escapes = regexp.MustCompile(`(?s)` + strings.Join([]string{
	`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`,
	`\\u(?:[0-9a-ce-fA-CE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})`,
	`\\U(?:0000[0-9a-ce-fA-CE-F][0-9a-fA-F]{3}|0000[dD][0-7][0-9a-fA-F]{2}|000[1-9a-fA-F][0-9a-fA-F]{4}|0010[0-9a-fA-F]{4})`,
	`\\x[0-9a-fA-F]{2}`,
	`\\[0-3][0-7]{2}`,
	`\\["'\\/abfnrtv]`,
	`\\(?:[uUx][\\uUx0-9a-fA-F]{0,9})?$`, // cut
}, "|"))

// plainText undoes the escapes of s and returns, for each byte of the result,
// where it comes from.
func plainText(s string) (string, []int) {
	if !strings.Contains(s, `\`) {
		return "", nil
	}
	var (
		plain  []byte
		origin []int
	)
	add := func(text string, at int, each bool) {
		for i := range len(text) {
			plain = append(plain, text[i])
			if each {
				at++
				origin = append(origin, at-1)
			} else {
				origin = append(origin, at)
			}
		}
	}
	end := 0
	for _, m := range escapes.FindAllStringIndex(s, -1) {
		add(s[end:m[0]], end, true)
		e := s[m[0]:m[1]]
		end = m[1]
		switch {
		case len(e) == 12:
			var r string
			if json.Unmarshal([]byte(`"`+e+`"`), &r) == nil {
				add(r, m[0], false)
			}
		case len(e) == 2 && strings.IndexByte(`"'/`, e[1]) >= 0:
			add(e[1:], m[0], false)
		default: // a cut escape is an error here, and no text
			if r, err := strconv.Unquote(`"` + e + `"`); err == nil {
				add(r, m[0], false)
			}
		}
	}
	add(s[end:], end, true)
	return string(plain), append(origin, len(s))
}

// redactSlowly is redact without its speed.
func redactSlowly(s string, values []string) string {
	hidden := make([]bool, len(s))
	hide := func(text string, at func(int) int) {
		for _, v := range values {
			for _, v := range []string{v, strings.TrimSpace(v)} {
				if v == "" {
					continue
				}
				for i := range len(text) {
					rest := text[i:]
					whole := strings.HasPrefix(rest, v) && (len(v) >= 4 ||
						!aloneBefore.MatchString(text[max(0, i-utf8.UTFMax):i]) && !aloneAfter.MatchString(rest[len(v):]))
					torn := len(rest) >= 4 && strings.HasPrefix(v, rest)
					if whole || torn {
						for j := at(i); j < at(i+min(len(v), len(rest))); j++ {
							hidden[j] = true
						}
					}
				}
			}
		}
	}
	hide(s, func(i int) int { return i })
	plain, origin := plainText(s)
	hide(plain, func(i int) int { return origin[i] })

	var out strings.Builder
	for i := range len(s) {
		if !hidden[i] {
			out.WriteByte(s[i])
		} else if i == 0 || !hidden[i-1] {
			out.WriteString("[redacted]")
		}
	}
	return out.String()
}

var (
	aloneBefore = regexp.MustCompile(`[\p{L}\p{Nd}\p{M}]$`)
	aloneAfter  = regexp.MustCompile(`^[\p{L}\p{Nd}\p{M}]`)
)

func FuzzRedact(f *testing.F) {
	f.Add("value all of hunter2 is bad", "hunter2", "all", "2 is")
	f.Add("xababababx", "ababab", "ba", "")
	f.Add(`"a\"b\\c\n" \u00e9\ud83d\ude00 \x41\101\U0001f600`, "a\"b\\c", "\u00e9\U0001f600", "AA\U0001f600")
	f.Add(`cut \u00`, "cut \u00e9", "", " cut\t")
	f.Add(`cut \ud83d\ude`, "cut \U0001f600", "\xff", "\xc3")
	f.Add("\u00e9all all\xff", "all", "\xa9al", "[redacted]")
	f.Add(`\777\400\ud800\udc0\uD800\uDC00\ue000\U00110000\q`, `\777`, `\q`, "\ue000")
	f.Fuzz(func(t *testing.T, message, v1, v2, v3 string) {
		if len(message)+len(v1)+len(v2)+len(v3) > 500 {
			t.Skip("the reference is slow")
		}
		values := []string{v1, v2, v3}
		before := slices.Clone(values)
		got := redact(message, values)
		if want := redactSlowly(message, values); got != want {
			t.Fatalf("redact(%q, %q)\n  is %q\nnot %q", message, values, got, want)
		}
		if !slices.Equal(before, values) {
			t.Fatal("the caller's values changed")
		}
	})
}

func TestRedactAgreesWithTheSlowReference(t *testing.T) {
	// Few letters, so that overlaps and escapes are the rule.
	letters := rapid.SampledFrom([]string{"a", "b", " ", `\`, `\\`, `\n`, `\u0061`, `\x62`, "\n", "1", "\u00e9", `\u00e9`, `\ud83d`, `\ude00`, "\xff", "ab", "u00"})
	text := func(maximum int) *rapid.Generator[string] {
		return rapid.OneOf(
			rapid.Map(rapid.SliceOfN(letters, 0, maximum), func(s []string) string { return strings.Join(s, "") }),
			rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 0, 2*maximum, -1),
		)
	}
	rapid.Check(t, func(t *rapid.T) {
		message := text(40).Draw(t, "message")
		values := rapid.SliceOfN(text(6), 0, 4).Draw(t, "values")
		require.Equal(t, redactSlowly(message, values), redact(message, values))
	})
}
