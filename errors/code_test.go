package errors_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// lastKnown is the last code that kerr has, so that the tests see the end of
// Kafka's codes and what is beyond.
func lastKnown(t *testing.T) int16 {
	t.Helper()
	for code := int16(math.MaxInt16); code > 0; code-- {
		if !errors.Is(kerr.ErrorForCode(code), kerr.UnknownServerError) {
			return code
		}
	}
	t.Fatal("kerr knows no code")
	return 0
}

// as reports whether a T is in err and in what fmt.Errorf wraps around it.
func as[T error](t *testing.T, err error) bool {
	t.Helper()
	direct, ok := errors.AsType[T](err)
	wrapped, inside := errors.AsType[T](fmt.Errorf("push to broker 1: %w", fmt.Errorf("attempt 2: %w", err)))
	require.Equal(t, ok, inside)
	if ok {
		require.Same(t, any(direct), any(wrapped))
	}
	return ok
}

// typesOf names the types of this package that err is.
func typesOf(t *testing.T, err error) []string {
	t.Helper()
	var types []string
	for _, c := range []struct {
		name string
		is   bool
	}{
		{"ConfigTooLarge", as[*cfgerrors.ConfigTooLargeError](t, err)},
		{"IdentifierTooLarge", as[*cfgerrors.IdentifierTooLargeError](t, err)},
		{"InvalidConfig", as[*cfgerrors.InvalidConfigError](t, err)},
		{"PolicyViolation", as[*cfgerrors.PolicyViolationError](t, err)},
		{"Authorization", as[*cfgerrors.AuthorizationError](t, err)},
		{"Code", as[*cfgerrors.CodeError](t, err)},
		{"Unsupported", errors.Is(err, cfgerrors.ErrUnsupported)},
	} {
		if c.is {
			types = append(types, c.name)
		}
	}
	return types
}

func TestEveryCodeHasItsOneType(t *testing.T) {
	special := map[int16]string{
		cfgerrors.CodeConfigTooLarge:                 "ConfigTooLarge",
		cfgerrors.CodeResourceIdentifierTooLarge:     "IdentifierTooLarge",
		kerr.OffsetMetadataTooLarge.Code:             "IdentifierTooLarge",
		kerr.InvalidConfig.Code:                      "InvalidConfig",
		kerr.PolicyViolation.Code:                    "PolicyViolation",
		kerr.TopicAuthorizationFailed.Code:           "Authorization",
		kerr.GroupAuthorizationFailed.Code:           "Authorization",
		kerr.ClusterAuthorizationFailed.Code:         "Authorization",
		kerr.TransactionalIDAuthorizationFailed.Code: "Authorization",
		kerr.DelegationTokenAuthorizationFailed.Code: "Authorization",
		kerr.SecurityDisabled.Code:                   "Authorization",
		kerr.SaslAuthenticationFailed.Code:           "Authorization",
		kerr.IllegalSaslState.Code:                   "Authorization",
		kerr.UnsupportedSaslMechanism.Code:           "Authorization",
		kerr.UnsupportedVersion.Code:                 "Unsupported",
	}
	for code := -1; code <= 1000; code++ {
		if code == 0 {
			continue
		}
		want, ok := special[int16(code)]
		if !ok {
			want = "Code"
		}
		err := cfgerrors.FromCode(int16(code), "words")
		require.Equal(t, []string{want}, typesOf(t, err), "code %d", code)
		if e, ok := errors.AsType[*cfgerrors.CodeError](err); ok {
			require.Equal(t, int16(code), e.Code)
		}
	}
}

func TestCodeZeroIsNoError(t *testing.T) {
	// Compared with ==, not with require.NoError alone: a typed nil would pass
	// the latter in some versions and is an error to every caller.
	if err := cfgerrors.FromCode(0, "all is well", "value"); err != nil {
		t.Fatalf("FromCode(0) = %#v", err)
	}
}

func TestCodesOfKafkaUnwrapToKerr(t *testing.T) {
	last := lastKnown(t)
	for code := int16(-1); code <= last; code++ {
		want := kerr.ErrorForCode(code)
		if want == nil {
			continue
		}
		err := cfgerrors.FromCode(code, "")
		require.ErrorIs(t, err, want, "code %d", code)
		require.ErrorIs(t, fmt.Errorf("push: %w", err), want, "code %d", code)
		e, ok := errors.AsType[*kerr.Error](err)
		require.True(t, ok)
		require.Equal(t, code, e.Code)
	}
}

func TestCodesThatKafkaDoesNotHaveUnwrapToNothing(t *testing.T) {
	for _, code := range []int16{math.MinInt16, -2, lastKnown(t) + 1, 899, 900, 901, 902, math.MaxInt16} {
		err := cfgerrors.FromCode(code, "")
		require.Error(t, err)
		_, ok := errors.AsType[*kerr.Error](err)
		assert.False(t, ok, "code %d claims to be one of Kafka's", code)
		assert.NotErrorIs(t, err, kerr.UnknownServerError, "code %d", code)
	}
}

func TestTextsSayWhatHappenedAndWhatTheBrokerSaid(t *testing.T) {
	for _, tt := range []struct {
		code          int16
		message, want string
	}{
		{900, "", "kcfg: the configurations are larger than the broker takes (CONFIG_TOO_LARGE)"},
		{901, "", "kcfg: a resource identifier is too large (RESOURCE_IDENTIFIER_TOO_LARGE)"},
		{12, "", "kcfg: the offset metadata identifier is too large"},
		{40, "bad", `kcfg: the broker refused a configuration (INVALID_CONFIG): the broker says "bad"`},
		{44, "", "kcfg: a policy of the cluster refused the request (POLICY_VIOLATION)"},
		{31, "no", `kcfg: the principal is not allowed to do this (CLUSTER_AUTHORIZATION_FAILED): the broker says "no"`},
		{58, "", "kcfg: the principal is not allowed to do this (SASL_AUTHENTICATION_FAILED)"},
		{35, "", "kcfg: the broker advertises the RPC and does not support it (UNSUPPORTED_VERSION)"},
		{16, "go away", `kcfg: the broker answered NOT_COORDINATOR: the broker says "go away"`},
		{-1, "", "kcfg: the broker answered UNKNOWN_SERVER_ERROR"},
		{899, "", "kcfg: the broker answered with the unknown error code 899"},
		{32767, "hm", `kcfg: the broker answered with the unknown error code 32767: the broker says "hm"`},
	} {
		assert.EqualError(t, cfgerrors.FromCode(tt.code, tt.message), tt.want)
	}
}

func TestErrorsMadeByHandHaveATextAndNothingElse(t *testing.T) {
	for _, err := range []interface {
		error
		Message() string
		Unwrap() error
	}{
		&cfgerrors.ConfigTooLargeError{},
		&cfgerrors.InvalidConfigError{},
		&cfgerrors.PolicyViolationError{},
		&cfgerrors.AuthorizationError{},
		&cfgerrors.IdentifierTooLargeError{},
		&cfgerrors.CodeError{},
	} {
		assert.Greater(t, len(err.Error()), len("kcfg: "), "%T", err)
		assert.Empty(t, err.Message(), "%T", err)
		assert.NoError(t, err.Unwrap(), "%T", err)
	}
}

func TestIdentifierTooLargeNamesTypeLengthAndLimit(t *testing.T) {
	err := &cfgerrors.IdentifierTooLargeError{Type: "group", Length: 250, Limit: 249}
	assert.EqualError(t, err, "kcfg: the group identifier is too large: length 250, limit 249")
}

func TestErrUnsupportedIsTheStandardOne(t *testing.T) {
	require.ErrorIs(t, cfgerrors.ErrUnsupported, errors.ErrUnsupported)
	require.NotErrorIs(t, errors.ErrUnsupported, cfgerrors.ErrUnsupported, "the standard one is not ours")
	require.NotErrorIs(t, cfgerrors.ErrClosed, errors.ErrUnsupported)
}

func TestUnsupportedVersionIsErrUnsupported(t *testing.T) {
	err := fmt.Errorf("push to broker 1: %w", cfgerrors.FromCode(kerr.UnsupportedVersion.Code, "v9"))
	require.ErrorIs(t, err, cfgerrors.ErrUnsupported)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorIs(t, err, kerr.UnsupportedVersion)
	require.NotErrorIs(t, err, cfgerrors.ErrClosed)
	require.NotErrorIs(t, cfgerrors.FromCode(kerr.UnsupportedForMessageFormat.Code, ""), errors.ErrUnsupported)

	m, ok := errors.AsType[interface {
		error
		Message() string
	}](err)
	require.True(t, ok)
	require.Equal(t, "v9", m.Message())
}
