//go:build soak

package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// The short form is TestAFleetUnderFaultsLosesNothing.
func TestSoakAFleetUnderFaultsLosesNothing(t *testing.T) {
	const clients, d = 20, 5 * time.Minute
	lives, short := churn(t, clients, d)
	t.Logf("%d clients at a time for %v: %d lives, %d of them cut short", clients, d, lives, short)
	assert.Greater(t, lives, clients)
	assert.Less(t, short, lives/100)
}
