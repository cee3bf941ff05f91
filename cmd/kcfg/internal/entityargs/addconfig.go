package entityargs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kcfg-go/kcfg"
)

// parseAdd understands the value of --add-config: key=value pairs with commas between
// them. Square brackets around a value keep its commas; one pair of them is taken off.
func parseAdd(text string) ([]kcfg.ConfigOp, error) {
	var out []kcfg.ConfigOp
	for _, pair := range splitOutside(text) {
		key, value, err := parsePair(pair)
		if err != nil {
			return nil, fmt.Errorf("--add-config: %w", err)
		}
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, "[") {
			if !strings.HasSuffix(value, "]") || len(value) < 2 {
				return nil, fmt.Errorf("--add-config: the bracket in the value of %q is not closed", key)
			}
			value = strings.TrimSpace(value[1 : len(value)-1])
		}
		out = append(out, kcfg.SetConfig(strings.TrimSpace(key), value))
	}
	return out, nil
}

// splitOutside splits at commas that are not in brackets. A comma is in brackets, as
// Kafka's tool has it, if the next bracket behind it closes one. One at the end
// separates nothing.
func splitOutside(text string) []string {
	var out []string
	start := 0
	for i := range len(text) {
		if text[i] != ',' {
			continue
		}
		rest := text[i+1:]
		if next := strings.IndexAny(rest, "[]"); next >= 0 && rest[next] == ']' {
			continue
		}
		out = append(out, text[start:i])
		start = i + 1
	}
	if start < len(text) || start == 0 {
		out = append(out, text[start:])
	}
	return out
}

// parsePair splits a key=value pair at its first equals sign. Its errors do not hold
// what may be a value.
func parsePair(pair string) (key, value string, err error) {
	key, value, ok := strings.Cut(pair, "=")
	if !ok {
		return "", "", errors.New("all are key=value pairs; a value with commas stands in square brackets, key=[a,b]")
	}
	return key, value, nil
}

// parseDelete understands the value of --delete-config. Between commas there may be
// nothing, as in Kafka's tool. Its error does not hold what may be a value.
func parseDelete(text string) ([]kcfg.ConfigOp, error) {
	if strings.Contains(text, "=") {
		return nil, errors.New("--delete-config: it takes keys, without values")
	}
	var out []kcfg.ConfigOp
	for key := range strings.SplitSeq(text, ",") {
		if key != "" {
			out = append(out, kcfg.DeleteConfig(strings.TrimSpace(key)))
		}
	}
	if len(out) == 0 {
		return nil, errors.New("--delete-config: a key is empty")
	}
	return out, nil
}
