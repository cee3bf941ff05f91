package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document returns v as JSON.
func document(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// toJSON returns a document in which nothing is left that a terminal would obey.
func toJSON(doc []byte) ([]byte, error) { return escaped(doc, asSurrogates), nil }

// toYAML keeps the order and the names of a JSON document, which is one of YAML too.
func toYAML(doc []byte) ([]byte, error) {
	var node yaml.Node
	// YAML does not allow all that JSON does as it is.
	if err := yaml.Unmarshal(escaped(doc, asItIs), &node); err != nil {
		return nil, err
	}
	restyle(&node)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&node); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return escaped(b.Bytes(), asLong), nil
}

// restyle makes block style of JSON's flow style, and keeps strings in double quotes
// in which something is to be escaped or that a reader could take for something else.
func restyle(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && (hidden(n.Value) || old.MatchString(n.Value)) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		restyle(c)
	}
}

// old are the strings that are none in YAML 1.1, which many readers still speak: the
// library that we use quotes what is none in YAML 1.2.
var old = regexp.MustCompile(`^(?i:=|y|n|yes|no|on|off|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)$`)

func hidden(s string) bool { return strings.ContainsFunc(s, unprintable) }

func unprintable(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }

// escaped writes what is not printable as \u escapes, which JSON and double-quoted
// YAML share, and what does not fit them by long. In both forms, such characters occur
// in strings only.
func escaped(doc []byte, long func(out []byte, r rune) []byte) []byte {
	out := make([]byte, 0, len(doc))
	for len(doc) > 0 {
		r, n := utf8.DecodeRune(doc)
		switch {
		case r == '\n' || !unprintable(r):
			out = append(out, doc[:n]...)
		case r > 0xffff:
			out = long(out, r)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		doc = doc[n:]
	}
	return out
}

func asItIs(out []byte, r rune) []byte { return utf8.AppendRune(out, r) }

func asLong(out []byte, r rune) []byte { return fmt.Appendf(out, `\U%08x`, r) }

func asSurrogates(out []byte, r rune) []byte {
	hi, lo := utf16.EncodeRune(r)
	return fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
}
