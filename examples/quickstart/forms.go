package main

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// form is one way to write a text.
type form struct{ name, text string }

// forms returns the text as it is, and as it would stand in something that was
// encoded: hexadecimal in both cases, and base64 in both alphabets and at each of
// the three places where a text may begin in a group of base64.
func forms(text string) []form {
	hexed := hex.EncodeToString([]byte(text))
	out := []form{
		{"plain", text},
		{"hex", hexed},
		{"upper-case hex", strings.ToUpper(hexed)},
	}
	for start := range 3 {
		out = append(out,
			form{"base64", encoded(base64.RawStdEncoding, text, start)},
			form{"base64 for URLs", encoded(base64.RawURLEncoding, text, start)},
		)
	}
	return out
}

// encoded returns those digits that the text alone decides when it begins at
// the given byte of a group: a digit has six bits, so the ones at its edges also
// hold bits of what is around it.
func encoded(enc *base64.Encoding, text string, start int) string {
	const byteBits, digitBits = 8, 6
	digits := enc.EncodeToString(append(make([]byte, start), text...))
	from := (start*byteBits + digitBits - 1) / digitBits
	to := (start + len(text)) * byteBits / digitBits
	return digits[from:to]
}
