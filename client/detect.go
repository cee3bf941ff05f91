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

var errForeignPlugin = errors.New("client: the kgo options hold those of another client or Plugin of this library; pass the options that it was made from")

// checkKgoOpts finds mistakes in the application's kgo options before a client
// is built, since building one runs the application's hooks.
func checkKgoOpts(opts []kgo.Opt) error {
	for i, o := range opts {
		if o == nil {
			return fmt.Errorf("client: kgo option %d is nil", i)
		}
	}
	if len(foreign(opts)) < len(opts) {
		return errForeignPlugin
	}
	// Judging options takes kgo a tenth of a millisecond, so only what kgo itself
	// would not see is looked for: that it makes no client with a TLS config of
	// theirs and a dialer of ours is left to it.
	if validWith(opts, kgo.DialTLSConfig(new(tls.Config))) {
		return nil
	}
	return whyNot(opts, nil)
}

// whyNot explains why no client can be made with the options: kgo's own error, or
// what stands in our way. If it is neither, it is the given error.
func whyNot(opts []kgo.Opt, otherwise error) error {
	if err := kgo.ValidateOpts(opts...); err != nil {
		return err // kgo's own, as it is
	}
	if err := conflicts(opts); err != nil {
		return err
	}
	return otherwise
}

// conflicts returns what stands in the library's way among options that kgo took.
func conflicts(opts []kgo.Opt) error {
	if !valid(opts) { // but together with ours: nothing can be told
		return nil
	}
	return conflictError(validWith(opts, kgo.Dialer(noDial)), validWith(opts, kgo.DialTLSConfig(new(tls.Config))))
}

func conflictError(withDialer, withTLS bool) error {
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
	return valid(all)
}

func valid(opts []kgo.Opt) bool { return kgo.ValidateOpts(opts...) == nil }

func noDial(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("client: not a dialer")
}
