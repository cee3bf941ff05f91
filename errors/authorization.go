package errors

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
)

// AuthorizationError is any of Kafka's authorization and authentication codes:
// the principal may not do this. It is not retriable; grant the operation, or
// connect as another principal.
type AuthorizationError struct {
	brokerError

	// Operation is the operation that is missing, as ACLs name it, such as
	// AlterConfigs. It is empty where it is not known, and where the principal
	// could not authenticate.
	Operation string
	// Resource is the resource that it is missing on, such as topic "orders" or
	// cluster. It is empty where Operation is.
	Resource string
}

func (e *AuthorizationError) Error() string {
	name := "authorization"
	if e.code != nil {
		name = codeName(e.code)
	}
	if e.Operation == "" {
		return e.text("the principal is not allowed to do this (" + name + ")")
	}
	return e.text("the principal is not allowed " + e.Operation + " on " + e.Resource + " (" + name + ")")
}

// WithOperation says in an *AuthorizationError, which err may be or wrap, what the
// principal needs, unless that is known already or the principal could not
// authenticate. It returns err. It is for who just made the error: it writes to it,
// and what was wrapped around it before keeps the old text.
func WithOperation(err error, operation, resource string) error {
	e, ok := errors.AsType[*AuthorizationError](err)
	if !ok || e.Operation != "" {
		return err
	}
	for _, denied := range []error{
		kerr.ClusterAuthorizationFailed, kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed,
		kerr.TransactionalIDAuthorizationFailed, kerr.DelegationTokenAuthorizationFailed,
	} {
		if errors.Is(e.code, denied) {
			e.Operation, e.Resource = operation, resource
		}
	}
	return err
}
