package kcfg_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

func TestDynamicStatusMarshalsToJSON(t *testing.T) {
	j, err := json.Marshal(kcfg.DynamicStatus{
		State: kcfg.DynamicFailed,
		Err:   errors.New("not marshaled"),
		Error: "no broker",
		Keys: []kcfg.KeyState{
			{Key: "acks", Wished: new("1"), InForce: new("all"), Static: new("all"), State: kcfg.OverridePending, Reason: "it waits"},
			{Key: "linger.ms", State: kcfg.OverrideUnsupported},
			{Key: "x", Wished: new(""), State: kcfg.OverrideRejected},
		},
		Suspended: "why",
		Node:      -1,
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"state": "failed", "error": "no broker", "suspended": "why", "node": -1, "polls": 0, "requests": 0, "rejoins": 0,
		"keys": [
			{"key": "acks", "wished": "1", "inForce": "all", "static": "all", "state": "pending", "reason": "it waits"},
			{"key": "linger.ms", "state": "unsupported"},
			{"key": "x", "wished": "", "state": "rejected"}
		]
	}`, string(j))
}
