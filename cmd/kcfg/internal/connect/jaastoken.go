package connect

import (
	"errors"
	"strings"
)

// jaasToken is a token as the java.io.StreamTokenizer that Kafka uses has it.
type jaasToken struct {
	kind rune // 'w' a word, '"' a quoted text, 'n' a number, else the character itself; 0 the end
	text string
}

// isText reports whether the token has a text: a number has none there.
func (t jaasToken) isText() bool { return t.kind == 'w' || t.kind == '"' }

// jaasTokens splits a text into tokens.
func jaasTokens(text string) ([]jaasToken, error) {
	s := &jaasScanner{rest: []rune(text)}
	var out []jaasToken
	for s.skipSpace() {
		t, err := s.token()
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, s.err
}

type jaasScanner struct {
	rest []rune
	err  error
}

// skipSpace passes over spaces and comments, and reports whether something is left.
// A lone slash begins a comment too.
func (s *jaasScanner) skipSpace() bool {
	for len(s.rest) > 0 {
		switch c := s.rest[0]; {
		case c <= ' ':
			s.rest = s.rest[1:]
		case c == '/' && len(s.rest) > 1 && s.rest[1] == '*':
			s.rest = s.rest[2:]
			for len(s.rest) > 1 && (s.rest[0] != '*' || s.rest[1] != '/') {
				s.rest = s.rest[1:]
			}
			if len(s.rest) < 2 {
				s.rest, s.err = nil, errors.New("a comment does not end")
				return false
			}
			s.rest = s.rest[2:]
		case c == '/':
			for len(s.rest) > 0 && s.rest[0] != '\n' && s.rest[0] != '\r' {
				s.rest = s.rest[1:]
			}
		default:
			return true
		}
	}
	return false
}

func (s *jaasScanner) token() (jaasToken, error) {
	c := s.rest[0]
	switch {
	case c == '"' || c == '\'':
		text, err := s.quoted()
		return jaasToken{'"', text}, err
	case isDigit(c):
		return jaasToken{'n', s.while(isDigit)}, nil
	case isLetter(c):
		return jaasToken{'w', s.while(func(r rune) bool { return isLetter(r) || isDigit(r) })}, nil
	}
	s.rest = s.rest[1:]
	return jaasToken{kind: c}, nil
}

func (s *jaasScanner) while(is func(rune) bool) string {
	n := 0
	for n < len(s.rest) && is(s.rest[n]) {
		n++
	}
	text := string(s.rest[:n])
	s.rest = s.rest[n:]
	return text
}

// isDigit reports whether a number can have it; a word that it stands in can too.
func isDigit(r rune) bool { return '0' <= r && r <= '9' || r == '.' || r == '-' }

func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '$' || r >= 160
}

// escapes are those of a letter; of any other character but a digit a backslash
// makes the character itself.
var escapes = map[rune]rune{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// quoted reads a text in quotes, which ends in its line.
func (s *jaasScanner) quoted() (string, error) {
	quote := s.rest[0]
	s.rest = s.rest[1:]
	var b strings.Builder
	for len(s.rest) > 0 {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case c == quote:
			return b.String(), nil
		case c == '\n' || c == '\r':
			return "", errors.New("a quoted text does not end in its line")
		case c == '\\' && len(s.rest) > 0:
			b.WriteRune(s.escaped())
		default:
			b.WriteRune(c)
		}
	}
	return "", errors.New("a quoted text does not end")
}

// escaped reads what stands behind a backslash: up to three octal digits, or one
// character.
func (s *jaasScanner) escaped() rune {
	c := s.rest[0]
	if c < '0' || c > '7' {
		s.rest = s.rest[1:]
		if e, ok := escapes[c]; ok {
			return e
		}
		return c
	}
	digits := 2
	if c <= '3' {
		digits = 3
	}
	n := rune(0)
	for digits > 0 && len(s.rest) > 0 && '0' <= s.rest[0] && s.rest[0] <= '7' {
		n = n<<3 + s.rest[0] - '0'
		s.rest = s.rest[1:]
		digits--
	}
	return n
}
