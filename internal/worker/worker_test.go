package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errWhy = errors.New("because")

func TestAWorkerThatWasNeverWokenIsDoneWhenItIsStopped(t *testing.T) {
	w := New(t.Context(), func(context.Context) { t.Error("it ran") })
	w.Stop(errWhy)
	<-w.Done()
	w.Wake() // too late
	require.ErrorIs(t, w.Await(t.Context(), make(Waiter)), errWhy)
}

func TestAWorkerThatWasNeverWokenIsDoneWhenItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 2)
	w := New(ctx, func(ctx context.Context) { ran <- ctx.Err() })
	cancel()
	select {
	case <-w.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("it is not done")
	}
	require.Error(t, <-ran, "what is to be cleaned up is, once")
	w.Wake()
	w.Stop(errWhy)
	require.Empty(t, ran)
}

func TestAWorkerRunsOnceAndSleepsUntilItIsWokenOrDue(t *testing.T) {
	type turn struct{ woken, ok bool }
	turns := make(chan turn)
	until := make(chan time.Time)
	var w *Worker
	w = New(t.Context(), func(context.Context) {
		for at := range until {
			woken, ok := w.Sleep(at)
			turns <- turn{woken, ok}
			if !ok {
				return
			}
		}
	})
	w.Wake()
	w.Wake() // as good as one
	until <- time.Time{}
	assert.Equal(t, turn{woken: true, ok: true}, <-turns)
	until <- time.Now()
	assert.Equal(t, turn{woken: false, ok: true}, <-turns)
	until <- time.Time{}
	w.Stop(errWhy)
	assert.Equal(t, turn{}, <-turns)
	<-w.Done()
}

func TestTheFirstReasonCounts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := New(ctx, func(context.Context) {})
	other := errors.New("other")
	require.ErrorIs(t, w.Or(other), other)
	cancel()
	require.ErrorIs(t, w.Or(other), cfgerrors.ErrClosed, "the client ended by itself")
	w.Stop(errWhy)
	w.Stop(other)
	require.ErrorIs(t, w.Why(), errWhy)
	<-w.Done()
}

func TestWhoComesLaterIsNotAmongThoseThatCameBefore(t *testing.T) {
	var ws Waiters
	a, b := ws.Add(), ws.Add()
	before := ws.Now()
	ws.Remove(a)
	c := ws.Add()
	ws.Take(before).Answer(errWhy)
	require.ErrorIs(t, <-b, errWhy)
	assert.Empty(t, a)
	assert.Empty(t, c)
	assert.Equal(t, Waiters{c}, ws)
}

func TestACallerWaitsNoLongerThanItsContext(t *testing.T) {
	w := New(t.Context(), func(context.Context) {})
	defer w.Stop(errWhy)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errWhy)
	require.ErrorIs(t, w.Await(ctx, make(Waiter)), errWhy)
	answered := make(Waiter, 1)
	answered <- nil
	require.NoError(t, w.Await(t.Context(), answered))
}
