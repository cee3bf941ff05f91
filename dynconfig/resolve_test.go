package dynconfig

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/transport"
)

func described(e kcfg.Entity, values ...string) kcfg.Described {
	d := kcfg.Described{Entity: e}
	for i := 0; i < len(values); i += 2 {
		d.Values = append(d.Values, kcfg.KeyValue{Key: values[i], Value: values[i+1]})
	}
	return d
}

func TestResolveMakesOneMapOfSeveralEntriesInAnyOrder(t *testing.T) {
	alice := kcfg.User("alice")
	orders := alice.Client("orders")
	for _, tt := range []struct {
		name string
		in   []kcfg.Described
		want m
	}{
		{"null", nil, m{}},
		{"none", []kcfg.Described{}, m{}},
		{"the resolved one", []kcfg.Described{described(orders, "acks", "1")}, m{"acks": "1"}},
		{"the user's", []kcfg.Described{described(alice, "acks", "1")}, m{"acks": "1"}},
		{"key by key", []kcfg.Described{described(alice, "acks", "1", keySession, "10000"), described(orders, "acks", "0", keyHeartbeat, "2000")}, m{"acks": "0", keySession: "10000", keyHeartbeat: "2000"}},
		{"an empty value of the client id wins too", []kcfg.Described{described(alice, "acks", "1"), described(orders, "acks", "")}, m{"acks": ""}},
		{"defaults are not part of it", []kcfg.Described{
			described(kcfg.DefaultUser(), "acks", "1"), described(alice.DefaultClient(), "acks", "1"),
			described(kcfg.DefaultUser().DefaultClient(), "acks", "1"), described(kcfg.DefaultUser().Client("orders"), "acks", "1"),
		}, m{}},
		{"other client ids are not", []kcfg.Described{described(alice.Client("other"), "acks", "1"), described(alice.Client(""), "acks", "1")}, m{}},
		{"a client id without user is not", []kcfg.Described{described(kcfg.Entity{}.Client("orders"), "acks", "1")}, m{}},
		{"supported.configs is no override", []kcfg.Described{described(orders, "supported.configs", "{}", "acks", "1")}, m{"acks": "1"}},
		{"a user without characters", []kcfg.Described{described(kcfg.User(""), "acks", "1")}, m{"acks": "1"}},
		{"the values of unknown keys are not kept", []kcfg.Described{described(orders, "sasl.jaas.config", "secret")}, m{"sasl.jaas.config": ""}},
	} {
		for range 10 {
			rand.Shuffle(len(tt.in), func(i, j int) { tt.in[i], tt.in[j] = tt.in[j], tt.in[i] })
			got, err := resolve(tt.in, "orders")
			require.NoError(t, err, tt.name)
			values := m{}
			for key, w := range got {
				values[key] = w.value
			}
			assert.Equal(t, tt.want, values, tt.name)
		}
	}
}

func TestResolveSaysWhereAValueIsFrom(t *testing.T) {
	alice := kcfg.User("alice")
	got, err := resolve([]kcfg.Described{described(alice.Client("orders"), "acks", "0"), described(alice, "acks", "1", keySession, "10000")}, "orders")
	require.NoError(t, err)
	assert.Equal(t, alice.Client("orders"), got["acks"].source)
	assert.Equal(t, alice, got[keySession].source)
}

func TestAnAnswerThatContradictsItselfIsNone(t *testing.T) {
	alice := kcfg.User("alice")
	for name, in := range map[string][]kcfg.Described{
		"two users":            {described(alice, "acks", "1"), described(kcfg.User("bob"), "acks", "0")},
		"an entity twice":      {described(alice, "acks", "1"), described(alice, "acks", "0")},
		"a key twice":          {described(alice, "acks", "1", "acks", "0")},
		"two of no known name": {described(alice.Client("a"), "acks", "1"), described(alice.Client("b"), "acks", "0")},
	} {
		id := "orders"
		if strings.HasPrefix(name, "two of") {
			id = ""
		}
		_, err := resolve(in, id)
		assert.ErrorIs(t, err, transport.ErrBadAnswer, name)
		assert.Equal(t, actFail, classify(err), name)
	}
}

func TestResolveBoundsWhatIsShownOfUnknownKeys(t *testing.T) {
	d := described(kcfg.User("alice"), "acks", "1", "a."+strings.Repeat("x", 200), "1")
	for i := range 1000 {
		d.Values = append(d.Values, kcfg.KeyValue{Key: fmt.Sprintf("unknown.%04d", i), Value: "1"})
	}
	got, err := resolve([]kcfg.Described{d}, "")
	require.NoError(t, err)
	assert.LessOrEqual(t, len(got), maxUnknownKeys+1)
	assert.Contains(t, got, "acks")
	assert.Contains(t, got, "unknown.0000")
}

func TestResolveDoesNotDependOnOrder(t *testing.T) {
	entity := rapid.SampledFrom([]kcfg.Entity{
		kcfg.User("alice"), kcfg.User("alice").Client("orders"), kcfg.User("alice").Client("other"), kcfg.DefaultUser(),
		kcfg.User("alice").DefaultClient(), kcfg.User("bob"),
	})
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) kcfg.Described {
			d := kcfg.Described{Entity: entity.Draw(t, "entity")}
			for key, value := range anyWish().Draw(t, "values") {
				d.Values = append(d.Values, kcfg.KeyValue{Key: key, Value: value})
			}
			return d
		}), 0, 4).Draw(t, "entries")
		want, wantErr := resolve(in, "orders")
		got, err := resolve(rapid.Permutation(in).Draw(t, "shuffled"), "orders")
		require.Equal(t, want, got)
		require.Equal(t, wantErr == nil, err == nil)
	})
}
