package topicstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// tuple is what one dynamic configuration is keyed by. A nil user is the default
// one; a nil client id stands for all of a user's.
type tuple struct {
	user, client       string
	hasUser, hasClient bool
	config             string
}

// The kinds of record keys.
type keyKind uint8

const (
	headerKey keyKind = iota + 1
	dynamicKey
	clientKey
)

// recordKey is a decoded record key.
type recordKey struct {
	kind     keyKind
	tuple    tuple  // of a dynamicKey
	instance string // of a clientKey
}

var (
	errKey     = errors.New("the key is no key of this schema")
	errVersion = errors.New("the key is of another version of the schema")
	errUTF8    = errors.New("it is not UTF-8")
)

// bytes returns the canonical bytes of a key: a JSON array as RFC 8785 writes it. The first element is the version of the schema. A header has nothing else,
// a dynamic configuration user, client id and config key, and a client its
// instance id.
func (k recordKey) bytes() []byte {
	b := fmt.Appendf(nil, "[%d", schemaVersion)
	part := func(s string, ok bool) {
		b = append(b, ',')
		if !ok {
			b = append(b, "null"...)
			return
		}
		b = appendString(b, s)
	}
	switch k.kind {
	case dynamicKey:
		part(k.tuple.user, k.tuple.hasUser)
		part(k.tuple.client, k.tuple.hasClient)
		part(k.tuple.config, true)
	case clientKey:
		part(k.instance, true)
	}
	return append(b, ']')
}

// parseKey decodes a record key. One that is not in canonical form is refused:
// compaction and tombstones go by the bytes, so that two spellings of one key
// would be two records.
func parseKey(b []byte) (recordKey, error) {
	if !utf8.Valid(b) {
		return recordKey{}, errUTF8
	}
	var parts []any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&parts); err != nil || len(parts) == 0 {
		return recordKey{}, errKey
	}
	version, ok := parts[0].(json.Number)
	if !ok {
		return recordKey{}, errKey
	}
	if version.String() != fmt.Sprint(schemaVersion) {
		return recordKey{}, errVersion
	}
	k, ok := keyOf(parts[1:])
	if !ok || !bytes.Equal(k.bytes(), b) {
		return recordKey{}, errKey
	}
	return k, nil
}

func keyOf(parts []any) (recordKey, bool) {
	switch len(parts) {
	case 0:
		return recordKey{kind: headerKey}, true
	case 1:
		instance, ok := parts[0].(string)
		return recordKey{kind: clientKey, instance: instance}, ok
	case 3:
		var t tuple
		var fine [3]bool
		t.user, t.hasUser, fine[0] = nullable(parts[0])
		t.client, t.hasClient, fine[1] = nullable(parts[1])
		t.config, fine[2] = parts[2].(string)
		return recordKey{kind: dynamicKey, tuple: t}, fine == [3]bool{true, true, true}
	}
	return recordKey{}, false
}

// nullable is a string or null.
func nullable(v any) (s string, there, fine bool) {
	if v == nil {
		return "", false, true
	}
	s, ok := v.(string)
	return s, ok, ok
}

// appendString appends a string of JSON as RFC 8785 has it: only what must be
// escaped is, which encoding/json does not do.
func appendString(b []byte, s string) []byte {
	short := map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}
	b = append(b, '"')
	for _, r := range s {
		if esc, ok := short[r]; ok {
			b = append(b, esc...)
		} else if r < ' ' {
			b = fmt.Appendf(b, `\u%04x`, r)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
