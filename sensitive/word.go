package sensitive

import "strings"

// anywhereWords are found anywhere in a run of letters, as no ordinary word
// has one of them in it. The word credentials is found as credential.
var anywhereWords = [...]string{
	"password", "passwd", "passphrase", "pwd", "secret", "apikey", "privatekey", "accesskey",
	"encryptionkey", "basicauth", "credential", "jwt", "userinfo",
}

// wholeWords are found as a whole word only: tokenizer, monkey and authors have
// them in them.
var wholeWords = [...]string{"token", "key", "auth"}

// holdsWord reports whether an ASCII key has a word for a secret in it. Whatever
// is not a letter separates words, digits too: password2, api2key.
func holdsWord(key string) bool {
	before := "" // the run of letters before, for user.info
	for key != "" {
		n := 0
		for n < len(key) && isLetter(key[n]) {
			n++
		}
		if n == 0 {
			key = key[1:]
			continue
		}
		run := key[:n]
		key = key[n:]
		if mayHoldWord(lettersOf(run)) && runHoldsWord(run) {
			return true
		}
		if hasSuffixFold(before, "user") && hasPrefixFold(run, "info") {
			return true
		}
		before = run
	}
	return false
}

// runHoldsWord reports whether a run of letters has a word in it: first as it
// stands, so that no mix of upper and lower case hides a word, then cut where
// camel case starts a new one.
func runHoldsWord(run string) bool {
	for _, w := range anywhereWords {
		if containsFold(run, w) {
			return true
		}
	}
	if isWholeWord(run) || hasSuffixFold(run, "token") {
		return true
	}
	for run != "" {
		end := camelEnd(run)
		if isWholeWord(run[:end]) {
			return true
		}
		run = run[end:]
	}
	return false
}

// camelEnd returns where the first word of a run of letters ends: before an
// upper-case letter that follows a lower-case one (db|Password), or that ends
// a run of upper-case ones and begins a word (DB|Password).
func camelEnd(run string) int {
	for i := 1; i < len(run); i++ {
		if !isUpper(run[i]) {
			continue
		}
		if !isUpper(run[i-1]) || i+1 < len(run) && !isUpper(run[i+1]) {
			return i
		}
	}
	return len(run)
}

func isWholeWord(s string) bool {
	for _, w := range wholeWords {
		if strings.EqualFold(s, w) {
			return true
		}
	}
	return false
}

// containsFold is strings.Contains for ASCII letters in any case. The word is
// in lower case.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

func hasPrefixFold(s, word string) bool {
	return len(s) >= len(word) && strings.EqualFold(s[:len(word)], word)
}

func hasSuffixFold(s, word string) bool {
	return len(s) >= len(word) && strings.EqualFold(s[len(s)-len(word):], word)
}

func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
