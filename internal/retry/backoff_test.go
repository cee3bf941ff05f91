package retry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestPausesGrowToTheLongestAndAreJittered(t *testing.T) {
	const shortest, longest = 100 * time.Millisecond, time.Second
	// The pause that each would be without jitter.
	plain := []time.Duration{100, 200, 400, 800, 1000, 1000, 1000}
	seen := make([]map[time.Duration]bool, len(plain))
	for range 200 {
		w := NewWaits(shortest, longest)
		for i, p := range plain {
			p *= time.Millisecond
			d := w.Next()
			assert.GreaterOrEqual(t, d, p-p/5, "pause %d", i)
			assert.LessOrEqual(t, d, min(p+p/5, longest), "pause %d", i)
			if seen[i] == nil {
				seen[i] = make(map[time.Duration]bool)
			}
			seen[i][d] = true
		}
	}
	for i := range seen {
		assert.Greater(t, len(seen[i]), 20, "pause %d has jitter", i)
	}
}

func TestPausesDoNotEndByThemselves(t *testing.T) {
	w := NewWaits(time.Millisecond, 2*time.Millisecond)
	for range 10_000 {
		assert.Positive(t, w.Next())
	}
}
