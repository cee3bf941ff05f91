package pushconfig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/internal/transport"
)

func TestClassifyByTheCodeThatABrokerAnswers(t *testing.T) {
	code := func(e *kerr.Error) int16 { return e.Code }
	for _, tt := range []struct {
		name string
		code int16
		want action
	}{
		{"none", 0, actDone},
		{"CONFIG_TOO_LARGE", cfgerrors.CodeConfigTooLarge, actFail},
		{"RESOURCE_IDENTIFIER_TOO_LARGE", cfgerrors.CodeResourceIdentifierTooLarge, actFail},
		{"INVALID_CONFIG", code(kerr.InvalidConfig), actFail},
		{"INVALID_REQUEST", code(kerr.InvalidRequest), actFail},
		{"POLICY_VIOLATION", code(kerr.PolicyViolation), actFail},
		{"UNKNOWN_SERVER_ERROR", code(kerr.UnknownServerError), actFail},
		{"a code that nobody knows", 12345, actFail},
		{"UNSUPPORTED_VERSION", code(kerr.UnsupportedVersion), actSilent},
		{"CLUSTER_AUTHORIZATION_FAILED", code(kerr.ClusterAuthorizationFailed), actEnd},
		{"SASL_AUTHENTICATION_FAILED", code(kerr.SaslAuthenticationFailed), actEnd},
		{"NOT_CONTROLLER", code(kerr.NotController), actRetry},
		{"COORDINATOR_LOAD_IN_PROGRESS", code(kerr.CoordinatorLoadInProgress), actRetry},
		{"REQUEST_TIMED_OUT", code(kerr.RequestTimedOut), actRetry},
		{"NETWORK_EXCEPTION", code(kerr.NetworkException), actRetry},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := cfgerrors.FromCode(tt.code, "because")
			assert.Equal(t, tt.want, classify(err))
			if err != nil {
				assert.Equal(t, tt.want, classify(fmt.Errorf("push to broker 1: %w", err)), "wrapped")
			}
		})
	}
}

func TestClassifyWhatIsNoAnswer(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want action
	}{
		{"a connection that ends", io.EOF, actRetry},
		{"a connection that is reset", &net.OpError{Op: "read", Err: os.NewSyscallError("read", errors.New("reset"))}, actRetry},
		{"a refused connection", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", errors.New("refused"))}, actRetry},
		{"an I/O timeout", os.ErrDeadlineExceeded, actRetry},
		{"a closed connection", net.ErrClosed, actRetry},
		{"kgo's first read", &kgo.ErrFirstReadEOF{}, actRetry},
		{"no free broker", transport.ErrNoBroker, actRetry},
		{"a broker that proved nothing", connpatch.ErrNotProved, actRetry},
		{"the time of the push is over", context.DeadlineExceeded, actRetry},
		{"no broker speaks it", cfgerrors.ErrUnsupported, actUnsupported},
		{"a closed client", kgo.ErrClientClosed, actStop},
		{"a response that is garbage", errors.New("wire: PushConfigResponse: 3 bytes behind the end"), actFail},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, classify(tt.err))
		})
	}
}
