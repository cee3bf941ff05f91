package sensitive

import (
	"strings"
	"unicode"
)

// hasPEM reports whether a PEM header is in the text, in any case, with four
// dashes or more (SSH writes four and a space), or in base64, as it stands in a
// Kubernetes secret.
func hasPEM(text string) bool {
	const (
		begin        = "BEGIN"
		base64Header = "LS0tLS1CRUdJTi" // -----BEGIN and the first bits of the space
	)
	if strings.Contains(text, base64Header) {
		return true
	}
	for {
		_, after, found := strings.Cut(text, "----")
		if !found {
			return false
		}
		// Going on behind the dashes keeps a long line of them cheap.
		text = strings.TrimLeft(after, "- \t")
		if len(text) > len(begin) && strings.EqualFold(text[:len(begin)], begin) && !isLetter(text[len(begin)]) {
			return true
		}
	}
}

// hasScheme reports whether the value, or an element of it, is what an
// Authorization header holds: the word Bearer or Basic, white space, and
// anything. Whatever stands before the first letter of an element is skipped:
// white space, quotes, brackets, a byte order mark.
func hasScheme(text string) bool {
	for {
		start := strings.IndexFunc(text, unicode.IsLetter)
		if start < 0 {
			return false
		}
		text = text[start:]
		word := text
		if end := strings.IndexFunc(text, isNoWordRune); end >= 0 {
			word = text[:end]
		}
		text = text[len(word):]
		if isScheme(word) && startsWithCredential(text) {
			return true
		}
		next := strings.IndexAny(text, ",;\r\n")
		if next < 0 {
			return false
		}
		text = text[next:]
	}
}

func isScheme(word string) bool {
	return strings.EqualFold(word, "Bearer") || strings.EqualFold(word, "Basic")
}

func isNoWordRune(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// isBlank also takes the control and formatting characters that no eye sees.
func isBlank(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// startsWithCredential reports whether what follows the name of a scheme is
// white space and then a letter or digit of the same element. Where the white
// space has a line break the letter must follow at once, or "- basic" would be
// taken for a credential in a list of several lines.
func startsWithCredential(text string) bool {
	rest := strings.TrimLeftFunc(text, isBlank)
	blanks := text[:len(text)-len(rest)]
	if blanks == "" {
		return false
	}
	for i, r := range rest {
		switch {
		case !isNoWordRune(r):
			return i == 0 || !strings.ContainsAny(blanks, "\r\n")
		case strings.ContainsRune(",;\r\n", r):
			return false
		}
	}
	return false
}

// hasJWT reports whether a JSON web token is in the text, signed or encrypted:
// a header in base64url (a JSON object begins with eyJ), and two dots with
// nothing but base64url between them.
func hasJWT(text string) bool {
	const minHeader = len("eyJhbGciOiJ") // {"alg":"
	for {
		start := strings.Index(text, "eyJ")
		if start < 0 {
			return false
		}
		text = text[start:]
		header := base64Len(text)
		text = text[header:]
		if header < minHeader || !strings.HasPrefix(text, ".") {
			continue
		}
		if n := base64Len(text[1:]); strings.HasPrefix(text[1+n:], ".") {
			return true
		}
	}
}

// base64Len returns the length of the base64url that the text begins with.
func base64Len(text string) int {
	n := 0
	for n < len(text) && (isLetter(text[n]) || isDigit(text[n]) || text[n] == '-' || text[n] == '_') {
		n++
	}
	return n
}
