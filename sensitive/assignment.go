package sensitive

import "strings"

// assignedNames are the ends of names that credentials are assigned to inside a
// value. The words key and auth alone are not here: JSON is full of them.
var assignedNames = [...]string{
	"password", "passwd", "pwd", "secret", "token", "credential", "credentials", "jwt",
	"apikey", "accesskey", "accountkey", "secretkey", "privatekey", "authorization",
}

// hasAssignment reports whether a secret is assigned to a name in the text, as
// in a JAAS configuration, a connection string, a query, JSON or YAML.
func hasAssignment(text string) bool {
	for i := range len(text) {
		if text[i] != '=' && text[i] != ':' {
			continue
		}
		if namesSecret(text[:i]) && !isHost(text, i) && assigns(text[i+1:]) {
			return true
		}
	}
	return false
}

// namesSecret reports whether the text ends in a name for a secret, that may be
// quoted. Only letters are compared, so that client_secret, X-Api-Key and
// password2 are found.
func namesSecret(text string) bool {
	text = strings.TrimRight(text, " \t\"'\\")
	var letters [len("authorization") + 1]byte // one more: longer names end the same
	n := len(letters)
	for i := len(text) - 1; i >= 0 && n > 0; i-- {
		switch c := text[i]; {
		case isLetter(c):
			n--
			letters[n] = c | 0x20
		case !isDigit(c) && strings.IndexByte("._-", c) < 0:
			i = 0 // the name begins here
		}
	}
	name := string(letters[n:])
	for _, s := range assignedNames {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// isHost reports whether the sign at i stands behind a host or scheme that is
// named like a secret: token:9092, secret://vault/x. A quoted name is neither.
func isHost(text string, i int) bool {
	if text[i] != ':' || i > 0 && !isLetter(text[i-1]) && !isDigit(text[i-1]) {
		return false
	}
	return strings.HasPrefix(text[i:], "://") || startsWithPort(text[i+1:])
}

// assigns reports whether the text behind a sign goes on with a value.
func assigns(text string) bool {
	value := strings.TrimLeft(text, " \t\r\n\"'\\=:>")
	return value != "" && strings.IndexByte(",;&)]}", value[0]) < 0
}
