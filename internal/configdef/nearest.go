package configdef

import (
	"strings"

	"github.com/kcfg-go/kcfg"
)

// ToldFor returns the kinds of client for which kgo can tell the value of a key, and
// none for a key that kgo has no equivalent of.
func ToldFor(key string) kcfg.Kind {
	r := find(key)
	if r == nil {
		return 0
	}
	return r.told
}

// longestKey is what a key may have at most that Nearest looks at: none of Kafka's is
// much longer.
const longestKey = 80

// Nearest returns the key of Kafka's clients that somebody may have meant with a key
// that none of them has, and the empty string if there is none: the same letters
// written in another way (session_timeout_ms, sessionTimeoutMs), the same behind a
// prefix (producer.acks), or two typing errors at most.
func Nearest(key string) string {
	if len(key) > longestKey {
		return ""
	}
	if s := Spelling(key); s != "" {
		return s
	}
	plain := lettersOf(key)
	best, least := "", 3
	for i := range table {
		k := table[i].key
		if lettersOf(k) == plain {
			return k
		}
		// A short key is near to everything.
		if d := edits(k, strings.ToLower(key)); d < least && 4*d <= len(k) {
			best, least = k, d
		}
	}
	if best != "" {
		return best
	}
	if _, rest, ok := strings.Cut(key, "."); ok {
		return Spelling(rest)
	}
	return ""
}

// lettersOf returns the letters and digits of a key, in lower case.
func lettersOf(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, key)
}

// edits counts the letters to add, drop, change or swap with the next to make b of a.
func edits(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := last[j-1]
			if a[i-1] != b[j-1] {
				same++
			}
			row[j] = min(last[j]+1, row[j-1]+1, same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
