package dynconfig

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/internal/transport"
)

func TestRefreshAsksNowAndReturnsWhenTheOverridesAreInUse(t *testing.T) {
	w := newWorld()
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.change(func(w *world) { w.set = m{"acks": "1"} })
		start := time.Now()
		require.NoError(t, p.Refresh(t.Context()))
		assert.Equal(t, start, time.Now())
		assert.EqualValues(t, 1, *w.given().Acks)

		// Errors that pass are waited out.
		w.change(func(w *world) {
			w.set = m{"acks": "0"}
			w.fail = func(_ context.Context, n int) error {
				if n < 5 {
					return transport.ErrNoBroker
				}
				return nil
			}
		})
		require.NoError(t, p.Refresh(t.Context()))
		assert.EqualValues(t, 0, *w.given().Acks)
		assert.Equal(t, 3, p.Status().Requests, "those without a broker were none")

		w.change(func(w *world) { w.fail = func(context.Context, int) error { return code(kerr.InvalidRequest) } })
		assert.ErrorIs(t, p.Refresh(t.Context()), kerr.InvalidRequest)
		w.change(func(w *world) { w.fail = func(context.Context, int) error { return io.EOF } })
		assert.ErrorIs(t, p.Refresh(t.Context()), io.EOF, "not for ever")

		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		cancel(cause)
		assert.ErrorIs(t, p.Refresh(ctx), cause)
	})
}

func TestRefreshConnectsIfNoConnectionWasOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		var p *Poller
		p = w.poller(t, func(c *Config) {
			c.Connect = func(context.Context) error {
				p.Connected(true)
				return nil
			}
		})
		require.NoError(t, p.Refresh(t.Context()))
		assert.Equal(t, 1, w.requests())
		q := newWorld().poller(t, func(c *Config) { c.Connect = func(context.Context) error { return io.EOF } })
		assert.ErrorIs(t, q.Refresh(t.Context()), io.EOF)
	})
}

func TestWaitAppliedWaitsForTheRequestThatCarriesTheValue(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1", keySession: "1"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		done := make(chan error, 1)
		go func() { done <- p.WaitApplied(t.Context(), "acks") }()
		w.pause(time.Second)
		require.Empty(t, done)
		w.change(func(w *world) { w.observed.Acks = new(int16(1)) }) // and nobody calls Changed
		w.pause(10 * time.Second)
		require.Len(t, done, 1)
		require.NoError(t, <-done)

		e, ok := errors.AsType[*NotAppliedError](p.WaitApplied(t.Context(), keySession))
		require.True(t, ok)
		assert.Equal(t, kcfg.OverrideRejected, e.State)
		e, ok = errors.AsType[*NotAppliedError](p.WaitApplied(t.Context(), "linger.ms"))
		require.True(t, ok)
		assert.Equal(t, kcfg.OverrideUnsupported, e.State)

		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		assert.ErrorIs(t, p.WaitApplied(ctx, keyHeartbeat), context.DeadlineExceeded, "no override is wished")
	})
}

func TestTheEndOfTheClientsContextIsAClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := newWorld()
		p := New(ctx, Config{
			Fetch: w.fetch, Apply: func(connpatch.Patches) {}, Observed: func() connpatch.Observed { return connpatch.Observed{} },
			Static: both, Limits: func() Limits { return Limits{time.Second, time.Second, time.Minute} },
		})
		p.Connected(true)
		synctest.Wait()
		cancel()
		<-p.Done()
		assert.Equal(t, kcfg.DynamicClosed, p.Status().State)
	})
}

func TestACallerThatGaveUpKeepsNoPlaceAndStopSaysWhy(t *testing.T) {
	w := newWorld()
	synctest.Test(t, func(t *testing.T) {
		p := w.poller(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, p.Refresh(ctx), context.Canceled)
		require.ErrorIs(t, p.WaitApplied(ctx, "acks"), context.Canceled)
		p.mu.Lock()
		assert.Empty(t, p.waiters)
		assert.Empty(t, p.applied)
		p.mu.Unlock()

		p.Stop(io.ErrClosedPipe)
		p.Close()
		assert.ErrorIs(t, p.Refresh(t.Context()), io.ErrClosedPipe)
		assert.ErrorIs(t, p.WaitApplied(t.Context(), "acks"), io.ErrClosedPipe)
	})
}

// Who waited for the outcome of a poll finds it in the status at once.
func TestTheStatusIsThatOfTheOutcomeThatRefreshReturns(t *testing.T) {
	w := newWorld()
	failing := false
	w.fail = func(context.Context, int) error {
		if failing {
			return &cfgerrors.NotSetUpError{Topic: "overrides", Reason: "it does not exist"}
		}
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		for range 20 {
			failing = true
			require.Error(t, p.Refresh(t.Context()))
			require.Equal(t, kcfg.DynamicFailed, p.Status().State)
			failing = false
			require.NoError(t, p.Refresh(t.Context()))
			require.Equal(t, kcfg.DynamicPolled, p.Status().State)
		}
	})
}
