package topicstore

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func dynamic(user, client any, config string) recordKey {
	k := recordKey{kind: dynamicKey, tuple: tuple{config: config}}
	k.tuple.user, k.tuple.hasUser = user.(string)
	k.tuple.client, k.tuple.hasClient = client.(string)
	return k
}

// The bytes are a contract with writers in other languages.
func TestAKeyHasTheBytesOfRFC8785(t *testing.T) {
	for want, k := range map[string]recordKey{
		`[1]`:                                      {kind: headerKey},
		`[1,"5a4a"]`:                               {kind: clientKey, instance: "5a4a"},
		`[1,""]`:                                   {kind: clientKey},
		`[1,"alice",null,"acks"]`:                  dynamic("alice", nil, "acks"),
		`[1,"alice","orders","acks"]`:              dynamic("alice", "orders", "acks"),
		`[1,null,null,"acks"]`:                     dynamic(nil, nil, "acks"),
		`[1,null,"orders","acks"]`:                 dynamic(nil, "orders", "acks"),
		`[1,"","",""]`:                             dynamic("", "", ""),
		`[1,"null",null,"null"]`:                   dynamic("null", nil, "null"),
		`[1,"<a>&b/c",null,"acks"]`:                dynamic("<a>&b/c", nil, "acks"),
		`[1,"\"\\\b\t\n\f\r",null,"k"]`:            dynamic("\"\\\b\t\n\f\r", nil, "k"),
		`[1,"\u0000\u000b\u001f",null,""]`:         dynamic("\x00\x0b\x1f", nil, ""),
		"[1,\"\x7f\",null,\"\"]":                   dynamic("\x7f", nil, ""),
		"[1,\"\u2028\u2029\",null,\"\"]":           dynamic("\u2028\u2029", nil, ""),
		"[1,\"\U0001F600\",\"\u00fc\",\"\uFFFD\"]": dynamic("\U0001F600", "\u00fc", "\uFFFD"),
	} {
		assert.Equal(t, want, string(k.bytes()))
		got, err := parseKey([]byte(want))
		require.NoError(t, err, want)
		assert.Equal(t, k, got)
	}
}

func TestAKeyInAnotherSpellingIsRefused(t *testing.T) {
	for _, b := range []string{
		``, ` `, `null`, `1`, `{}`, `""`, `[]`, `[`, `[1`, `[1,`, `[null]`, `["1"]`, `[true]`, `[[1]]`,
		` [1]`, `[1] `, "[1]\n", `[ 1]`, `[1,]`, `[1][1]`, `[1]x`,
		`[1,null]`, `[1,1]`, `[1,["a"]]`, `[1,"a","b"]`, `[1,"a",null,"k",null]`,
		`[1,"a",null,null]`, `[1,"a",1,"k"]`, `[1,true,null,"k"]`, `[1,"a",{},"k"]`,
		`[1, "a",null,"k"]`, `[1,"a",null ,"k"]`, "[1,\"a\",\tnull,\"k\"]",
		`[1,"\u0061",null,"k"]`, `[1,"a\/b",null,"k"]`, `[1,"\u003c",null,"k"]`, `[1,"\u2028",null,"k"]`,
		`[1,"\u0009",null,"k"]`, `[1,"\u000B",null,"k"]`, `[1,"\u007f",null,"k"]`,
		`[1,"\ud83d\ude00",null,"k"]`, `[1,"\ud83d",null,"k"]`, `[1,"\ude00\ud83d",null,"k"]`,
		"[1,\"\x00\",null,\"k\"]", "[1,\"a\nb\",null,\"k\"]", "\ufeff[1]",
		strings.Repeat("[", 20_000), "[1," + strings.Repeat("[", 20_000),
	} {
		_, err := parseKey([]byte(b))
		assert.ErrorIs(t, err, errKey, "%.40q", b)
	}
}

func TestAKeyOfAnotherVersionIsToldFromGarbage(t *testing.T) {
	for _, b := range []string{`[2]`, `[0]`, `[-1]`, `[10]`, `[2,"a",null,"k","new"]`, `[2,{"user":"a"}]`, `[1.0]`, `[1e0]`, `[1E0,"a"]`, `[99999999999999999999]`} {
		_, err := parseKey([]byte(b))
		assert.ErrorIs(t, err, errVersion, b)
	}
}

func TestAKeyThatIsNotUTF8IsRefused(t *testing.T) {
	for _, b := range []string{"\xff", "[1,\"\xff\",null,\"k\"]", "[1,\"\xed\xa0\xbd\",null,\"k\"]", "[1,\"\xc0\x80\",null,\"k\"]", "[1,\"a\",null,\"\xf0\x9f\x98\"]"} {
		_, err := parseKey([]byte(b))
		assert.ErrorIs(t, err, errUTF8, "%q", b)
	}
}

// TestAKeyHasOneSpelling checks that what was written is what is read, and that no
// other bytes that mean the same to JSON are taken for it.
func TestAKeyHasOneSpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKey(t)
		b := k.bytes()
		got, err := parseKey(b)
		require.NoError(t, err, "%q", b)
		require.Equal(t, k, got)
		other := respell(t, b)
		if bytes.Equal(other, b) {
			return
		}
		require.True(t, json.Valid(other), "%q", other)
		_, err = parseKey(other)
		require.Error(t, err, "%q for %q", other, b)
	})
}

// TestDifferentKeysHaveDifferentBytes is what compaction needs.
func TestDifferentKeysHaveDifferentBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawKey(t), drawKey(t)
		require.Equal(t, a == b, bytes.Equal(a.bytes(), b.bytes()))
	})
}

func drawKey(t *rapid.T) recordKey {
	text := rapid.OneOf(rapid.StringOf(rapid.Rune()), rapid.SampledFrom([]string{"", "alice", "null", "<&>\u2028", "\x00\x1f\x7f", `"\`}))
	k := recordKey{kind: rapid.SampledFrom([]keyKind{headerKey, dynamicKey, clientKey}).Draw(t, "kind")}
	switch k.kind {
	case clientKey:
		k.instance = text.Draw(t, "instance")
	case dynamicKey:
		if k.tuple.hasUser = rapid.Bool().Draw(t, "has user"); k.tuple.hasUser {
			k.tuple.user = text.Draw(t, "user")
		}
		if k.tuple.hasClient = rapid.Bool().Draw(t, "has client"); k.tuple.hasClient {
			k.tuple.client = text.Draw(t, "client")
		}
		k.tuple.config = text.Draw(t, "config")
	}
	return k
}

// respell writes a key in another way that JSON allows.
func respell(t *rapid.T, b []byte) []byte {
	switch rapid.IntRange(0, 4).Draw(t, "spelling") {
	case 0: // as encoding/json does, with its escapes
		var v any
		require.NoError(t, json.Unmarshal(b, &v))
		out, err := json.Marshal(v)
		require.NoError(t, err)
		return out
	case 1:
		return append([]byte{'[', ' '}, b[1:]...)
	case 2:
		return append(bytes.Clone(b), '\n')
	case 3: // the first letter as an escape
		for i, c := range b {
			if 'A' <= c && c <= 'Z' {
				return []byte(string(b[:i]) + `\u00` + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) + string(b[i+1:]))
			}
		}
		return b
	default:
		return bytes.Replace(b, []byte("[1"), []byte("[1.0"), 1)
	}
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{`[1]`, `[1,"a"]`, `[1,"alice",null,"acks"]`, `[2]`, `[1.0]`, `[1,"\u0061",null,"k"]`, "[1,\"\xff\"]", `[[`, `[1,"\ud83d",null,"k"]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := parseKey(b)
		if err != nil {
			require.Zero(t, k)
			return
		}
		require.Equal(t, string(b), string(k.bytes()))
	})
}
