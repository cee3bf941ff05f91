package pushconfig

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// action is what follows from how a request ended.
type action uint8

const (
	actDone        action = iota // the broker took it
	actRetry                     // again, after a backoff
	actFail                      // not again, until the configurations change or an hour passed
	actSilent                    // nothing at all for an hour: the broker does not know what it advertises
	actEnd                       // not again by ourselves: the principal may not do this
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
		return actEnd
	case transport.Passing(err),
		errors.Is(err, connpatch.ErrNotProved):
		return actRetry
	}
	return actFail
}

func isAuthorization(err error) bool {
	_, ok := errors.AsType[*cfgerrors.AuthorizationError](err)
	return ok
}
