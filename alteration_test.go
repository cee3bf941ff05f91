package kcfg_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

func TestAnAlterationHoldsItsChangesInOrder(t *testing.T) {
	a := kcfg.Alter(kcfg.User("alice"), kcfg.Set("acks", ""), kcfg.Remove("acks"))
	assert.Equal(t, kcfg.Alteration{
		Entity: kcfg.User("alice"),
		Ops:    []kcfg.Op{{Key: "acks"}, {Key: "acks", Remove: true}},
	}, a, "a value without characters is no removal")
}

func TestWhatIsDescribedMarshalsToJSON(t *testing.T) {
	j, err := json.Marshal(kcfg.Described{
		Entity:    kcfg.User("alice").DefaultClient(),
		Values:    []kcfg.KeyValue{{Key: "acks", Value: "1"}},
		Supported: map[string][]string{"kgo/v1.22.3": {"acks"}},
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"entity": [{"type": "user", "name": "alice"}, {"type": "client-id", "name": null}],
		"values": [{"key": "acks", "value": "1"}],
		"supported": {"kgo/v1.22.3": ["acks"]}
	}`, string(j))
}
