// Package propfile reads configurations in the form of Java's properties, as the files
// of Kafka's clients and tools have it.
package propfile

import (
	"bytes"
	"errors"

	"github.com/magiconair/properties"

	"github.com/kcfg-go/kcfg"
)

// ErrForm is returned for a text that is not in the form of properties. It does not
// say where: what stands there may be a password.
var ErrForm = errors.New("not in the form of properties")

// Parse returns the configurations of a text in UTF-8, in the order in which their
// keys first stand there. Of a key that occurs twice the last value counts, as in
// Java. Nothing is expanded: ${x} is a text like any other. An empty key is refused.
func Parse(text []byte) ([]kcfg.KeyValue, error) {
	// The library ends a line that is continued at the first of two line ends, and
	// leaves a goroutine behind for an empty key.
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	if hasEmptyKey(text) {
		return nil, ErrForm
	}
	loader := properties.Loader{Encoding: properties.UTF8, DisableExpansion: true}
	p, err := loader.LoadBytes(text)
	if err != nil {
		return nil, ErrForm
	}
	out := make([]kcfg.KeyValue, 0, p.Len())
	for _, key := range p.Keys() {
		value, _ := p.Get(key)
		out = append(out, kcfg.KeyValue{Key: key, Value: value})
	}
	return out, nil
}

// hasEmptyKey reports whether a line begins with what ends a key. Lines that go on
// with the one before, which ends in a backslash, begin nothing; comments do not go on.
func hasEmptyKey(text []byte) bool {
	goesOn := false
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		start := bytes.TrimLeft(line, " \t\f")
		if !goesOn && len(start) > 0 {
			switch start[0] {
			case '=', ':':
				return true
			case '#', '!':
				continue
			}
		}
		backslashes := len(line) - len(bytes.TrimRight(line, `\`))
		goesOn = backslashes%2 == 1
	}
	return false
}
