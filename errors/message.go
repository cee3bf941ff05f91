package errors

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxShown = 256 // bytes of a broker's message that an error shows

	// maxSearched is how much of a message is searched for values. No Kafka
	// string is longer; it bounds the work whoever calls FromCode.
	maxSearched = 1<<15 - 1

	redacted = "[redacted]"
)

// show makes a broker's message fit for a log line: values that were sent are
// redacted, the rest is cut to 256 bytes and quoted.
//
// The order matters. Cutting first could leave the first half of a value, which
// no longer equals it and would be shown; quoting first would change a value
// with a newline in it, and so hide it from the search.
func show(message string, values []string) string {
	if message == "" {
		return ""
	}
	s := redact(cut(message, maxSearched), values)
	shown := strconv.QuoteToASCII(cut(s, maxShown))
	if len(s) > maxShown || len(message) > maxSearched {
		shown += " (cut)"
	}
	if holds(shown, values) {
		return redacted
	}
	return shown
}

// holds reports whether a value of minInside bytes or more is in shown. It was
// not in the message then: quoting made it, as two newlines are quoted to the
// value \n\n, or a [redacted] next to other text did. Either way it would be
// there to read.
func holds(shown string, values []string) bool {
	for _, v := range values {
		if len(v) >= minInside && strings.Contains(shown, v) && !strings.Contains(redacted, v) {
			return true
		}
	}
	return false
}

// cut shortens s to at most n bytes, four or more, without splitting a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range utf8.UTFMax {
		if utf8.RuneStart(s[n-i]) {
			return s[:n-i]
		}
	}
	return s[:n] // not UTF-8
}
