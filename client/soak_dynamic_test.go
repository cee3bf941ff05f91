//go:build soak

package client_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The short form is TestRandomFlipsOfAcksUnderLoadLoseRepeatAndReorderNothing.
func TestSoakRandomFlipsOfAcksUnderLoadLoseRepeatAndReorderNothing(t *testing.T) {
	for name, inFlight := range map[string]int{"1 in flight": 1, "5 in flight": 5} {
		t.Run(name, func(t *testing.T) { flipAcks(t, 2000, inFlight) })
	}
}

// The short form is TestDeathsOfBrokersDuringFlipsLoseNothingThatWasAcknowledged.
func TestSoakDeathsOfBrokersDuringFlipsLoseNothingThatWasAcknowledged(t *testing.T) {
	assert.GreaterOrEqual(t, deadly(t, 200), 50)
}
