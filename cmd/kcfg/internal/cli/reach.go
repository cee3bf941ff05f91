package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kerr"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// unreached says what a user can do about an error that a broker was not reached with.
func unreached(seeds string, err error) error {
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	_, untrusted := errors.AsType[x509.UnknownAuthorityError](err)
	code, answered := errors.AsType[*kerr.Error](err)
	switch {
	case err == nil:
		return nil
	case answered && (code == kerr.IllegalSaslState || code == kerr.UnsupportedSaslMechanism):
		// Nobody was refused: it is not what was asked for.
		return fmt.Errorf("a broker of %s does not speak this SASL here; another port or mechanism may: %w", seeds, code)
	case answered:
		return fmt.Errorf("a broker of %s let nobody in: %w", seeds, cfgerrors.FromCode(code.Code, ""))
	case errors.Is(err, io.EOF):
		return fmt.Errorf("a broker of %s closed the connection; does it want TLS, or none, or another user or password? %w", seeds, err)
	case noTLS:
		return fmt.Errorf("a broker of %s does not speak TLS: %w", seeds, err)
	case untrusted:
		return fmt.Errorf("no broker of %s that is trusted; see --tls-ca: %w", seeds, err)
	case isTimeout(err):
		return fmt.Errorf("no broker of %s answers: %w", seeds, err)
	}
	return fmt.Errorf("unable to reach a broker of %s: %w", seeds, err)
}
