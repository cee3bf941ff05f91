package propfile

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// meant are the letters that mean something else behind a backslash. Any other
// character there is itself.
var meant = map[rune]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f'}

// unescape returns what a text with backslashes means, and whether it means something.
func unescape(s string) (string, bool) {
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		if r == '\\' {
			if r, s = escapeOf(s); r < 0 {
				return "", false
			}
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// escapeOf returns the character that the text behind a backslash begins with, and what
// follows; no character is -1. What Java's UTF-16 has in two escapes is one character.
func escapeOf(s string) (r rune, rest string) {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return -1, ""
	}
	if r != 'u' {
		if m, ok := meant[r]; ok {
			r = m
		}
		return r, s[n:]
	}
	r, rest = unit(s[n:])
	if !utf16.IsSurrogate(r) {
		return r, rest
	}
	second, behind := rune(-1), ""
	if low, ok := strings.CutPrefix(rest, `\u`); ok {
		second, behind = unit(low)
	}
	if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
		return -1, ""
	}
	return r, behind
}

// unit reads the four digits of a unit of UTF-16. What is none is -1.
func unit(s string) (r rune, rest string) {
	const digits = 4
	if len(s) < digits {
		return -1, ""
	}
	v, err := strconv.ParseUint(s[:digits], 16, 16)
	if err != nil {
		return -1, ""
	}
	return rune(v), s[digits:]
}
