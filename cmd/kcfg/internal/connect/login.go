package connect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// login returns the SASL user, or only the mechanism of one who is given otherwise.
func (p properties) login(userGiven bool) (*login, error) {
	name := p.get(keyMechanism)
	if name == "" && userGiven {
		return nil, nil
	}
	if name == "" {
		return nil, fmt.Errorf("%s is not set, which means GSSAPI; there are %s", keyMechanism, strings.Join(Mechanisms(), ", "))
	}
	if !slices.Contains(Mechanisms(), name) {
		return nil, fmt.Errorf("%s: it is not supported; there are %s", keyMechanism, strings.Join(Mechanisms(), ", "))
	}
	if userGiven {
		return &login{name: name}, nil
	}
	if !p.has(keyJAAS) {
		return nil, fmt.Errorf("%s is not set", keyJAAS)
	}
	module, err := parseJAAS(p.get(keyJAAS))
	if err == nil {
		err = module.check(name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyJAAS, err)
	}
	return &login{name: name, user: module.options["username"].Reveal(), password: module.options["password"], token: module.token()}, nil
}

// check returns an error if a module is not the one of a mechanism, or has no user.
func (m jaasModule) check(mechanism string) error {
	want := scramModule
	if mechanism == saslPlain {
		want = plainModule
	}
	switch {
	case m.name != plainModule && m.name != scramModule:
		return fmt.Errorf("the login module is not supported; there are %s, %s", plainModule, scramModule)
	case m.name != want:
		return fmt.Errorf("the login module is not the one of %s, which is %s", mechanism, want)
	case m.options["username"].Reveal() == "":
		return errors.New("it has no username")
	case m.options["password"].Reveal() == "":
		return errors.New("it has no password")
	}
	return nil
}
