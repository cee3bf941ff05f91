package kcfg_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
)

// entities are all that differ in a component, with their parts, text and JSON.
func entities() []struct {
	e     kcfg.Entity
	parts []kcfg.EntityPart
	text  string
	json  string
} {
	user, client := kcfg.EntityUser, kcfg.EntityClientID
	return []struct {
		e     kcfg.Entity
		parts []kcfg.EntityPart
		text  string
		json  string
	}{
		{kcfg.Entity{}, nil, `<>`, `null`},
		{kcfg.User("alice"), []kcfg.EntityPart{{user, new("alice")}}, `<user "alice">`, `[{"type":"user","name":"alice"}]`},
		{kcfg.User(""), []kcfg.EntityPart{{user, new("")}}, `<user "">`, `[{"type":"user","name":""}]`},
		{kcfg.User("default"), []kcfg.EntityPart{{user, new("default")}}, `<user "default">`, `[{"type":"user","name":"default"}]`},
		{kcfg.DefaultUser(), []kcfg.EntityPart{{user, nil}}, `<user default>`, `[{"type":"user","name":null}]`},
		{
			kcfg.User("alice").Client("orders"), []kcfg.EntityPart{{user, new("alice")}, {client, new("orders")}},
			`<user "alice", client-id "orders">`, `[{"type":"user","name":"alice"},{"type":"client-id","name":"orders"}]`,
		},
		{
			kcfg.User("alice").Client(""), []kcfg.EntityPart{{user, new("alice")}, {client, new("")}},
			`<user "alice", client-id "">`, `[{"type":"user","name":"alice"},{"type":"client-id","name":""}]`,
		},
		{
			kcfg.User("alice").DefaultClient(), []kcfg.EntityPart{{user, new("alice")}, {client, nil}},
			`<user "alice", client-id default>`, `[{"type":"user","name":"alice"},{"type":"client-id","name":null}]`,
		},
		{
			kcfg.DefaultUser().DefaultClient(), []kcfg.EntityPart{{user, nil}, {client, nil}},
			`<user default, client-id default>`, `[{"type":"user","name":null},{"type":"client-id","name":null}]`,
		},
		{kcfg.Entity{}.Client("orders"), []kcfg.EntityPart{{client, new("orders")}}, `<client-id "orders">`, `[{"type":"client-id","name":"orders"}]`},
		{kcfg.Entity{}.DefaultClient(), []kcfg.EntityPart{{client, nil}}, `<client-id default>`, `[{"type":"client-id","name":null}]`},
		{kcfg.User("caf\u00e9\x1b"), []kcfg.EntityPart{{user, new("caf\u00e9\x1b")}}, `<user "caf\u00e9\x1b">`, `[{"type":"user","name":"caf` + "\u00e9" + `\u001b"}]`},
	}
}

func TestDefaultEmptyAndAbsentAreThreeThings(t *testing.T) {
	seen := make(map[kcfg.Entity]string)
	for _, tt := range entities() {
		assert.Empty(t, seen[tt.e], "%s is no other", tt.text)
		seen[tt.e] = tt.text
		assert.Equal(t, tt.parts, tt.e.Parts(), tt.text)
		assert.Equal(t, tt.text, tt.e.String())
		j, err := json.Marshal(tt.e)
		require.NoError(t, err)
		assert.JSONEq(t, tt.json, string(j))
		assert.Equal(t, len(tt.parts) == 0, tt.e.IsZero(), tt.text)
	}

	for _, tt := range []struct {
		e    kcfg.Entity
		name *string
		ok   bool
	}{
		{kcfg.Entity{}, nil, false}, {kcfg.DefaultUser(), nil, true}, {kcfg.User(""), new(""), true}, {kcfg.User("x"), new("x"), true},
	} {
		name, ok := tt.e.UserName()
		assert.Equal(t, tt.name, name)
		assert.Equal(t, tt.ok, ok)
		if !tt.ok {
			continue
		}
		_, ok = tt.e.ClientID()
		assert.False(t, ok)
		id, ok := tt.e.DefaultClient().ClientID()
		assert.Nil(t, id)
		assert.True(t, ok)
		id, ok = tt.e.Client("").ClientID()
		assert.Equal(t, new(""), id)
		assert.True(t, ok)
	}
}

func TestAnEntityIsAMapKey(t *testing.T) {
	m := map[kcfg.Entity]int{kcfg.User("alice").Client("orders"): 1}
	m[kcfg.User("alice").Client("orders")]++
	assert.Equal(t, map[kcfg.Entity]int{kcfg.User("alice").Client("orders"): 2}, m)
	assert.NotContains(t, m, kcfg.User("alice"))
	assert.NotContains(t, m, kcfg.User("orders").Client("alice"))
	assert.NotContains(t, m, kcfg.User("alice").Client("orders").DefaultClient())
}

func TestNarrowingAnEntityLeavesItAsItWas(t *testing.T) {
	e := kcfg.User("alice")
	_ = e.Client("orders")
	_ = e.DefaultClient()
	assert.Equal(t, kcfg.User("alice"), e)
	name, _ := e.UserName()
	*name = "bob"
	*e.Parts()[0].Name = "bob"
	assert.Equal(t, kcfg.User("alice"), e)
}

func TestPartsOfAnEntityRoundTripInAnyOrder(t *testing.T) {
	for _, tt := range entities()[1:] {
		got, err := kcfg.EntityFromParts(tt.parts...)
		require.NoError(t, err)
		assert.Equal(t, tt.e, got)
		slices.Reverse(tt.parts)
		got, err = kcfg.EntityFromParts(tt.parts...)
		require.NoError(t, err)
		assert.Equal(t, tt.e, got)
	}
	name := rapid.Ptr(rapid.String(), true)
	rapid.Check(t, func(t *rapid.T) {
		parts := []kcfg.EntityPart{{kcfg.EntityUser, name.Draw(t, "user")}, {kcfg.EntityClientID, name.Draw(t, "client")}}
		parts = parts[rapid.IntRange(0, 1).Draw(t, "from"):]
		e, err := kcfg.EntityFromParts(parts...)
		require.NoError(t, err)
		require.Equal(t, parts, e.Parts())
	})
}

func TestPartsThatMakeNoEntityAreErrors(t *testing.T) {
	for want, parts := range map[string][]kcfg.EntityPart{
		"kcfg: an entity without components":  nil,
		`kcfg: unknown entity type "ip"`:      {{kcfg.EntityUser, nil}, {"ip", new("x")}},
		`kcfg: unknown entity type "\x1b[2J"`: {{"\x1b[2J", nil}},
		"kcfg: entity type user twice":        {{kcfg.EntityUser, new("a")}, {kcfg.EntityUser, nil}},
		"kcfg: entity type client-id twice":   {{kcfg.EntityClientID, nil}, {kcfg.EntityClientID, nil}},
	} {
		e, err := kcfg.EntityFromParts(parts...)
		assert.EqualError(t, err, want)
		assert.True(t, e.IsZero())
	}
}
