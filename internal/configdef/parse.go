package configdef

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kcfg-go/kcfg/sensitive"
)

// Parse reads a value's text as ConfigDef does and returns a bool, int32,
// int16, int64, float64, []string or string. CLASS, PASSWORD and unknown types
// are errors: their values have no business here. An error never shows the
// value; the caller adds the key.
//
// Space at both ends is dropped, in strings too, and around the commas of a
// list, which is empty for an empty text. Digits are ASCII ones.
func Parse(t sensitive.Type, value string) (any, error) {
	value = strings.TrimFunc(value, func(r rune) bool { return r <= ' ' }) // what Java's trim drops
	switch t {
	case sensitive.Boolean:
		return parseBool(value)
	case sensitive.String:
		return value, nil
	case sensitive.Int:
		n, err := parseInt(t, value, 32)
		return int32(n), err
	case sensitive.Short:
		n, err := parseInt(t, value, 16)
		return int16(n), err
	case sensitive.Long:
		return parseInt(t, value, 64)
	case sensitive.Double:
		return parseDouble(value)
	case sensitive.List:
		return parseList(value), nil
	default:
		return nil, fmt.Errorf("configdef: a value of type %s is not parsed", t)
	}
}

func parseBool(s string) (bool, error) {
	switch {
	case strings.EqualFold(s, "true"):
		return true, nil
	case strings.EqualFold(s, "false"):
		return false, nil
	}
	return false, errors.New("configdef: a value of type BOOLEAN is neither true nor false")
}

// parseInt drops strconv's error, which quotes the text.
func parseInt(t sensitive.Type, s string, bits int) (int64, error) {
	n, err := strconv.ParseInt(s, 10, bits)
	if err != nil {
		return 0, notNumber(t)
	}
	return n, nil
}

// parseDouble takes what Double.parseDouble takes, where that is not what Go
// does: NaN and Infinity are written so and in no other way, a type letter may
// follow, digits are not grouped by underscores, and what is too large is
// infinite.
func parseDouble(s string) (float64, error) {
	sign, digits := 1.0, s
	switch {
	case strings.HasPrefix(s, "-"):
		sign, digits = -1, s[1:]
	case strings.HasPrefix(s, "+"):
		digits = s[1:]
	}
	switch digits {
	case "NaN":
		return math.NaN(), nil
	case "Infinity":
		return math.Inf(int(sign)), nil
	}
	allowed := "0123456789.eE+-"
	if strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X") {
		allowed = "0123456789abcdefABCDEFxXpP.+-"
	}
	if n := len(digits); n > 0 && strings.ContainsRune("fFdD", rune(digits[n-1])) {
		digits = digits[:n-1]
	}
	if digits == "" || strings.Trim(digits, allowed) != "" || digits[0] == '+' || digits[0] == '-' {
		return 0, notNumber(sensitive.Double)
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, notNumber(sensitive.Double)
	}
	return sign * f, nil
}

// parseList keeps empty elements, as Java's split with a limit of -1.
func parseList(s string) []string {
	if s == "" {
		return []string{}
	}
	const space = " \t\n\v\f\r"
	list := strings.Split(s, ",")
	for i := range list {
		if i > 0 {
			list[i] = strings.TrimLeft(list[i], space)
		}
		if i < len(list)-1 {
			list[i] = strings.TrimRight(list[i], space)
		}
	}
	return list
}

func notNumber(t sensitive.Type) error {
	return fmt.Errorf("configdef: a value of type %s is not a number in its range", t)
}
