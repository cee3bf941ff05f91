package sensitive

import "strings"

// hasDSN reports whether a user and a password stand before a host without a
// scheme in front, as in the data source names of databases:
// root:pass@tcp(db:3306)/x, user:pass@host:5432. What follows the host must show
// that it is one, so that a principal such as User:alice@EXAMPLE.ORG passes.
func hasDSN(text string) bool {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '@')
		if i < 0 {
			return false
		}
		at := from + i
		from = at + 1
		if endsInUserAndPassword(text[:at]) && startsWithHost(text[at+1:]) {
			return true
		}
	}
}

// endsInUserAndPassword reports whether the last word of the text is two words
// with a colon between.
func endsInUserAndPassword(text string) bool {
	start := strings.LastIndexAny(text, " \t\r\n,;\"'/@") + 1
	user, password, found := strings.Cut(text[start:], ":")
	return found && user != "" && password != ""
}

// startsWithHost reports whether the text begins with a host name and then a
// port, a path, or the address in brackets of a data source name.
func startsWithHost(text string) bool {
	n := 0
	for n < len(text) && (isLetter(text[n]) || isDigit(text[n]) || strings.IndexByte("._-", text[n]) >= 0) {
		n++
	}
	if n == 0 || n == len(text) {
		return false
	}
	switch text[n] {
	case '(', '/':
		return true
	case ':':
		return n+1 < len(text) && isDigit(text[n+1])
	}
	return false
}
