package errors_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

func TestWhatIsRefusedHereDoesNotBlameABroker(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{cfgerrors.Refused(kerr.InvalidConfig.Code, "acks is wonder", "wonder"), `kcfg: a configuration is invalid, and was not sent (INVALID_CONFIG): "acks is [redacted]"`},
		{cfgerrors.Refused(kerr.PolicyViolation.Code, "no"), `kcfg: the policy of this client refused the request, and it was not sent (POLICY_VIOLATION): "no"`},
		{cfgerrors.Refused(kerr.InvalidRequest.Code, ""), `kcfg: refused before it was sent (INVALID_REQUEST)`},
	} {
		require.EqualError(t, tt.err, tt.want)
		assert.NotContains(t, fmt.Sprintf("%+v %#v", tt.err, tt.err), "wonder")
		assert.False(t, cfgerrors.Retriable(tt.err))
	}
	require.NoError(t, cfgerrors.Refused(0, ""))
	require.ErrorIs(t, cfgerrors.Refused(kerr.PolicyViolation.Code, ""), kerr.PolicyViolation)
}

func TestAnAuthorizationErrorSaysTheOperationWhereItIsKnown(t *testing.T) {
	err := cfgerrors.WithOperation(cfgerrors.FromCode(kerr.TopicAuthorizationFailed.Code, ""), "AlterConfigs", `topic "a"`)
	require.EqualError(t, err, `kcfg: the principal is not allowed AlterConfigs on topic "a" (TOPIC_AUTHORIZATION_FAILED)`)
	e, ok := errors.AsType[*cfgerrors.AuthorizationError](err)
	require.True(t, ok)
	assert.Equal(t, "AlterConfigs", e.Operation)
	assert.Equal(t, `topic "a"`, e.Resource)
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed)

	_ = cfgerrors.WithOperation(fmt.Errorf("wrapped: %w", err), "Read", "cluster")
	assert.Equal(t, "AlterConfigs", e.Operation, "the first word counts")
	sasl := cfgerrors.WithOperation(cfgerrors.FromCode(kerr.SaslAuthenticationFailed.Code, ""), "Read", "cluster")
	assert.Contains(t, sasl.Error(), "not allowed to do this (SASL_AUTHENTICATION_FAILED)", "no right would help")
	other := errors.New("other")
	assert.Equal(t, other, cfgerrors.WithOperation(other, "Read", "cluster"))
	require.NoError(t, cfgerrors.WithOperation(nil, "Read", "cluster"))
}

func TestAReadOnlyConfigErrorKeepsWhatTheBrokerAnswered(t *testing.T) {
	err := &cfgerrors.ReadOnlyConfigError{Resource: "broker 1", Keys: []string{"broker.id", "log.dirs"}, Err: cfgerrors.FromCode(kerr.InvalidRequest.Code, "")}
	require.EqualError(t, err, "kcfg: read-only configurations of broker 1 cannot be altered: broker.id, log.dirs: kcfg: the broker answered INVALID_REQUEST")
	require.ErrorIs(t, err, kerr.InvalidRequest)
	assert.False(t, cfgerrors.Retriable(err))
	assert.False(t, cfgerrors.Retriable(cfgerrors.ErrDuplicateResource))
}
