package errors

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Retriable reports whether the same request may succeed if it is sent again
// later, to this broker or to another one: Kafka's retriable error codes, and
// connections that could not be made, broke, or timed out. It is false for nil,
// for the end of a context, for ErrUnsupported and ErrClosed, for every error
// that a human has to act upon, and for what it does not know.
//
// Of errors that are joined, one that is not to be retried decides, wherever it
// stands; one that Retriable does not know decides nothing.
func Retriable(err error) bool {
	// Is, since the package net has errors of its own that are context.Canceled.
	for _, final := range []error{errors.ErrUnsupported, ErrClosed, ErrNotInstrumented, context.Canceled} {
		if errors.Is(err, final) {
			return false
		}
	}
	return judge(err) == again
}

// verdict is what an error says about another try, the stronger the higher.
type verdict int

const (
	silent verdict = iota // nothing
	again
	never
)

// judge returns the strongest verdict of err and everything that it wraps.
func judge(err error) verdict {
	v := judgeOne(err)
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself
	case interface{ Unwrap() error }:
		v = max(v, judge(e.Unwrap()))
	case interface{ Unwrap() []error }:
		for _, wrapped := range e.Unwrap() {
			v = max(v, judge(wrapped))
		}
	}
	return v
}

// judgeOne judges err without what it wraps.
func judgeOne(err error) verdict {
	switch err { //nolint:errorlint // judge unwraps
	case io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed:
		return again
	case context.DeadlineExceeded:
		// Not by Is: a dial that took too long is a *net.OpError around an
		// error of the package net that is context.DeadlineExceeded too,
		// though no context has ended. And before net.Error, which it is.
		return never
	}
	switch e := err.(type) { //nolint:errorlint // judge unwraps
	case *kerr.Error:
		if e != nil && e.Retriable {
			return again
		}
		return never
	case *ConfigTooLargeError, *InvalidConfigError, *PolicyViolationError, *AuthorizationError, *IdentifierTooLargeError, *NotSetUpError, *ReadOnlyConfigError:
		return never
	case *CodeError:
		if e.code == nil {
			return never
		}
	case *net.OpError, *net.DNSError:
		return again
	case net.Error:
		// Only those that timed out, as os.ErrDeadlineExceeded: a
		// syscall.Errno is a net.Error too, also that of a certificate file
		// which is not there.
		if e.Timeout() {
			return again
		}
	}
	return silent
}
