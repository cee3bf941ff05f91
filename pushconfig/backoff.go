package pushconfig

import (
	"time"

	"github.com/cenkalti/backoff/v4"
)

const (
	backoffMultiplier = 2
	backoffJitter     = 0.2 // as Kafka's clients: plus or minus a fifth
)

// waits are the pauses between the tries of one push.
type waits struct {
	b       *backoff.ExponentialBackOff
	longest time.Duration
}

func newWaits(shortest, longest time.Duration) *waits {
	b := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(shortest),
		backoff.WithMaxInterval(longest),
		backoff.WithMultiplier(backoffMultiplier),
		backoff.WithRandomizationFactor(backoffJitter),
		backoff.WithMaxElapsedTime(0), // the context of the push ends it
	)
	return &waits{b: b, longest: longest}
}

// next returns the next pause. The library adds the jitter after its cap, so
// what exceeds the longest pause is cut here.
func (w *waits) next() time.Duration { return min(w.b.NextBackOff(), w.longest) }
