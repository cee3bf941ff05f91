package dynconfig

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

func describes(ds []kcfg.Described, err error) *Admin {
	return NewAdmin(AdminTransport{Describe: func(context.Context, kcfg.Filter) ([]kcfg.Described, error) { return ds, err }})
}

func TestAdminDescribesInAFixedOrder(t *testing.T) {
	user := kcfg.User("a")
	order := []kcfg.Entity{
		{}, kcfg.Entity{}.Client("z"),
		kcfg.DefaultUser(), kcfg.DefaultUser().DefaultClient(), kcfg.DefaultUser().Client("a"),
		kcfg.User(""), kcfg.User("").Client(""),
		user, user.DefaultClient(), user.Client(""), user.Client("a"), user.Client("b"), kcfg.User("b"),
	}
	var mixed []kcfg.Described
	for i := range order {
		e := order[(i*5)%len(order)]
		mixed = append(mixed, kcfg.Described{Entity: e, Values: []kcfg.KeyValue{{Key: "z", Value: "1"}, {Key: "a", Value: "2"}}})
	}
	got, err := describes(mixed, nil).Describe(t.Context(), kcfg.Filter{})
	require.NoError(t, err)
	require.Len(t, got, len(order))
	for i, d := range got {
		assert.Equal(t, order[i], d.Entity)
		assert.Equal(t, []kcfg.KeyValue{{Key: "a", Value: "2"}, {Key: "z", Value: "1"}}, d.Values)
		assert.Nil(t, d.Supported)
	}
	assert.Equal(t, "z", mixed[0].Values[0].Key, "what the transport returned is its own")
}

func TestAdminTellsNothingWithAnError(t *testing.T) {
	cause := errors.New("no")
	got, err := describes([]kcfg.Described{{Entity: kcfg.User("a")}}, cause).Describe(t.Context(), kcfg.Filter{})
	require.ErrorIs(t, err, cause)
	assert.Nil(t, got)
}

func TestAdminNamesARegistrationThatMakesNoSense(t *testing.T) {
	for _, text := range []string{"", "null", "[]", `"acks"`, `{"kgo/v1":"acks"}`, `{"kgo/v1":[1]}`, `{"kgo/v1":["acks"]`, "\xff", `{} {}`} {
		ds := []kcfg.Described{
			{Entity: kcfg.User("b"), Values: []kcfg.KeyValue{{Key: "acks", Value: "1"}, {Key: kcfg.SupportedConfigs, Value: text}}},
			{Entity: kcfg.User("a"), Values: []kcfg.KeyValue{{Key: kcfg.SupportedConfigs, Value: `{"kgo/v1":["b","a"]}`}}},
		}
		got, err := describes(ds, nil).Describe(t.Context(), kcfg.Filter{})
		require.ErrorIs(t, err, ErrBadAnswer, "%q", text)
		require.ErrorContains(t, err, `supported.configs of <user "b">`)
		require.Len(t, got, 2)
		assert.Equal(t, map[string][]string{"kgo/v1": {"a", "b"}}, got[0].Supported)
		assert.Nil(t, got[1].Supported)
		assert.Equal(t, []kcfg.KeyValue{{Key: "acks", Value: "1"}}, got[1].Values)
	}
}

func TestAdminAltersAndValidates(t *testing.T) {
	cause := errors.New("no")
	var asked []bool
	a := NewAdmin(AdminTransport{Alter: func(_ context.Context, validateOnly bool, as ...kcfg.Alteration) ([]kcfg.Altered, error) {
		asked = append(asked, validateOnly)
		return []kcfg.Altered{{Entity: as[0].Entity}, {Entity: kcfg.User("b"), Err: cause}}, nil
	}})
	change := kcfg.Alter(kcfg.User("a"), kcfg.Remove("acks"))
	for _, call := range []func(context.Context, ...kcfg.Alteration) ([]kcfg.Altered, error){a.Alter, a.ValidateAlter} {
		got, err := call(t.Context())
		require.NoError(t, err)
		assert.Empty(t, got)
		got, err = call(t.Context(), change)
		require.NoError(t, err)
		require.NoError(t, AlterError(got[:1]))
		err = AlterError(got)
		require.ErrorIs(t, err, cause)
		assert.Equal(t, `dynconfig: alter <user "b">: no`, err.Error())
	}
	assert.Equal(t, []bool{false, true}, asked, "and nothing for an empty list")
	require.NoError(t, AlterError(nil))
}

func FuzzParseSupported(f *testing.F) {
	for _, text := range []string{"", "null", "{}", `{"kgo/v1":["acks"]}`, `{"a":null}`, `{"a":[null]}`, `{"a":1}`, "\xff", `{"\ud800":["x"]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseSupported(text)
		require.Equal(t, err != nil, got == nil)
		if err != nil {
			require.Equal(t, errNotSupportedJSON, err)
		}
	})
}
