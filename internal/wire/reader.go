package wire

import (
	"fmt"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kbin"
)

// reader decodes one message body. It wraps kbin.Reader with the checks that
// kbin leaves to its caller: compact lengths that are null or do not fit, array
// lengths that the remaining bytes cannot hold, tag sections, and trailing
// bytes.
type reader struct {
	kbin.Reader
	message string
	err     error
}

func newReader(message string, src []byte) *reader {
	return &reader{Reader: kbin.Reader{Src: src}, message: message}
}

func (r *reader) fail(field, problem string) {
	if r.err == nil {
		r.err = fmt.Errorf("wire: %s: %s %s", r.message, field, problem)
	}
	r.Src = nil
}

// compactString reads a non-nullable compact string.
func (r *reader) compactString(field string) string {
	s, ok := r.compactNullableString(field)
	if !ok {
		r.fail(field, "is null")
	}
	return s
}

// compactNullableString reads a nullable compact string; ok is false for null.
func (r *reader) compactNullableString(field string) (s string, ok bool) {
	n := r.uvarint(field)
	if n == 0 || r.err != nil {
		return "", false
	}
	n--
	switch {
	case n > MaxStringLen:
		// Kafka's own code refuses it too, and we could not write it again.
		r.fail(field, "is longer than a Kafka string can be")
		return "", false
	case int(n) > len(r.Src):
		r.fail(field, "is longer than the message")
		return "", false
	}
	return string(r.Span(int(n))), true
}

// compactArrayLen reads the length of a non-nullable compact array whose
// elements take at least minElem bytes each, so that the caller may allocate
// for that many.
func (r *reader) compactArrayLen(field string, minElem int) int {
	n := r.uvarint(field)
	if r.err != nil {
		return 0
	}
	if n == 0 {
		r.fail(field, "is null")
		return 0
	}
	n--
	if uint64(n)*uint64(minElem) > uint64(len(r.Src)) {
		r.fail(field, "has more elements than the message can hold")
		return 0
	}
	return int(n)
}

// tags skips a tag section. The proposals define no tags, so every one is from
// a newer peer and, by the rules of flexible versions, ignored.
func (r *reader) tags(field string) {
	for n := r.uvarint(field); n > 0 && r.err == nil; n-- {
		r.uvarint(field)
		size := r.uvarint(field)
		if uint64(size) > uint64(len(r.Src)) {
			r.fail(field, "has a tag that is longer than the message")
			return
		}
		r.Span(int(size))
	}
}

func (r *reader) uvarint(field string) uint32 {
	if r.err != nil {
		return 0
	}
	v := r.Uvarint()
	if !r.Ok() {
		r.fail(field, "is cut short or has no valid length")
	}
	return v
}

// complete returns the first error of the decode, or an error if the body went
// on behind the message.
func (r *reader) complete() error {
	switch {
	case r.err != nil:
		return r.err
	case !r.Ok():
		return fmt.Errorf("wire: %s: %w", r.message, kbin.ErrNotEnoughData)
	case len(r.Src) > 0:
		return fmt.Errorf("wire: %s: %d bytes behind the end of the message", r.message, len(r.Src))
	}
	return nil
}

// cut shortens s to what a Kafka string can hold, without splitting a rune.
func cut(s string) string {
	if len(s) <= MaxStringLen {
		return s
	}
	for i := range utf8.UTFMax {
		if n := MaxStringLen - i; utf8.RuneStart(s[n]) {
			return s[:n]
		}
	}
	return s[:MaxStringLen] // not UTF-8
}
