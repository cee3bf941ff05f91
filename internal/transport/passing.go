package transport

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// Passing reports whether a request that ended with err may go better a little
// later, or at another broker: a connection that broke, a retriable code, no free
// broker, or a time that was too short. A broker that does not have the RPC is not
// among these.
func Passing(err error) bool {
	if errors.Is(err, errors.ErrUnsupported) {
		return false
	}
	_, firstRead := errors.AsType[*kgo.ErrFirstReadEOF](err)
	return firstRead || errors.Is(err, ErrNoBroker) ||
		errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) ||
		cfgerrors.Retriable(err) ||
		kgo.IsRetryableBrokerErr(err)
}
