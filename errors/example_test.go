package errors_test

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// Match what a call returned by type or by sentinel, however often it was
// wrapped. A cluster without the RPCs is no fault of the application.
func Example() {
	explain := func(err error) string {
		if e, ok := errors.AsType[*cfgerrors.ConfigTooLargeError](err); ok {
			return "push fewer keys: " + e.Error()
		}
		switch {
		case err == nil:
			return "pushed"
		case errors.Is(err, cfgerrors.ErrUnsupported):
			return "nothing to be done"
		case errors.Is(err, kerr.ClusterAuthorizationFailed):
			return "grant the operation on the cluster"
		case cfgerrors.Retriable(err):
			return "later, perhaps"
		}
		return "report: " + err.Error()
	}

	push := func(code int16, message string) error {
		if err := cfgerrors.FromCode(code, message, "s3cr3t-client"); err != nil {
			return fmt.Errorf("push to broker 1: %w", err)
		}
		return nil
	}
	fmt.Println(explain(push(0, "")))
	fmt.Println(explain(push(35, "")))
	fmt.Println(explain(push(31, "")))
	fmt.Println(explain(push(7, "")))
	fmt.Println(explain(push(40, "client.id s3cr3t-client is taken")))
	fmt.Println(explain(push(900, "limit is 1024")))

	// Output:
	// pushed
	// nothing to be done
	// grant the operation on the cluster
	// later, perhaps
	// report: push to broker 1: kcfg: the broker refused a configuration (INVALID_CONFIG): the broker says "client.id [redacted] is taken"
	// push fewer keys: kcfg: the configurations are larger than the broker takes (CONFIG_TOO_LARGE): the broker says "limit is 1024"
}

// The broker's own words are there for a program to act upon. Errors show them
// cut, quoted and without values.
func ExampleInvalidConfigError() {
	err := fmt.Errorf("push to broker 1: %w", cfgerrors.FromCode(40, "acks=maybe\nis wrong", "maybe"))
	if e, ok := errors.AsType[*cfgerrors.InvalidConfigError](err); ok {
		fmt.Println(e)
		fmt.Println(len(e.Message()))
	}
	// Output:
	// kcfg: the broker refused a configuration (INVALID_CONFIG): the broker says "acks=[redacted]\nis wrong"
	// 19
}

func ExampleRetriable() {
	fmt.Println(cfgerrors.Retriable(cfgerrors.FromCode(kerr.NotCoordinator.Code, "")))
	fmt.Println(cfgerrors.Retriable(cfgerrors.FromCode(cfgerrors.CodeConfigTooLarge, "")))
	// Output:
	// true
	// false
}
