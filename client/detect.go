package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// OptionConflictError is returned by New if one of the kgo options sets what the
// library must set itself. The text names the option of this package to use
// instead.
type OptionConflictError struct {
	// Option is the kgo option that stands in the way, such as "kgo.Dialer".
	Option string
	// Replacement is what to write instead.
	Replacement string
}

func (e *OptionConflictError) Error() string {
	return fmt.Sprintf("client: %s among the kgo options would bypass the library; remove it, and pass %s to client.New", e.Option, e.Replacement)
}

// checkKgoOpts finds mistakes in the application's kgo options before a client
// is built, since building one runs the application's hooks.
func checkKgoOpts(opts []kgo.Opt) error {
	for i, o := range opts {
		if o == nil {
			return fmt.Errorf("client: kgo option %d is nil", i)
		}
	}
	withDialer := validWith(opts, kgo.Dialer(noDial))
	withTLS := validWith(opts, kgo.DialTLSConfig(new(tls.Config)))
	if withDialer && withTLS {
		return nil // the options are valid, and so are they without either
	}
	if err := kgo.ValidateOpts(opts...); err != nil {
		return err // kgo's own, as it is
	}
	var errs []error
	if !withDialer {
		errs = append(errs, &OptionConflictError{
			Option:      "kgo.DialTLSConfig (or kgo.DialTLS)",
			Replacement: "client.DialTLSConfig(cfg)",
		})
	}
	if !withTLS {
		errs = append(errs, &OptionConflictError{
			Option:      "kgo.Dialer",
			Replacement: "client.Dialer(fn)",
		})
	}
	return errors.Join(errs...)
}

// validWith reports whether the options are valid with one more. kgo allows
// either a dialer or a TLS config, so that adding the one shows the other.
func validWith(opts []kgo.Opt, more kgo.Opt) bool {
	all := append(slices.Clip(opts), more)
	return kgo.ValidateOpts(all...) == nil
}

func noDial(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("client: not a dialer")
}
