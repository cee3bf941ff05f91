package sensitive

import "strings"

// maxBytes is the longest string that Kafka's protocol can write: its length
// is a signed 16-bit number.
const maxBytes = 32767

// Check returns why an entry with this key and type does not leave the
// process, or NotSensitive. It looks at no value; see CheckValue.
//
// Where several rules apply the first is given, in this order: ReasonPrefix,
// ReasonInfix, ReasonSuffix, ReasonType, ReasonCustom, ReasonCharacters,
// ReasonWord, ReasonTooLong. So Check(key, Unknown) is never NotSensitive: it
// gives ReasonCustom, or one of the proposal's name rules where one applies.
//
// Check allocates nothing and may be called for every key of every poll.
func Check(key string, t Type) Reason {
	letters, plain := scan(key)
	if !plain || mayHoldName(letters) {
		if r := checkName(key); r != NotSensitive {
			return r
		}
	}
	switch {
	case t == Unknown:
		return ReasonCustom
	case t < Boolean || t > List:
		return ReasonType
	case !plain:
		return ReasonCharacters
	case mayHoldWord(letters) && holdsWord(key):
		return ReasonWord
	case len(key) > maxBytes:
		return ReasonTooLong
	}
	return NotSensitive
}

// checkName applies the proposal's three name rules. All of them speak of
// whole segments between dots, and nothing but a dot folds to a dot, so each
// segment is compared on its own, whatever its length in bytes is.
func checkName(key string) Reason {
	for start := 0; ; {
		n := strings.IndexByte(key[start:], '.')
		if n < 0 {
			if start > 0 && isClass(key[start:]) {
				return ReasonSuffix
			}
			return NotSensitive
		}
		if isReserved(key[start : start+n]) {
			if start == 0 {
				return ReasonPrefix
			}
			return ReasonInfix
		}
		start += n + 1
	}
}

// isReserved reports whether a segment is sasl, security or ssl.
func isReserved(segment string) bool {
	return mayFoldTo(segment, 's') &&
		(strings.EqualFold(segment, "ssl") || strings.EqualFold(segment, "sasl") || strings.EqualFold(segment, "security"))
}

// isClass reports whether a segment is class or classes.
func isClass(segment string) bool {
	return mayFoldTo(segment, 'c') &&
		(strings.EqualFold(segment, "class") || strings.EqualFold(segment, "classes"))
}

// mayFoldTo reports whether the segment begins with the letter or with a rune
// that may fold to it, as U+017F does to s. It spares most comparisons.
func mayFoldTo(segment string, letter byte) bool {
	return segment != "" && (segment[0]|0x20 == letter || segment[0] >= 0x80)
}
