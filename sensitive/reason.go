package sensitive

import "strconv"

// Reason says why a configuration does not leave the process. Its text fits a
// log line and never holds a value.
type Reason uint8

// The reasons, in order of precedence: where several apply to a key, or to a
// value, the first is given.
const (
	// NotSensitive is the zero Reason: no rule applies.
	NotSensitive Reason = iota

	// ReasonPrefix: the key starts with sasl. security. or ssl. (KIP-1324).
	ReasonPrefix
	// ReasonInfix: the key contains .sasl. .security. or .ssl. (KIP-1324).
	ReasonInfix
	// ReasonSuffix: the key ends in .class or .classes (KIP-1324).
	ReasonSuffix
	// ReasonType: the type is PASSWORD or CLASS (KIP-1324), or a number that
	// is no type at all.
	ReasonType
	// ReasonCustom: the type is Unknown, which is what a key has that the
	// table of Kafka's keys does not know (KIP-1324).
	ReasonCustom
	// ReasonCharacters: the key is empty, or not printable ASCII without
	// spaces.
	ReasonCharacters
	// ReasonWord: the key has a word for a secret in it, such as password.
	ReasonWord
	// ReasonValue: the value looks like a credential.
	ReasonValue
	// ReasonTooLong: the key or the value has more than 32,767 bytes, which
	// Kafka cannot write.
	ReasonTooLong
	// ReasonEncoding: the value is not valid UTF-8.
	ReasonEncoding
)

var reasonTexts = [...]string{
	NotSensitive:     "not sensitive",
	ReasonPrefix:     "key starts with sasl., security. or ssl.",
	ReasonInfix:      "key contains .sasl., .security. or .ssl.",
	ReasonSuffix:     "key ends in .class or .classes",
	ReasonType:       "values of this type are never sent",
	ReasonCustom:     "key is unknown to Kafka and has no type",
	ReasonCharacters: "key is not printable ASCII without spaces",
	ReasonWord:       "key contains a word for a secret",
	ReasonValue:      "value looks like a credential",
	ReasonTooLong:    "key or value is longer than 32767 bytes",
	ReasonEncoding:   "value is not valid UTF-8",
}

// String returns the reason in words, such as "key ends in .class or .classes".
func (r Reason) String() string {
	if int(r) < len(reasonTexts) {
		return reasonTexts[r]
	}
	return "reason " + strconv.Itoa(int(r))
}

// MarshalText returns String, so that a reason reads the same in JSON as in a
// log.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
