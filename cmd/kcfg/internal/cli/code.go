package cli

import (
	"context"
	"errors"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// The exit codes.
const (
	codeOK         = 0
	codeUsage      = 1
	codeFailed     = 2 // in whole or in part
	codeNotAllowed = 3
	codeTimedOut   = 4
)

// usageError is a mistake in the arguments: nothing was sent.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(err error) error { return usageError{err} }

// partlyError is what failed where something else was done.
type partlyError struct{ error }

func (e partlyError) Unwrap() error { return e.error }

func partly(err error) error { return partlyError{err} }

// code returns the exit code for what a verb returned. What was partly done is told
// apart from what the user has no right to at all, whatever the parts failed of.
func code(err error) int {
	_, isUsage := errors.AsType[usageError](err)
	_, isPartly := errors.AsType[partlyError](err)
	switch {
	case err == nil:
		return codeOK
	case isUsage:
		return codeUsage
	case isPartly:
		return codeFailed
	case isRefused(err):
		return codeNotAllowed
	case isTimeout(err):
		return codeTimedOut
	}
	return codeFailed
}

// isRefused reports whether a broker said that the user may not do this, or is not who
// it says. Errors of kadm are Kafka's own.
func isRefused(err error) bool {
	if code, ok := errors.AsType[*kerr.Error](err); ok {
		err = errors.Join(err, cfgerrors.FromCode(code.Code, ""))
	}
	_, ok := errors.AsType[*cfgerrors.AuthorizationError](err)
	return ok
}

// isTimeout reports whether time ran out: ours, or that of a connection.
func isTimeout(err error) bool {
	network, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && network.Timeout()
}
