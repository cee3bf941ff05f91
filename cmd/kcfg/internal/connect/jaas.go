package connect

import (
	"errors"
	"strings"

	"github.com/kcfg-go/kcfg/sensitive"
)

// The login modules of Kafka that there are here.
const (
	plainModule = "org.apache.kafka.common.security.plain.PlainLoginModule"
	scramModule = "org.apache.kafka.common.security.scram.ScramLoginModule"
)

// jaasModule is the one entry of a sasl.jaas.config.
type jaasModule struct {
	name    string
	options map[string]sensitive.Secret
}

// token reports whether user and password are those of a delegation token.
func (m jaasModule) token() bool {
	return m.name == scramModule && strings.EqualFold(m.options["tokenauth"].Reveal(), "true")
}

// parseJAAS parses what Kafka's JaasConfig does, by its rules:
//
//	LoginModule (required|requisite|sufficient|optional) [option=value ...];
//
// Of an option that comes twice the last value counts. Errors hold nothing of the
// text, in which the password may stand anywhere.
func parseJAAS(text string) (jaasModule, error) {
	m := jaasModule{options: make(map[string]sensitive.Secret)}
	tokens, err := jaasTokens(text)
	if err != nil {
		return m, err
	}
	next := func() (t jaasToken) {
		if len(tokens) > 0 {
			t, tokens = tokens[0], tokens[1:]
		}
		return t
	}
	module, flag := next(), next()
	if !module.isText() {
		return m, errors.New("it does not begin with a login module")
	}
	switch strings.ToLower(flag.text) {
	case "required", "requisite", "sufficient", "optional":
	default:
		return m, errors.New("no control flag, such as required, stands behind the login module")
	}
	m.name = module.text
	for {
		key := next()
		switch {
		case key.kind == ';' && len(tokens) > 0:
			return m, errors.New("there is more than one login module in it")
		case key.kind == ';':
			return m, nil
		case key.kind == 0:
			return m, errors.New("no semicolon stands at its end")
		case !key.isText():
			return m, errors.New("an option has no name")
		}
		equals, value := next(), next()
		if equals.kind != '=' || !value.isText() {
			return m, errors.New("an option has no value; put values in double quotes")
		}
		m.options[key.text] = sensitive.NewSecret(value.text)
	}
}
