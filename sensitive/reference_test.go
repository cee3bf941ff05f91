package sensitive_test

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kcfg-go/kcfg/sensitive"
)

// This is the package a second time: slow, and written as the rules read, with
// lower-cased copies, Split and regular expressions. The fuzz targets compare.

// fold maps every rune to one that stands for all that fold to it.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		low := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			low = min(low, f)
		}
		if low >= 'A' && low <= 'Z' {
			return low + 'a' - 'A'
		}
		return low
	}, s)
}

var (
	refPlain  = regexp.MustCompile(`^[!-~]+$`)
	refLower  = regexp.MustCompile(`([a-z])([A-Z])`)
	refUpper  = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
	refSplit  = regexp.MustCompile(`[^A-Za-z]+`)
	refInside = regexp.MustCompile(`password|passwd|pwd|secret|apikey|privatekey|accesskey|encryptionkey|passphrase|basicauth|credential|jwt|userinfo|user[^a-z]+info`)
)

func refCheck(key string, t sensitive.Type) sensitive.Reason {
	k := fold(key)
	for _, s := range []string{"sasl.", "security.", "ssl."} {
		if strings.HasPrefix(k, s) {
			return sensitive.ReasonPrefix
		}
	}
	for _, s := range []string{".sasl.", ".security.", ".ssl."} {
		if strings.Contains(k, s) {
			return sensitive.ReasonInfix
		}
	}
	for _, s := range []string{".class", ".classes"} {
		if strings.HasSuffix(k, s) {
			return sensitive.ReasonSuffix
		}
	}
	switch {
	case t == -1:
		return sensitive.ReasonCustom
	case !slices.Contains([]sensitive.Type{0, 1, 2, 3, 4, 5, 6}, t):
		return sensitive.ReasonType
	case !refPlain.MatchString(key):
		return sensitive.ReasonCharacters
	case refWord(key):
		return sensitive.ReasonWord
	case len(key) >= 1<<15:
		return sensitive.ReasonTooLong
	}
	return sensitive.NotSensitive
}

func refWord(key string) bool {
	if refInside.MatchString(strings.ToLower(key)) {
		return true
	}
	camel := refUpper.ReplaceAllString(refLower.ReplaceAllString(key, "$1.$2"), "$1.$2")
	for _, w := range append(refSplit.Split(key, -1), refSplit.Split(camel, -1)...) {
		if slices.Contains([]string{"token", "key", "auth"}, strings.ToLower(w)) {
			return true
		}
	}
	for _, w := range refSplit.Split(key, -1) {
		if strings.HasSuffix(strings.ToLower(w), "token") {
			return true
		}
	}
	return false
}

var (
	refEscape   = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	refURL      = regexp.MustCompile(`:\\?/\\?/`)
	refQuote    = regexp.MustCompile(`"($|[ \t\r\n,;:})\]>\\])`)
	refPassword = regexp.MustCompile(`^[^: \t]*:([^ \t0-9]|[0-9]+[A-Za-z]|[0-9]+[^\x00-\x7f])`)
	refDSN      = regexp.MustCompile(`(?:^|[ \t\r\n,;"'/@])[^ \t\r\n,;"'/@:]+:[^ \t\r\n,;"'/@]+@[A-Za-z0-9._-]+(?:[(/]|:[0-9])`)
	refPEM      = regexp.MustCompile(`----[- \t]*(?i:begin)(?s:[^A-Za-z])|LS0tLS1CRUdJTi`)
	refJWT      = regexp.MustCompile(`eyJ[\w-]{8,}\.[\w-]*\.`)
	refScheme   = regexp.MustCompile(`^\PL*(?i:bearer|basic)(` + refBlank + `+[\pL\p{Nd}]|` + refInline + `+[^,;\r\n]*[\pL\p{Nd}])`)
	refName     = regexp.MustCompile(refNames() + `[-._0-9]*[ \t"'\\]*[=:]`)
	refAssigned = regexp.MustCompile(`^[ \t\r\n"'\\=:>]*[^ \t\r\n"'\\=:>,;&)\]}]`)
	refHost     = regexp.MustCompile(`^:(//|[0-9]+$|[0-9]+[\x00-/:-@\[-` + "`" + `{-\x7f])`)
)

// White space, control and formatting characters, with and without line breaks.
const (
	refInline = `[\x00-\x09\x0b\x0c\x0e-\x20\x7f-\x{9f}\pZ\p{Cf}]`
	refBlank  = `[\x00-\x20\x7f-\x{9f}\pZ\p{Cf}]`
)

func refNames() string {
	var names []string
	for name := range strings.FieldsSeq("password passwd pwd secret token credential credentials jwt apikey accesskey accountkey secretkey privatekey authorization") {
		var letters []string
		for _, c := range name {
			letters = append(letters, "["+string(c)+string(c-0x20)+"]")
		}
		names = append(names, strings.Join(letters, `[-._0-9]*`))
	}
	return "(?:" + strings.Join(names, "|") + ")"
}

func refCheckValue(value string) sensitive.Reason {
	text := value
	for n := 0; ; n++ {
		if n == 4 || refCredential(text) {
			return sensitive.ReasonValue
		}
		next := refEscape.ReplaceAllStringFunc(text, func(s string) string {
			return string([]byte{byte(hexDigit(s[1])<<4 | hexDigit(s[2]))})
		})
		if next == text {
			break
		}
		text = next
	}
	switch {
	case len(value) >= 1<<15:
		return sensitive.ReasonTooLong
	case strings.ToValidUTF8(value, "") != value || !utf8.ValidString(value):
		return sensitive.ReasonEncoding
	}
	return sensitive.NotSensitive
}

func hexDigit(c byte) int { return strings.IndexByte("0123456789abcdef", c|0x20) }

func refCredential(text string) bool {
	if refDSN.MatchString(text) || refPEM.MatchString(text) || refJWT.MatchString(text) {
		return true
	}
	for _, at := range refURL.FindAllStringIndex(text, -1) {
		authority := text[at[1]:]
		if i := strings.IndexAny(authority, "/?#\r\n"); i >= 0 {
			authority = authority[:i+1]
		}
		if q := refQuote.FindStringIndex(authority); q != nil {
			authority = authority[:q[0]]
		}
		if i := strings.IndexAny(authority, " \t"); i >= 0 && !refPassword.MatchString(authority[:i]) {
			authority = authority[:i]
		}
		if strings.Contains(authority, "@") {
			return true
		}
	}
	for i := range len(text) {
		if (i == 0 || strings.IndexByte(",;\r\n", text[i-1]) >= 0) && refScheme.MatchString(text[i:]) {
			return true
		}
	}
	for _, at := range refName.FindAllStringIndex(text, -1) {
		sign := at[1] - 1
		quoted := strings.IndexByte(" \t\"'\\._-", text[sign-1]) >= 0
		if (quoted || !refHost.MatchString(text[sign:])) && refAssigned.MatchString(text[sign+1:]) {
			return true
		}
	}
	return false
}
