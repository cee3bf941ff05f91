package transport

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/wire"
	"github.com/kcfg-go/kcfg/sensitive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// route is a Router with one node, or none.
type route struct {
	node      int32
	free      bool
	supported bool
	replaced  bool // the node was, by one that does not mean the RPC
	avoided   []int32
}

func (r *route) Target(_ int16, avoid ...int32) (int32, bool) {
	r.avoided = avoid
	return r.node, r.free
}
func (r *route) Supports(int32, int16) bool { return !r.replaced }
func (r *route) Supported(int16) bool       { return r.supported }

// cluster answers every request in the same way.
type cluster struct {
	resp kmsg.Response
	err  error
	sent []kmsg.Request
	at   []time.Time
	to   []int32
}

func (c *cluster) send(_ context.Context, node int32, req kmsg.Request) (kmsg.Response, error) {
	c.sent = append(c.sent, req)
	c.at = append(c.at, time.Now())
	c.to = append(c.to, node)
	return c.resp, c.err
}

func answer(code int16, message string, throttle time.Duration) *wire.PushConfigResponse {
	r := wire.NewPushConfigResponse(kcfg.DefaultProtocol())
	r.ErrorCode, r.ThrottleMillis = code, int32(throttle/time.Millisecond)
	if message != "" {
		r.ErrorMessage = &message
	}
	return r
}

func clean(t *testing.T, value string) []sensitive.Clean {
	t.Helper()
	c, held := sensitive.Filter(sensitive.Entry{Key: "client.id", Value: value, Type: sensitive.String})
	require.Empty(t, held)
	return c
}

func TestPushSendsTheEntriesToTheTarget(t *testing.T) {
	r, c := &route{node: 7, free: true, supported: true}, &cluster{resp: answer(0, "", 0)}
	to, err := NewRPC(kcfg.DefaultProtocol(), r, c.send).Push(t.Context(), clean(t, "orders"), 3, 4)
	require.NoError(t, err)
	assert.Equal(t, Pushed{Node: 7, Sent: true}, to)
	assert.Equal(t, []int32{3, 4}, r.avoided)
	require.Len(t, c.sent, 1)
	req, ok := c.sent[0].(*wire.PushConfigRequest)
	require.True(t, ok)
	assert.Equal(t, int16(902), req.Key())
	assert.Equal(t, "orders", req.Configs()[0].Value)
}

func TestPushWithoutATargetSendsNothing(t *testing.T) {
	c := &cluster{resp: answer(0, "", 0)}
	for _, tt := range []struct {
		route route
		want  error
	}{
		{route{}, cfgerrors.ErrUnsupported},
		{route{supported: true}, ErrNoBroker},
	} {
		to, err := NewRPC(kcfg.DefaultProtocol(), &tt.route, c.send).Push(t.Context(), clean(t, "orders"))
		require.ErrorIs(t, err, tt.want)
		assert.False(t, to.Sent)
	}
	assert.Empty(t, c.sent)
}

func TestAnAnswerBecomesATypedErrorWithoutTheValue(t *testing.T) {
	const value = "a-value-of-mine"
	p := kcfg.DefaultProtocol()
	p.ConfigTooLargeCode = 777
	for _, tt := range []struct {
		code int16
		is   func(error) bool
	}{
		{777, func(err error) bool { _, ok := errors.AsType[*cfgerrors.ConfigTooLargeError](err); return ok }},
		{kerr.InvalidConfig.Code, func(err error) bool { _, ok := errors.AsType[*cfgerrors.InvalidConfigError](err); return ok }},
		{kerr.UnsupportedVersion.Code, func(err error) bool { return errors.Is(err, cfgerrors.ErrUnsupported) }},
	} {
		c := &cluster{resp: answer(tt.code, "client.id is "+value, 0)}
		to, err := NewRPC(p, &route{node: 7, free: true, supported: true}, c.send).Push(t.Context(), clean(t, value))
		require.Error(t, err)
		assert.True(t, tt.is(err), "%v", err)
		assert.True(t, to.Sent)
		assert.Contains(t, err.Error(), "broker 7")
		assert.Contains(t, err.Error(), "client.id")
		assert.NotContains(t, err.Error(), value)
	}
}

func TestWhatKgoReturnsIsWrapped(t *testing.T) {
	c := &cluster{resp: answer(0, "", 0), err: io.EOF} // half-filled, as kgo may
	to, err := NewRPC(kcfg.DefaultProtocol(), &route{node: 7, free: true}, c.send).Push(t.Context(), clean(t, "orders"))
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, Pushed{Node: 7, Sent: true}, to)
}

func TestABrokerThatWasReplacedWasNotAsked(t *testing.T) {
	for _, tt := range []struct {
		others bool
		want   error
	}{{true, ErrNoBroker}, {false, cfgerrors.ErrUnsupported}} {
		c := &cluster{err: errors.New("broker is too old")}
		to, err := NewRPC(kcfg.DefaultProtocol(), &route{node: 7, free: true, replaced: true, supported: tt.others}, c.send).Push(t.Context(), clean(t, "orders"))
		require.ErrorIs(t, err, tt.want)
		assert.False(t, to.Sent)
	}
}

func TestAForeignResponseIsAnError(t *testing.T) {
	c := &cluster{resp: kmsg.NewPtrMetadataResponse()}
	_, err := NewRPC(kcfg.DefaultProtocol(), &route{free: true}, c.send).Push(t.Context(), clean(t, "orders"))
	require.ErrorContains(t, err, "MetadataResponse")
}

func TestThrottleHoldsTheNextRequestOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{resp: answer(0, "", 1500*time.Millisecond)}
		rpc := NewRPC(kcfg.DefaultProtocol(), &route{free: true, supported: true}, c.send)
		start := time.Now()
		_, err := rpc.Push(t.Context(), clean(t, "orders"))
		require.NoError(t, err)
		assert.Equal(t, start, time.Now(), "the answer that throttles comes at once")
		c.resp = answer(0, "", -5)
		_, err = rpc.Push(t.Context(), clean(t, "orders"))
		require.NoError(t, err)
		_, err = rpc.Push(t.Context(), clean(t, "orders"))
		require.NoError(t, err)
		require.Len(t, c.at, 3)
		assert.Equal(t, 1500*time.Millisecond, c.at[1].Sub(start))
		assert.Equal(t, c.at[1], c.at[2], "a negative throttle is none")
	})
}

func TestThrottleIsBoundedAndEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{resp: answer(0, "", 20*24*time.Hour)}
		rpc := NewRPC(kcfg.DefaultProtocol(), &route{free: true, supported: true}, c.send)
		start := time.Now()
		_, err := rpc.Push(t.Context(), clean(t, "orders"))
		require.NoError(t, err)

		cause := errors.New("closed")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, cause)
		defer cancel()
		_, err = rpc.Push(ctx, clean(t, "orders"))
		require.ErrorIs(t, err, cause)
		require.Len(t, c.sent, 1)

		_, err = rpc.Push(t.Context(), clean(t, "orders"))
		require.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestAThrottleInAnErrorCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{resp: answer(kerr.RequestTimedOut.Code, strings.Repeat("x", 10), time.Second)}
		rpc := NewRPC(kcfg.DefaultProtocol(), &route{free: true, supported: true}, c.send)
		start := time.Now()
		for range 2 {
			_, err := rpc.Push(t.Context(), clean(t, "orders"))
			require.ErrorIs(t, err, kerr.RequestTimedOut)
		}
		assert.Equal(t, time.Second, time.Since(start))
	})
}
