package wire

import (
	"github.com/twmb/franz-go/pkg/kbin"

	"github.com/kcfg-go/kcfg"
)

// This file has the encodings of messages that are not flexible: lengths of
// fixed width, no tags.

// string reads a non-nullable string.
func (r *reader) string(field string) string {
	s, ok := r.plainString(field)
	if !ok {
		r.fail(field, "is null")
	}
	return s
}

// nullableString reads a nullable string, nil for null.
func (r *reader) nullableString(field string) *string {
	s, ok := r.plainString(field)
	if !ok {
		return nil
	}
	return &s
}

// plainString reads a string; ok is false for null. A length below -1 is no
// other way to write null.
func (r *reader) plainString(field string) (s string, ok bool) {
	n := r.Int16()
	switch {
	case r.err != nil:
		return "", false
	case !r.Ok():
		r.fail(field, "is cut short")
		return "", false
	case n == -1:
		return "", false
	case n < 0:
		r.fail(field, "has a negative length")
		return "", false
	case int(n) > len(r.Src):
		r.fail(field, "is longer than the message")
		return "", false
	}
	return string(r.Span(int(n))), true
}

// arrayLen reads the length of an array, -1 for null, whose elements take at
// least minElem bytes each, so that the caller may allocate for that many.
func (r *reader) arrayLen(field string, minElem int) int {
	n := r.Int32()
	switch {
	case r.err != nil:
		return 0
	case !r.Ok():
		r.fail(field, "is cut short")
		return 0
	case n < -1:
		r.fail(field, "has a negative length")
		return 0
	case int64(n)*int64(minElem) > int64(len(r.Src)):
		r.fail(field, "has more elements than the message can hold")
		return 0
	}
	return int(n)
}

// readArray reads a non-nullable array. An empty one is nil.
func readArray[T any](r *reader, field string, minElem int, element func() T) []T {
	n := r.arrayLen(field, minElem)
	if n < 0 {
		r.fail(field, "is null")
	}
	if n <= 0 {
		return nil
	}
	return readElements(r, n, element)
}

// readNullableArray reads a nullable array. Null is nil and an empty one is not.
func readNullableArray[T any](r *reader, field string, minElem int, element func() T) []T {
	n := r.arrayLen(field, minElem)
	if n < 0 || r.err != nil {
		return nil
	}
	return readElements(r, n, element)
}

func readElements[T any](r *reader, n int, element func() T) []T {
	out := make([]T, 0, n)
	for len(out) < n && r.err == nil && r.Ok() {
		out = append(out, element())
	}
	return out
}

func readEntity(r *reader) []kcfg.EntityPart {
	return readArray(r, "Entity", minEntityPart, func() kcfg.EntityPart {
		return kcfg.EntityPart{Type: r.string("EntityType"), Name: r.nullableString("EntityName")}
	})
}

func appendEntity(dst []byte, parts []kcfg.EntityPart) []byte {
	dst = kbin.AppendArrayLen(dst, len(parts))
	for _, p := range parts {
		dst = appendString(dst, p.Type)
		dst = appendNullableString(dst, p.Name)
	}
	return dst
}

func appendNullableArrayLen(dst []byte, n int, null bool) []byte {
	if null {
		return kbin.AppendInt32(dst, -1)
	}
	return kbin.AppendArrayLen(dst, n)
}

// appendString writes a string. kbin would write a corrupt length for one that
// is too long; see Check, which must come before.
func appendString(dst []byte, s string) []byte { return kbin.AppendString(dst, cut(s)) }

func appendNullableString(dst []byte, s *string) []byte {
	if s == nil {
		return kbin.AppendNullableString(dst, nil)
	}
	return appendString(dst, *s)
}

// appendMessage writes an error message, cut to what a Kafka string can hold.
func appendMessage(dst []byte, s *string) []byte { return appendNullableString(dst, s) }
