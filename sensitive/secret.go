package sensitive

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// Secret is a string that the application needs and that nothing may print.
// Every way to print, log or marshal it gives [redacted]. Where the fmt package
// calls no method, as in a struct's unexported field or with a verb such as %p
// that does not fit, it gives an address, and so does everything that prints by
// reflection.
//
// Two secrets cannot be compared with ==; use Equal. The zero value is a Secret
// of the empty string.
type Secret struct {
	// A function, not a string: reflection reads a string in an unexported
	// field, and behind a pointer, but not what a function closed over.
	reveal func() string
}

// NewSecret returns a Secret of s.
func NewSecret(s string) Secret {
	return Secret{reveal: func() string { return s }}
}

// Reveal returns the string itself. It is the only way to get at it, so a
// search for this name finds every place that does.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// Equal reports whether both are secrets of the same string. How long it takes
// tells nothing about the strings but whether their lengths differ.
func (s Secret) Equal(o Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(o.Reveal())) == 1
}

// String returns [redacted].
func (s Secret) String() string { return redacted }

// GoString returns [redacted].
func (s Secret) GoString() string { return redacted }

// Format prints [redacted] for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalJSON returns "[redacted]" in quotes. There is no way back.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText returns [redacted], which YAML and XML encoders use.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue keeps the string out of slog records.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
