package output

import (
	"strconv"
	"strings"
	"unicode"
)

// DefaultName is how a table shows a default entity. A name that reads so is
// quoted.
const DefaultName = "<default>"

// Name returns a name of somebody as a table shows it: nil is the default, and one
// that is empty, that cannot be told from its surroundings, or that is not
// printable is quoted as Go quotes strings.
func Name(name *string) string {
	if name == nil {
		return DefaultName
	}
	return Text(*name)
}

// Text is Name for what is never a default.
func Text(s string) string {
	if plain(s) {
		return s
	}
	return strconv.Quote(s)
}

// plain reports whether s can stand in a table as it is.
func plain(s string) bool {
	if s == "" || s == DefaultName || s == none || s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r == '"' || r == '\\' || r == unicode.ReplacementChar || !strconv.IsPrint(r)
	}) && !strings.Contains(s, "  ") // would look like the next column
}

// Printable returns text of several words, such as an error's, with everything
// escaped that is not printable.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}
