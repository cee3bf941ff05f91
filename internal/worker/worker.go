// Package worker is the life of the one goroutine that a Pusher has, and a Poller: it
// starts when there is something to do for the first time, does one thing after the
// other, and ends with its client. Callers can wait for what it finds out.
package worker

import (
	"context"
	"sync"
	"time"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// Worker runs one function in one goroutine. Its methods may be called at any time
// and from any goroutine, but for Sleep.
type Worker struct {
	cancel context.CancelFunc
	forget func() bool     // that the context may end
	over   <-chan struct{} // closed by Stop and End, and when the client ends
	run    func()

	wake  chan struct{} // capacity 1: something happened
	start sync.Once
	done  chan struct{} // closed when the goroutine is gone

	mu  sync.Mutex
	why error // given to Stop
}

// New returns a Worker that lives no longer than ctx. Wake starts do, whose context
// ends with the Worker; do should return then. Where nobody called Wake or Stop before
// ctx ends, it is started nevertheless, to clean up.
func New(ctx context.Context, do func(context.Context)) *Worker {
	ctx, cancel := context.WithCancel(ctx)
	w := &Worker{
		cancel: cancel,
		over:   ctx.Done(),
		wake:   make(chan struct{}, 1),
		done:   make(chan struct{}),
	}
	w.run = func() {
		defer close(w.done)
		do(ctx)
	}
	w.forget = context.AfterFunc(ctx, w.begin)
	return w
}

func (w *Worker) begin() { w.start.Do(func() { go w.run() }) }

// Wake says that something happened.
func (w *Worker) Wake() {
	w.begin()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Sleep waits for a Wake, or until a moment if it is not zero. It is for the
// goroutine itself. ok is false when the Worker is over.
func (w *Worker) Sleep(until time.Time) (woken, ok bool) {
	var at <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		at = t.C
	}
	select {
	case <-w.wake:
		return true, true
	case <-at:
		return false, true
	case <-w.over:
		return false, false
	}
}

// End ends the Worker without a reason of its own, such as from inside.
func (w *Worker) End() { w.cancel() }

// Stop ends the Worker, without waiting for it. Who asks gets the given error from
// now on; the first call counts.
func (w *Worker) Stop(why error) {
	w.mu.Lock()
	if w.why == nil {
		w.why = why
	}
	w.mu.Unlock()
	w.start.Do(func() { close(w.done) }) // never started: nothing to wait for
	w.forget()
	w.cancel()
}

// Done is closed when the Worker was stopped, or its context ended, and its goroutine
// is gone.
func (w *Worker) Done() <-chan struct{} { return w.done }

// Why returns what Stop was given; before, and where the client ended by itself, it
// is cfgerrors.ErrClosed.
func (w *Worker) Why() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.why != nil {
		return w.why
	}
	return cfgerrors.ErrClosed
}

// Or returns err, or why the Worker is over if it is.
func (w *Worker) Or(err error) error {
	select {
	case <-w.over:
		return w.Why()
	default:
		return err
	}
}

// Await waits for what a caller asked for, as long as ctx and the Worker last.
func (w *Worker) Await(ctx context.Context, asked Waiter) error {
	select {
	case err := <-asked:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-w.over:
		return w.Why()
	}
}
