package connect

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/kcfg-go/kcfg/sensitive"
)

// The SASL mechanisms that there are here.
const (
	saslPlain = "PLAIN"
	scram256  = "SCRAM-SHA-256"
	scram512  = "SCRAM-SHA-512"
)

// Mechanisms returns the names of the SASL mechanisms.
func Mechanisms() []string { return []string{saslPlain, scram256, scram512} }

// Mechanism returns a SASL user as kgo needs it, by the mechanism's name.
func Mechanism(name, user string, password sensitive.Secret) (sasl.Mechanism, error) {
	return (&login{name: name, user: user, password: password}).mechanism()
}

// login is a SASL user.
type login struct {
	name     string // of the mechanism
	user     string
	password sensitive.Secret
	token    bool // user and password are those of a delegation token
}

// mechanism returns the login as kgo needs it.
func (l *login) mechanism() (sasl.Mechanism, error) {
	auth := scram.Auth{User: l.user, Pass: l.password.Reveal(), IsToken: l.token}
	switch l.name {
	case saslPlain:
		return plain.Auth{User: l.user, Pass: l.password.Reveal()}.AsMechanism(), nil
	case scram256:
		return auth.AsSha256Mechanism(), nil
	case scram512:
		return auth.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("there is no SASL mechanism %q here; there are %s", l.name, strings.Join(Mechanisms(), ", "))
}

// maxPassword bounds what is read as a password.
const maxPassword = 64 << 10

// overruleSASL makes the login that the flags name.
func (f *Flags) overruleSASL(w *way, in io.Reader) error {
	if f.user == "" {
		if f.set.Changed(flagMechanism) {
			if w.sasl == nil {
				return fmt.Errorf("--%s needs --%s, or a user in the file of --%s", flagMechanism, flagUser, flagCommandConfig)
			}
			if (w.sasl.name == saslPlain) != (f.mechanism == saslPlain) {
				return fmt.Errorf("--%s %s does not go with the login module of %s", flagMechanism, f.mechanism, keyJAAS)
			}
			w.sasl.name = f.mechanism
		}
		return nil
	}
	password, err := readPassword(f.passwordFile, in)
	if err != nil {
		return fmt.Errorf("--%s: %w", flagPasswordFile, err)
	}
	l := &login{name: f.mechanism, user: f.user, password: password}
	if !f.set.Changed(flagMechanism) && w.sasl != nil {
		l.name = w.sasl.name
	}
	w.sasl = l
	return nil
}

// readPassword returns what a file holds, without the line break at its end.
func readPassword(path string, in io.Reader) (sensitive.Secret, error) {
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return sensitive.Secret{}, err
		}
		defer file.Close()
		in = file
	}
	b, err := io.ReadAll(io.LimitReader(in, maxPassword+1))
	if err != nil {
		return sensitive.Secret{}, err
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	switch {
	case len(b) > maxPassword:
		return sensitive.Secret{}, fmt.Errorf("it has more than %d bytes", maxPassword)
	case text == "":
		return sensitive.Secret{}, fmt.Errorf("there is no password in it")
	}
	return sensitive.NewSecret(text), nil
}
