package sensitive

import "strings"

// hasUserinfo reports whether a URL with userinfo is anywhere in the text. The
// scheme does not matter, nor whether there is one: "://" makes it a URL.
func hasUserinfo(text string) bool {
	for {
		_, after, found := strings.Cut(text, ":")
		if !found {
			return false
		}
		authority, ok := cutSlash(after)
		if ok {
			authority, ok = cutSlash(authority)
		}
		if ok && hasAt(authority) {
			return true
		}
		text = after
	}
}

// cutSlash returns the text after a leading slash. Some JSON writers put a
// backslash before each slash.
func cutSlash(text string) (after string, found bool) {
	text = strings.TrimPrefix(text, `\`)
	return strings.CutPrefix(text, "/")
}

// hasAt reports whether the authority that the text begins with has an @. The
// authority ends at the first slash, question mark or number sign. It also ends
// with the line, with the string in JSON, and at white space unless that is in
// a password: no URL may hold these, but some parsers let them pass.
//
// A comma does not end it. Commas are allowed in a password, so a list such as
// http://a,svc@example is held back.
func hasAt(text string) bool {
	inPassword := false
	for i := range len(text) {
		switch text[i] {
		case '@':
			return true
		case '/', '?', '#', '\n', '\r':
			return false
		case '"':
			if closesString(text[i+1:]) {
				return false
			}
		case ' ', '\t':
			if !inPassword && !startsPassword(text[:i]) {
				return false
			}
			inPassword = true
		}
	}
	return false
}

// closesString reports whether a double quote that is followed by this text
// ends a string, as opposed to one in the middle of a password.
func closesString(after string) bool {
	return after == "" || strings.IndexByte(" \t\r\n,;:})]>\\", after[0]) >= 0
}

// startsPassword tells user:pass from host:port.
func startsPassword(text string) bool {
	_, after, found := strings.Cut(text, ":")
	return found && after != "" && !startsWithPort(after)
}

// startsWithPort reports whether the text begins with a number that ends there
// or before something that is no letter.
func startsWithPort(text string) bool {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n > 0 && (n == len(text) || text[n] < 0x80 && !isLetter(text[n]))
}
