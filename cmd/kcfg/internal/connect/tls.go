package connect

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// overruleTLS makes the TLS that the flags ask for.
func (f *Flags) overruleTLS(w *way) error {
	if f.set.Changed(flagTLS) && !f.tls {
		w.tls = nil
		return nil
	}
	if !f.wantsTLS() {
		return nil
	}
	if w.tls == nil {
		w.tls = newTLS()
	}
	if f.ca != "" {
		text, err := os.ReadFile(f.ca)
		if err != nil {
			return fmt.Errorf("--%s: %w", flagCA, err)
		}
		if w.tls.RootCAs, err = poolOf(text); err != nil {
			return fmt.Errorf("--%s: %s: %w", flagCA, f.ca, err)
		}
	}
	if f.cert != "" {
		cert, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return fmt.Errorf("--%s: %w", flagCert, err)
		}
		w.tls.Certificates = []tls.Certificate{cert}
	}
	if f.serverName != "" {
		// Who names the name wants it to be checked, whatever the file says.
		w.tls.ServerName = f.serverName
		w.tls.InsecureSkipVerify, w.tls.VerifyConnection = false, nil
	}
	return nil
}

func newTLS() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS12} }

// anyName makes a config check the brokers' certificates without the names in them,
// which is what an empty ssl.endpoint.identification.algorithm asks for.
func anyName(cfg *tls.Config) {
	cfg.InsecureSkipVerify = true // the chain is verified below
	cfg.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errors.New("connect: the broker sent no certificate")
		}
		opts := x509.VerifyOptions{Roots: cfg.RootCAs, Intermediates: x509.NewCertPool()}
		for _, c := range state.PeerCertificates[1:] {
			opts.Intermediates.AddCert(c)
		}
		_, err := state.PeerCertificates[0].Verify(opts)
		return err
	}
}

// poolOf returns the certificates of a PEM text.
func poolOf(text []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(lines(text)) {
		return nil, errors.New("there is no certificate in it")
	}
	return pool, nil
}

// oneLine is a block of PEM as it is left of several lines of a file of properties
// that end in backslashes, which Kafka takes.
var oneLine = regexp.MustCompile(`(-----BEGIN [A-Z0-9 ]+-----)([A-Za-z0-9+/=\s]*)(-----END [A-Z0-9 ]+-----)`)

// lines puts every boundary of PEM blocks on a line of its own.
func lines(text []byte) []byte { return oneLine.ReplaceAll(text, []byte("\n$1\n$2\n$3\n")) }
