package dynconfig

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// action is what follows from how a poll ended. Nothing but actDone changes what
// is in force.
type action uint8

const (
	actDone        action = iota // answered
	actRetry                     // again, after a backoff
	actFail                      // again in an interval: another try now would end the same
	actSilent                    // nothing at all for an hour: the broker does not know what it advertises
	actRefused                   // again in an hour: the principal may not ask
	actUnsupported               // no broker speaks the RPC (any more)
	actStop                      // the client is closed
)

// classify decides what follows from the outcome of one request.
func classify(err error) action {
	switch {
	case err == nil:
		return actDone
	case errors.Is(err, kgo.ErrClientClosed), errors.Is(err, cfgerrors.ErrClosed):
		return actStop
	case errors.Is(err, kerr.UnsupportedVersion):
		return actSilent
	case errors.Is(err, errors.ErrUnsupported):
		return actUnsupported
	case isAuthorization(err):
		return actRefused
	case transport.Passing(err),
		errors.Is(err, errTimeout), // before it was sent, as a throttle makes it
		errors.Is(err, connpatch.ErrNotProved):
		return actRetry
	}
	return actFail
}

func isAuthorization(err error) bool {
	_, ok := errors.AsType[*cfgerrors.AuthorizationError](err)
	return ok
}
