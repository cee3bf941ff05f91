package errors

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape undoes the escapes of Go, Java and JSON strings in s, once, wherever
// they stand. What is no escape stays as it is. origin[i] is where in s the
// bytes begin that plain[i] comes from; origin[len(plain)] is len(s). Both are
// empty if s has no backslash.
func unescape(s string) (plain string, origin []int) {
	if !strings.Contains(s, `\`) {
		return "", nil
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		text, n := unescapeOne(s[i:])
		for range len(text) {
			origin = append(origin, i)
		}
		b.WriteString(text)
		i += n
	}
	return b.String(), append(origin, len(s))
}

// unescapeOne returns what s, which is not empty, begins with, and how many of
// its bytes that takes. At an escape that the end of s cuts off, it takes the
// rest and returns nothing, so that a value cut there is still the end.
func unescapeOne(s string) (text string, n int) {
	if s[0] != '\\' {
		return s[:1], 1
	}
	if r, ok := surrogates(s); ok {
		return string(r), len(`\ud83d\ude00`)
	}
	if len(s) > 1 && strings.IndexByte(`"'/`, s[1]) >= 0 {
		return s[1:2], 2
	}
	r, multibyte, tail, err := strconv.UnquoteChar(s, 0)
	switch {
	case err != nil && torn(s):
		return "", len(s)
	case err != nil:
		return s[:1], 1
	case multibyte:
		text = string(r)
	default: // \xff is a byte, not U+00FF
		text = string([]byte{byte(r)})
	}
	return text, len(s) - len(tail)
}

// surrogates returns the rune of two \u escapes, as JSON and Java write those
// beyond U+FFFF.
func surrogates(s string) (rune, bool) {
	if len(s) < len(`\ud83d\ude00`) || s[1] != 'u' || s[6:8] != `\u` {
		return 0, false
	}
	high, err1 := strconv.ParseUint(s[2:6], 16, 16)
	low, err2 := strconv.ParseUint(s[8:12], 16, 16)
	r := utf16.DecodeRune(rune(high), rune(low))
	return r, err1 == nil && err2 == nil && r != utf8.RuneError
}

// torn reports whether s may be the beginning of an escape, and no more.
func torn(s string) bool {
	return len(s) < len(`\ud83d\ude00`) &&
		(len(s) == 1 || strings.IndexByte("uUx", s[1]) >= 0) &&
		strings.Trim(s[1:], `\uUx0123456789abcdefABCDEF`) == ""
}
