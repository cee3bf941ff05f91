// Package retry has the pauses between the tries of a Pusher and of a Poller.
package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v4"
)

const (
	multiplier = 2
	jitter     = 0.2 // as Kafka's clients: plus or minus a fifth
)

// Waits are the pauses between the tries of one thing.
type Waits struct {
	b       *backoff.ExponentialBackOff
	longest time.Duration
}

// NewWaits returns pauses that grow from the shortest to the longest.
func NewWaits(shortest, longest time.Duration) *Waits {
	b := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(shortest),
		backoff.WithMaxInterval(longest),
		backoff.WithMultiplier(multiplier),
		backoff.WithRandomizationFactor(jitter),
		backoff.WithMaxElapsedTime(0), // who waits knows when to end
	)
	return &Waits{b: b, longest: longest}
}

// Next returns the next pause. The library adds the jitter after its cap, so
// what exceeds the longest pause is cut here.
func (w *Waits) Next() time.Duration { return min(w.b.NextBackOff(), w.longest) }

// Sleep waits, and reports whether ctx lasted.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// UpTo returns a random duration below d, so that clients which see the same
// thing at the same moment do not act at the same moment.
func UpTo(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return rand.N(d)
}
