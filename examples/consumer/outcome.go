package main

import (
	"errors"
	"fmt"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// outcome says in a line what came of a push. Errors are told apart by their
// type, never by their text.
func outcome(err error) string {
	switch {
	case err == nil:
		return "push: the cluster has our configuration"
	case errors.Is(err, cfgerrors.ErrUnsupported):
		return "push: this cluster does not take client configurations, so nothing was sent"
	case is[*cfgerrors.ConfigTooLargeError](err):
		return fmt.Sprint("push: we have too much to tell; push fewer keys: ", err)
	case is[*cfgerrors.AuthorizationError](err):
		return fmt.Sprint("push: we may not push; ask whoever runs the cluster: ", err)
	case is[*cfgerrors.InvalidConfigError](err), is[*cfgerrors.PolicyViolationError](err):
		return fmt.Sprint("push: the cluster does not like our configuration: ", err)
	case cfgerrors.Retriable(err):
		return fmt.Sprint("push: not now; the library tries again: ", err)
	}
	return fmt.Sprint("push: ", err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
