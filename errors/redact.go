package errors

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minInside is the length from which a value is looked for inside words too.
// Shorter ones, such as 1, all or true, are replaced only where they stand
// alone: otherwise they would take the letters out of every word.
const minInside = 4

// redact replaces every occurrence of a value in s: as it was sent, without the
// spaces around it, or with the escapes that a broker may have put into it.
//
// Occurrences may overlap, so it marks them all before it replaces any: one
// value after the other would leave the rest of the second one. It takes time
// in proportion to the number of values times len(s), whatever they are.
func redact(s string, values []string) string {
	var (
		// steps holds how many occurrences begin at a byte, less those that
		// end there.
		steps = make([]int, len(s)+1)
		found bool
		f     finder
	)
	mark := func(from, to int) {
		steps[from]++
		steps[to]--
		found = true
	}
	plain, origin := unescape(s)
	for _, v := range spellings(values) {
		f.find(s, v, mark)
		f.find(plain, v, func(from, to int) { mark(origin[from], origin[to]) })
	}
	if !found {
		return s
	}

	var b strings.Builder
	depth := 0
	for i := range len(s) {
		outside := depth == 0
		depth += steps[i]
		switch {
		case depth == 0:
			b.WriteByte(s[i])
		case outside:
			b.WriteString(redacted)
		}
	}
	return b.String()
}

// spellings returns the values to look for. Kafka trims a value before it
// parses it, so it may come back without the spaces.
func spellings(values []string) []string {
	out := make([]string, 0, len(values))
	for _, v := range values {
		for _, form := range []string{v, strings.TrimSpace(v)} {
			if form != "" && !slices.Contains(out, form) {
				out = append(out, form)
			}
		}
	}
	return out
}

// finder finds strings with the method of Knuth, Morris and Pratt. Looking
// again from each byte would take the product of both lengths where a value
// repeats itself, and the broker chooses the message.
type finder struct {
	// border holds, for each beginning of the value, the length of its longest
	// end that is a beginning of the value too. Kept for its memory.
	border []int
}

// find calls mark for every occurrence of v in s, overlapping ones too; of a
// value shorter than minInside, only for those that stand alone. If s ends
// inside an occurrence, as the message of a broker does that cut it, then mark
// is called for what there is of it, from minInside bytes on.
func (f *finder) find(s, v string, mark func(from, to int)) {
	if !strings.Contains(s, v[:min(len(v), minInside)]) {
		return // nearly always
	}
	inside := len(v) >= minInside
	v = v[:min(len(v), len(s))] // if longer, only its beginning can occur
	f.borders(v)
	n := 0 // bytes of v that match where we are
	for i := range len(s) {
		for n > 0 && (n == len(v) || v[n] != s[i]) {
			n = f.border[n-1]
		}
		if v[n] == s[i] {
			n++
		}
		if n == len(v) && (inside || standsAlone(s, i+1-n, i+1)) {
			mark(i+1-n, i+1)
		}
	}
	if n >= minInside && n < len(v) {
		mark(len(s)-n, len(s))
	}
}

func (f *finder) borders(v string) {
	f.border = append(f.border[:0], 0)
	n := 0
	for i := 1; i < len(v); i++ {
		for n > 0 && v[n] != v[i] {
			n = f.border[n-1]
		}
		if v[n] == v[i] {
			n++
		}
		f.border = append(f.border, n)
	}
}

// standsAlone reports whether no letter and no digit touches s[from:to].
func standsAlone(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	return !inWord(before) && !inWord(after)
}

// inWord reports whether r is part of a word. An underscore is not, so that
// acks_all does not hide the value all; neither is utf8.RuneError, which stands
// for the ends of the message.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
