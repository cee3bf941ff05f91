package connpatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// An interval just below the session timeout is a legal pair, and would leave the
// coordinator no time to hear of a member whose heartbeat is a little late.
func TestWhatIsLeftOutIsAtMostTwoThirdsOfTheSessionTimeout(t *testing.T) {
	const configured, wanted = 20 * time.Millisecond, 5999 * time.Millisecond
	start := time.Unix(0, 0)
	g := groupState{active: true, inForce: 6000, lastWire: start, lastKgo: start}
	var longest time.Duration
	last, sent := start, 0
	for now := start.Add(configured); now.Before(start.Add(time.Minute)); now = now.Add(configured) {
		if g.beat(now, configured, wanted).swallow {
			continue
		}
		sent++
		longest = max(longest, now.Sub(last))
		last = now
	}
	assert.LessOrEqual(t, longest, 4*time.Second)
	assert.Greater(t, longest, 3900*time.Millisecond)
	assert.Less(t, sent, 20, "and beats are left out")
}
