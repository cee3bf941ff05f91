package configdef

import "strings"

// Spelling returns how Kafka writes a key that may be in another case, and the
// empty string for a key that no client of Kafka has in any.
func Spelling(key string) string {
	if find(key) != nil {
		return key
	}
	for i := range table {
		if strings.EqualFold(table[i].key, key) {
			return table[i].key
		}
	}
	return ""
}
