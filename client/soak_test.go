//go:build soak

package client_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// The short form is TestAFleetUnderFaultsLosesNothing.
func TestSoakAFleetUnderFaultsLosesNothing(t *testing.T) {
	const clients, d = 20, 5 * time.Minute
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	lives := churn(t, clients, d)
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d clients at a time for %v: %d lives, heap %d KiB before and %d KiB after", clients, d, lives, before.HeapAlloc>>10, after.HeapAlloc>>10)
	assert.Greater(t, lives, clients)
}
