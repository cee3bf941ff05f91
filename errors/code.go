package errors

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
)

// The codes that the proposals add, by the numbers that FromCode knows them by.
// A caller whose kcfg.Protocol has other numbers maps them to these first.
const (
	CodeConfigTooLarge             int16 = 900 // KIP-1324
	CodeResourceIdentifierTooLarge int16 = 901 // KIP-1233

	// CodeUnknown is Kafka's UNKNOWN_SERVER_ERROR.
	CodeUnknown int16 = -1
)

// FromCode returns the error of a broker's error code and message, nil for code
// 0. The given values are those that the request carried. They do not show in the
// error's text where the broker repeats them, as they are, trimmed, quoted or
// escaped; one that it wrote in another way, in upper case say, is not recognized.
func FromCode(code int16, message string, values ...string) error {
	if code == 0 {
		return nil
	}
	b := newBrokerError(code, message, values)
	switch code {
	case CodeConfigTooLarge:
		return &ConfigTooLargeError{b}
	case CodeResourceIdentifierTooLarge:
		return &IdentifierTooLargeError{brokerError: b}
	case kerr.OffsetMetadataTooLarge.Code:
		return &IdentifierTooLargeError{brokerError: b, Type: "offset metadata"}
	case kerr.InvalidConfig.Code:
		return &InvalidConfigError{b}
	case kerr.PolicyViolation.Code:
		return &PolicyViolationError{b}
	case kerr.ClusterAuthorizationFailed.Code,
		kerr.TopicAuthorizationFailed.Code,
		kerr.GroupAuthorizationFailed.Code,
		kerr.TransactionalIDAuthorizationFailed.Code,
		kerr.DelegationTokenAuthorizationFailed.Code,
		kerr.SecurityDisabled.Code,
		kerr.SaslAuthenticationFailed.Code,
		kerr.IllegalSaslState.Code,
		kerr.UnsupportedSaslMechanism.Code:
		return &AuthorizationError{brokerError: b}
	case kerr.UnsupportedVersion.Code:
		return &unsupportedError{b}
	}
	return &CodeError{brokerError: b, Code: code}
}

// unsupportedError is UNSUPPORTED_VERSION from a broker that advertised the
// RPC: ErrUnsupported with the broker's words.
type unsupportedError struct{ brokerError }

func (e *unsupportedError) Error() string {
	return e.text("the broker advertises the RPC and does not support it (UNSUPPORTED_VERSION)")
}

func (e *unsupportedError) Is(target error) bool {
	return target == ErrUnsupported || target == errors.ErrUnsupported
}

// kerrOf returns the *kerr.Error of a code, nil where Kafka has none. kerr
// itself answers UNKNOWN_SERVER_ERROR for codes that it does not know, which
// would tell the user of a code that the broker did not send.
func kerrOf(code int16) error {
	err := kerr.TypedErrorForCode(code)
	if err == nil || err.Code != code {
		return nil
	}
	return err
}

func codeName(err error) string {
	if e, ok := errors.AsType[*kerr.Error](err); ok {
		return e.Message
	}
	return err.Error()
}
