package connpatch

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// kgoConnection is the rule of kgo's loadConnection.
func kgoConnection(req kmsg.Request) traffic {
	_, isTimeout := req.(kmsg.TimeoutRequest)
	switch req.Key() {
	case 0:
		return trafficProduce
	case 1, 78, 79:
		return trafficFetch
	case 11, 14:
		return trafficJoin
	case 2:
		return trafficNormal
	}
	if isTimeout {
		return trafficSlow
	}
	return trafficNormal
}

const connections = trafficNormal | trafficProduce | trafficFetch | trafficJoin | trafficSlow

func TestEveryRequestIsOnTheConnectionThatKgoTakes(t *testing.T) {
	opening := []int16{17, 18, 36}
	group := []int16{8, 9, 11, 12, 13, 14, 68, 76}
	txn := []int16{24, 25, 26, 28}
	seen := 0
	for key := range int16(kmsg.MaxKey + 1) {
		req := kmsg.RequestForKey(key)
		if req == nil {
			continue
		}
		seen++
		got := classify(key)
		if slices.Contains(opening, key) {
			assert.Zero(t, got, "%s is on every connection", kmsg.NameForKey(key))
			continue
		}
		assert.Equal(t, kgoConnection(req), got&connections, kmsg.NameForKey(key))
		assert.Equal(t, slices.Contains(group, key), got&trafficGroup != 0, kmsg.NameForKey(key))
		assert.Equal(t, slices.Contains(txn, key), got&trafficTxn != 0, kmsg.NameForKey(key))
	}
	assert.Greater(t, seen, 80)
}

// What kgo takes for slow, without asking kmsg: a new one should be looked at.
func TestSlowRequestsAreKnownByTheirKeys(t *testing.T) {
	var slow []int16
	for key := range int16(kmsg.MaxKey + 1) {
		if classify(key) == trafficSlow {
			slow = append(slow, key)
		}
	}
	assert.Equal(t, []int16{19, 20, 21, 37, 43, 45, 46, 57, 80}, slow)
}

func TestKeysThatKmsgDoesNotKnowAreOnTheNormalConnection(t *testing.T) {
	for _, key := range []int16{900, 901, 902, kmsg.MaxKey + 1} {
		assert.Equal(t, trafficNormal, classify(key))
	}
}
