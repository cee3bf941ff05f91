package configdef

import (
	"errors"
	"fmt"
	"strconv"
)

// Dynamic reports whether an operator may set the key for clients (KIP-649).
func Dynamic(key string) bool {
	r := find(key)
	return r != nil && r.dynamic != nil
}

// ValidateDynamic returns why a value is none that an operator may set for
// clients, and nil if it is one. The value is parsed as in a static
// configuration. What a client of a certain kind makes of it, and whether two
// values go together, is not asked here.
//
// The error names the key, quoted if it is not known, and never holds the value.
func ValidateDynamic(key, value string) error {
	r := find(key)
	if r == nil || r.dynamic == nil {
		return fmt.Errorf("configdef: %s is no dynamic configuration", shownKey(key))
	}
	parsed, err := Parse(r.typ, value)
	if err != nil {
		return fmt.Errorf("configdef: %s: %w", key, err)
	}
	if err := r.dynamic(parsed); err != nil {
		return fmt.Errorf("configdef: %s: %w", key, err)
	}
	return nil
}

// shownKey makes a key that somebody else chose fit for a message.
func shownKey(key string) string {
	const limit = 256
	if len(key) > limit {
		return strconv.QuoteToASCII(key[:limit]) + " (cut)"
	}
	return strconv.QuoteToASCII(key)
}

func validAcks(value any) error {
	switch value {
	case "all", "-1", "0", "1":
		return nil
	}
	return errors.New("the value must be all, -1, 0 or 1")
}

func validMillis(value any) error {
	if n, ok := value.(int32); !ok || n <= 0 {
		return errors.New("the value must be a number of milliseconds above zero")
	}
	return nil
}
