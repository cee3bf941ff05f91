package sensitive

import (
	"strings"
	"unicode/utf8"
)

// maxDecodings bounds how often a value is percent-decoded before it is given
// up on. A URL inside a URL inside a URL needs two.
const maxDecodings = 3

// CheckValue returns why a value does not leave the process whatever its key
// is, or NotSensitive. The package documentation lists what looks like a
// credential. Where several rules apply the first is given, in this order:
// ReasonValue, ReasonTooLong, ReasonEncoding.
//
// It errs on the safe side: it may hold back text that only looks like a
// credential, such as "Basic plan".
func CheckValue(value string) Reason {
	switch {
	case holdsCredential(value):
		return ReasonValue
	case len(value) > maxBytes:
		return ReasonTooLong
	case !utf8.ValidString(value):
		return ReasonEncoding
	}
	return NotSensitive
}

// holdsCredential looks at the text as it stands and as it reads after each
// percent-decoding. Text that is encoded still more often hides something.
func holdsCredential(text string) bool {
	for range maxDecodings + 1 {
		if hasUserinfo(text) || hasDSN(text) || hasPEM(text) || hasScheme(text) || hasJWT(text) || hasAssignment(text) {
			return true
		}
		decoded := percentDecode(text)
		if len(decoded) == len(text) {
			return false
		}
		text = decoded
	}
	return true
}

// percentDecode decodes what can be decoded and keeps the rest, where
// url.PathUnescape would give up: "100%, http%3A%2F%2F" is to be understood.
func percentDecode(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			hi, lo := unhex(text[i+1]), unhex(text[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return string(out)
}

func unhex(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
