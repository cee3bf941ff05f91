package sensitive

import "strconv"

// maxPrinted is the longest key that is printed in full.
const maxPrinted = 256

// printable returns a key as it may stand in a log: as it is where it is short
// and plain, else cut and quoted. A line break in a key would forge a log line.
func printable(key string) string {
	if _, plain := scan(key); plain && len(key) <= maxPrinted {
		return key
	}
	if len(key) > maxPrinted {
		return strconv.QuoteToASCII(key[:maxPrinted]) + "..."
	}
	return strconv.QuoteToASCII(key)
}
