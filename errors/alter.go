package errors

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
)

// ErrDuplicateResource is the error of a resource that comes more than once in a
// call. Nothing was sent for it. Put all that is to be done to it into one.
// errors.Is(err, kerr.InvalidRequest) holds as well, which is what a broker would
// answer.
var ErrDuplicateResource error = &kind{
	text:  "kcfg: the resource comes more than once in the call, and nothing was sent for it",
	cause: kerr.InvalidRequest,
}

// ReadOnlyConfigError is returned for an alteration of configurations that cannot
// be altered while the broker runs (KIP-133). Nothing of the alteration was made.
// Kafka has no error code for it: it unwraps to what the broker answered. It is not
// retriable; leave the keys out, or change the broker's properties and restart it.
type ReadOnlyConfigError struct {
	// Resource is whose configurations they are, such as broker 1.
	Resource string
	// Keys are those that are read-only, in the alteration's order.
	Keys []string
	// Err is what the broker answered.
	Err error
}

func (e *ReadOnlyConfigError) Error() string {
	return fmt.Sprintf("kcfg: read-only configurations of %s cannot be altered: %s: %v", e.Resource, strings.Join(e.Keys, ", "), e.Err)
}

func (e *ReadOnlyConfigError) Unwrap() error { return e.Err }

// Refused is FromCode for what is refused on this side, before anything is sent:
// the text says so.
func Refused(code int16, message string, values ...string) error {
	err := FromCode(code, message, values...)
	switch e := err.(type) { //nolint:errorlint // FromCode wraps nothing
	case *InvalidConfigError:
		e.local = true
	case *PolicyViolationError:
		e.local = true
	case *CodeError:
		e.local = true
	}
	return err
}
