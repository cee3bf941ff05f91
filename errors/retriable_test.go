package errors_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

func TestCodesOfKafkaAreRetriableIfKerrSaysSo(t *testing.T) {
	retriable := 0
	last := lastKnown(t)
	for code := int16(-1); code <= last; code++ {
		if code == 0 {
			continue
		}
		want := kerr.IsRetriable(kerr.ErrorForCode(code))
		if want {
			retriable++
		}
		err := cfgerrors.FromCode(code, "")
		require.Equal(t, want, cfgerrors.Retriable(err), "code %d", code)
		require.Equal(t, want, cfgerrors.Retriable(fmt.Errorf("push: %w", err)), "code %d", code)
		require.Equal(t, want, cfgerrors.Retriable(kerr.ErrorForCode(code)), "code %d", code)
	}
	require.Greater(t, retriable, 10, "kerr has retriable codes")
}

func TestCodesThatKafkaDoesNotHaveAreNotRetriable(t *testing.T) {
	for _, code := range []int16{math.MinInt16, -2, lastKnown(t) + 1, 899, 900, 901, 902, math.MaxInt16} {
		assert.False(t, cfgerrors.Retriable(cfgerrors.FromCode(code, "try again")), "code %d", code)
	}
}

// dialError is what a dial returns under ctx, without a network: the context or
// the timeout is over before it starts.
func dialError(t *testing.T, ctx context.Context, d net.Dialer) error {
	t.Helper()
	conn, err := d.DialContext(ctx, "tcp", "127.0.0.1:1")
	if err == nil {
		_ = conn.Close()
	}
	require.Error(t, err)
	return err
}

func TestRetriable(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, noFile := os.Open(filepath.Join(t.TempDir(), "ca.pem"))
	_, badAddr := net.ResolveTCPAddr("tcp", "broker")
	var (
		again   = cfgerrors.FromCode(kerr.NotCoordinator.Code, "")
		refused = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	)
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"unknown", errors.New("what"), false},

		{"EOF", io.EOF, true},
		{"unexpected EOF", io.ErrUnexpectedEOF, true},
		{"wrapped EOF", fmt.Errorf("read: %w", io.EOF), true},
		{"closed pipe", io.ErrClosedPipe, true},
		{"closed connection", net.ErrClosed, true},
		{"closed connection, as net wraps it", &net.OpError{Op: "read", Net: "tcp", Err: net.ErrClosed}, true},
		{"refused", refused, true},
		{"refused, wrapped", fmt.Errorf("unable to dial: %w", refused), true},
		{"reset", &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, true},
		{"I/O timeout", os.ErrDeadlineExceeded, true},
		{"I/O timeout, as net wraps it", &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}, true},
		{"dial timeout", dialError(t, t.Context(), net.Dialer{Deadline: time.Unix(1, 0)}), true},
		{"name not found", &net.DNSError{Err: "no such host", Name: "broker", IsNotFound: true}, true},
		{"timeout of a dialer of its own", fmt.Errorf("tunnel: %w", syscall.ETIMEDOUT), true},

		{"canceled", context.Canceled, false},
		{"wrapped canceled", fmt.Errorf("push: %w", context.Canceled), false},
		{"canceled dial", dialError(t, canceled, net.Dialer{}), false},
		{"deadline", context.DeadlineExceeded, false},
		{"wrapped deadline", fmt.Errorf("push: %w", context.DeadlineExceeded), false},
		{"deadline in a network error", &net.OpError{Op: "socks connect", Net: "tcp", Err: context.DeadlineExceeded}, false},

		{"unsupported", cfgerrors.ErrUnsupported, false},
		{"the standard unsupported", errors.ErrUnsupported, false},
		{"closed", cfgerrors.ErrClosed, false},
		{"not instrumented", fmt.Errorf("describe: %w", cfgerrors.ErrNotInstrumented), false},
		{"made by hand", &cfgerrors.InvalidConfigError{}, false},
		{"found by the client", &cfgerrors.IdentifierTooLargeError{Type: "group", Length: 250, Limit: 249}, false},
		{"no such file, a net.Error by its Errno", noFile, false},
		{"bad certificate", &tls.CertificateVerificationError{Err: errors.New("expired")}, false},
		{"bad address", badAddr, false},
		{"typed nil", error((*kerr.Error)(nil)), false},

		{"joined, all retriable", errors.Join(io.EOF, again), true},
		{"joined with one that says nothing", errors.Join(errors.New("what"), io.EOF), true},
		{"joined, none says anything", errors.Join(errors.New("what"), errors.New("why")), false},
		{"joined with a fatal code", errors.Join(again, cfgerrors.FromCode(40, "")), false},
		{"joined with a fatal code, the other way around", errors.Join(cfgerrors.FromCode(40, ""), again), false},
		{"joined with an unknown code", errors.Join(again, cfgerrors.FromCode(899, "")), false},
		{"joined with CONFIG_TOO_LARGE", errors.Join(io.EOF, cfgerrors.FromCode(900, "")), false},
		{"joined with unsupported", errors.Join(io.EOF, cfgerrors.ErrUnsupported), false},
		{"joined with UNSUPPORTED_VERSION", errors.Join(io.EOF, cfgerrors.FromCode(35, "")), false},
		{"joined with the standard unsupported", errors.Join(errors.ErrUnsupported, io.EOF), false},
		{"joined with closed", errors.Join(net.ErrClosed, cfgerrors.ErrClosed), false},
		{"joined with not instrumented", fmt.Errorf("%w: %w", cfgerrors.ErrNotInstrumented, io.EOF), false},
		{"not supported by the system", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EOPNOTSUPP)}, false},
		{"joined with canceled", errors.Join(io.EOF, context.Canceled), false},
		{"joined with a deadline", errors.Join(refused, context.DeadlineExceeded), false},
		{"joined deep", fmt.Errorf("%w: %w", errors.New("push"), errors.Join(io.EOF, fmt.Errorf("x: %w", kerr.PolicyViolation))), false},
		{"two verbs", fmt.Errorf("%w: %w", errors.New("push"), io.EOF), true},
	} {
		assert.Equal(t, tt.want, cfgerrors.Retriable(tt.err), "%s: %v", tt.name, tt.err)
	}
}
