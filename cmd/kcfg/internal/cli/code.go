package cli

import (
	"context"
	"errors"

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
	_, isRefused := errors.AsType[*cfgerrors.AuthorizationError](err)
	switch {
	case err == nil:
		return codeOK
	case isUsage:
		return codeUsage
	case isPartly:
		return codeFailed
	case isRefused:
		return codeNotAllowed
	case errors.Is(err, context.DeadlineExceeded):
		return codeTimedOut
	}
	return codeFailed
}
