package connect

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/kcfg-go/kcfg/sensitive"
)

const (
	plainText = "PLAIN"
	scram256  = "SCRAM-SHA-256"
	scram512  = "SCRAM-SHA-512"
)

// Mechanism returns a SASL mechanism by its name in Kafka.
func Mechanism(name, user string, password sensitive.Secret) (sasl.Mechanism, error) {
	switch name {
	case plainText:
		return plain.Auth{User: user, Pass: password.Reveal()}.AsMechanism(), nil
	case scram256:
		return scram.Auth{User: user, Pass: password.Reveal()}.AsSha256Mechanism(), nil
	case scram512:
		return scram.Auth{User: user, Pass: password.Reveal()}.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("unknown SASL mechanism %q", name)
}

// sasl returns kgo's option for the SASL flags, if any was given.
func (f *Flags) sasl() ([]kgo.Opt, error) {
	if f.user == "" {
		return nil, nil
	}
	b, err := os.ReadFile(f.passwordFile)
	if err != nil {
		return nil, fmt.Errorf("-password-file: %w", err)
	}
	m, err := Mechanism(f.mechanism, f.user, sensitive.NewSecret(strings.TrimRight(string(b), "\r\n")))
	if err != nil {
		return nil, err
	}
	return []kgo.Opt{kgo.SASL(m)}, nil
}

// tlsConfig returns the config of the TLS flags, nil for plaintext.
func (f *Flags) tlsConfig() (*tls.Config, error) {
	if f.ca == "" && !f.tls {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.ca != "" {
		pem, err := os.ReadFile(f.ca)
		if err != nil {
			return nil, fmt.Errorf("-tls-ca: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("-tls-ca: no certificate in %s", f.ca)
		}
	}
	return cfg, nil
}
