package errors

import (
	"errors"
	"fmt"
)

// kind is a sentinel with a text of its own that is also one of the standard
// library's.
type kind struct {
	text  string
	cause error
}

func (k *kind) Error() string { return k.text }
func (k *kind) Unwrap() error { return k.cause }

var (
	// ErrUnsupported is returned when no broker that the client has connected to
	// speaks the RPC that a call needs, or when the application's own options
	// switch the RPCs off. In a cluster where only some brokers do, a later
	// connection may change that. errors.Is(err, errors.ErrUnsupported) holds as well.
	ErrUnsupported error = &kind{
		text:  "kcfg: client configurations (KIP-1324, KIP-649) are not supported here",
		cause: errors.ErrUnsupported,
	}

	// ErrClosed is returned by calls that the client's Close, or the end of its
	// context, cut short, and by every call after that.
	ErrClosed = errors.New("kcfg: client closed")

	// ErrNotInstrumented is returned by calls that get a *kgo.Client which
	// cannot send the RPCs. Make it with client.New, or pass the options of
	// client.NewPlugin(...).Opts() to kgo.NewClient.
	ErrNotInstrumented = errors.New("kcfg: the *kgo.Client was made without client.New or the options of client.NewPlugin")
)

// brokerError is what the typed errors of a broker have in common.
type brokerError struct {
	// raw returns the broker's own words; nil if no broker had any. It is a
	// func because fmt (%#v, or any verb for *err), spew and their like print
	// the unexported fields of a struct without asking its methods, and follow
	// pointers, but nothing looks into a func.
	raw   func() string
	shown string // quoted, cut and redacted; empty if the broker said nothing
	code  error  // the *kerr.Error of the code, nil where Kafka has none
	local bool   // it was refused on this side, and no broker saw it
}

func newBrokerError(code int16, message string, values []string) brokerError {
	return brokerError{
		raw:   func() string { return message },
		shown: show(message, values),
		code:  kerrOf(code),
	}
}

// Message returns the broker's ErrorMessage as it came: unquoted, of any length,
// and perhaps with configuration values in it. Do not log it.
func (e *brokerError) Message() string {
	if e.raw == nil {
		return ""
	}
	return e.raw()
}

// Unwrap returns the *kerr.Error of the broker's code, or nil where Kafka has
// none.
func (e *brokerError) Unwrap() error { return e.code }

func (e *brokerError) text(what string) string {
	switch {
	case e.shown == "":
		return "kcfg: " + what
	case e.local:
		return "kcfg: " + what + ": " + e.shown
	}
	return "kcfg: " + what + ": the broker says " + e.shown
}

// ConfigTooLargeError is CONFIG_TOO_LARGE (KIP-1324): the pushed configurations
// exceed the broker's client.configs.max.bytes. Push fewer keys, or raise the
// limit. It is not retriable.
type ConfigTooLargeError struct{ brokerError }

func (e *ConfigTooLargeError) Error() string {
	return e.text("the configurations are larger than the broker takes (CONFIG_TOO_LARGE)")
}

// InvalidConfigError is INVALID_CONFIG (KIP-1324, KIP-649): the broker could not
// make sense of an entry, or its policy refused it. It is not retriable.
type InvalidConfigError struct{ brokerError }

func (e *InvalidConfigError) Error() string {
	if e.local {
		return e.text("a configuration is invalid, and was not sent (INVALID_CONFIG)")
	}
	return e.text("the broker refused a configuration (INVALID_CONFIG)")
}

// PolicyViolationError is POLICY_VIOLATION (KIP-133): a policy of the cluster, or
// of the application's own, refused the change. It is not retriable.
type PolicyViolationError struct{ brokerError }

func (e *PolicyViolationError) Error() string {
	if e.local {
		return e.text("the policy of this client refused the request, and it was not sent (POLICY_VIOLATION)")
	}
	return e.text("a policy of the cluster refused the request (POLICY_VIOLATION)")
}

// IdentifierTooLargeError is RESOURCE_IDENTIFIER_TOO_LARGE (KIP-1233) or
// OFFSET_METADATA_TOO_LARGE: a name is longer than the proposal, or the wire format,
// allows. It never holds the name. It is not retriable.
type IdentifierTooLargeError struct {
	brokerError

	// Type says what kind of name it is, such as "group". It is empty when
	// only the broker knows.
	Type string
	// Length is the length of the name, in the unit of Limit; 0 if unknown.
	Length int
	// Limit is the longest allowed, 0 if unknown. The unit is UTF-16 code
	// units for limits in characters, as Java counts, and bytes for the
	// 4,096 of offset metadata and the 32,767 of the wire format.
	Limit int
}

func (e *IdentifierTooLargeError) Error() string {
	if e.Type == "" {
		return e.text("a resource identifier is too large (RESOURCE_IDENTIFIER_TOO_LARGE)")
	}
	if e.Length == 0 {
		return e.text("the " + e.Type + " identifier is too large")
	}
	return e.text(fmt.Sprintf("the %s identifier is too large: length %d, limit %d", e.Type, e.Length, e.Limit))
}

// CodeError is an error code of a broker that has no type of its own here.
type CodeError struct {
	brokerError

	// Code is Kafka's number of the error.
	Code int16
}

func (e *CodeError) Error() string {
	if e.local && e.code != nil {
		return e.text("refused before it was sent (" + codeName(e.code) + ")")
	}
	if e.code == nil {
		return e.text(fmt.Sprintf("the broker answered with the unknown error code %d", e.Code))
	}
	return e.text("the broker answered " + codeName(e.code))
}
