// Package propfile reads configurations in the form of Java's properties, as the files
// of Kafka's clients and tools have it.
package propfile

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kcfg-go/kcfg"
)

// ErrForm is returned for a text that is not in the form of properties, ErrEncoding for
// what is no text that this package reads. They do not say where: what stands there may
// be a password.
var (
	ErrForm     = errors.New("not in the form of properties")
	ErrEncoding = errors.New("not text in UTF-8")
)

// Parse returns the configurations of a text in UTF-8, in the order in which their
// keys first stand there. Of a key that occurs twice the last value counts, as in
// Java. Nothing is expanded: ${x} is a text like any other. An empty key is refused.
func Parse(text []byte) ([]kcfg.KeyValue, error) {
	if !utf8.Valid(text) {
		return nil, ErrEncoding
	}
	out := []kcfg.KeyValue{}
	at := make(map[string]int)
	for _, line := range logicalLines(strings.TrimPrefix(string(text), "\ufeff")) {
		kv, ok := pair(line)
		if !ok {
			return nil, ErrForm
		}
		i, twice := at[kv.Key]
		if twice {
			out[i] = kv
			continue
		}
		at[kv.Key] = len(out)
		out = append(out, kv)
	}
	return out, nil
}

// blank is what stands around keys and before lines. Java has no other.
const blank = " \t\f"

// pair splits a line behind its key.
func pair(line string) (kv kcfg.KeyValue, ok bool) {
	end := keyEnd(line)
	rest := strings.TrimLeft(line[end:], blank)
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], blank)
	}
	key, keyOK := unescape(line[:end])
	value, valueOK := unescape(rest)
	return kcfg.KeyValue{Key: key, Value: value}, keyOK && valueOK && key != ""
}

// keyEnd returns where a key ends: before the first character that separates it from
// its value and has no backslash before it.
func keyEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '=', ':', ' ', '\t', '\f':
			return i
		}
	}
	return len(line)
}

// logicalLines are the lines without comments and blank ones, each together with those
// that go on with it, which an odd number of backslashes at its end says.
func logicalLines(text string) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	var lines []string
	begun, goesOn := "", false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimLeft(line, blank)
		if begun == "" && (line == "" || line[0] == '#' || line[0] == '!') {
			continue
		}
		backslashes := len(line) - len(strings.TrimRight(line, `\`))
		if goesOn = backslashes%2 == 1; goesOn {
			begun += line[:len(line)-1]
			continue
		}
		lines = append(lines, begun+line)
		begun = ""
	}
	if goesOn {
		lines = append(lines, begun)
	}
	return slices.DeleteFunc(lines, func(s string) bool { return s == "" })
}
