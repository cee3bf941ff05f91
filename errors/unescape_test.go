package errors

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnescape(t *testing.T) {
	for _, tt := range []struct {
		name, s, plain string
		origin         []int
	}{
		{"no backslash, nothing to do", "abc", "", nil},
		{"empty", "", "", nil},
		{"around an escape", `a\nb`, "a\nb", []int{0, 1, 3, 4}},
		{"backslashes", `\\n`, `\n`, []int{0, 2, 3}},
		{"quotes and a slash", `\"\'\/`, `"'/`, []int{0, 2, 4, 6}},
		{"one rune, two bytes", `\u00e9`, "\u00e9", []int{0, 0, 6}},
		{"one byte", `\xff.`, "\xff.", []int{0, 4, 5}},
		{"octal", `\101\777`, `A\777`, []int{0, 4, 5, 6, 7, 8}},
		{"surrogates", `\ud83d\ude00`, "\U0001f600", []int{0, 0, 0, 0, 12}},
		{"half a pair is text", `\ud83dxxxxxx`, `\ud83dxxxxxx`, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"half a pair, then another escape", `\ud83d\nde00`, "\\ud83d\nde00", []int{0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12}},
		{"no rune is text", `\U00110000....`, `\U00110000....`, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}},
		{"no escape is text", `\q\`, `\q`, []int{0, 1, 3}},
		{"a cut one is the end", `a\u00`, `a`, []int{0, 5}},
	} {
		plain, origin := unescape(tt.s)
		assert.Equal(t, tt.plain, plain, tt.name)
		assert.Equal(t, tt.origin, origin, tt.name)
	}
}
