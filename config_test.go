package kcfg_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

const secretValue = "hunter2"

// printed is a value by every way that prints it.
func printed(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("m", "v", v)
	fmt.Fprintf(&b, "%v %+v %#v %s %q %x", v, v, v, v, v, v)
	return b.String()
}

func TestAnOperationPrintsAndMarshalsWithoutItsValue(t *testing.T) {
	op := kcfg.SetConfig("ssl.keystore.password", secretValue)
	for _, v := range []any{op, &op, kcfg.AlterConfig(kcfg.BrokerResource(1), op), kcfg.AlterConfigMetadata{Ops: []kcfg.ConfigOp{op}}} {
		text := printed(t, v)
		assert.Contains(t, text, "set ssl.keystore.password")
		assert.NotContains(t, text, secretValue)
		assert.NotContains(t, text, fmt.Sprintf("%x", secretValue))
		b, err := json.Marshal(v)
		require.NoError(t, err)
		assert.Contains(t, string(b), "ssl.keystore.password")
		assert.NotContains(t, string(b), secretValue)
	}
	assert.Equal(t, secretValue, op.Value)
	assert.Equal(t, "append k", kcfg.AppendConfig("k", "v").String())
	assert.Equal(t, "subtract k", kcfg.SubtractConfig("k", "v").String())
	assert.Equal(t, "delete k", kcfg.DeleteConfig("k").String())
}

func TestASensitiveEntryPrintsWithoutItsValue(t *testing.T) {
	value := secretValue
	e := kcfg.ConfigEntry{Key: "ssl.key.password", Value: &value, Sensitive: true, Type: kcfg.TypePassword, Source: kcfg.SourceStatic, ReadOnly: true}
	text := printed(t, kcfg.ResourceConfigs{Resource: kcfg.BrokerResource(1), Entries: []kcfg.ConfigEntry{e}})
	assert.Contains(t, text, "ssl.key.password=[redacted]")
	assert.NotContains(t, text, secretValue)
	assert.Equal(t, "ssl.key.password=[redacted] (PASSWORD, STATIC_BROKER_CONFIG, read-only, sensitive)", e.String())
	value = "v"
	assert.Equal(t, `k="v" (STRING, DEFAULT_CONFIG, default)`, kcfg.ConfigEntry{Key: "k", Value: &value, Type: kcfg.TypeString, Source: kcfg.SourceDefault, Default: true}.String())
	assert.Equal(t, "k=null (INT, unknown(0))", kcfg.ConfigEntry{Key: "k", Type: kcfg.TypeInt}.String())
}

func TestTheErrorOfResultsIsAllOfThem(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	a, b := kcfg.TopicResource("a"), kcfg.TopicResource("b")
	altered := kcfg.AlterResults{{Resource: a, Err: one}, {Resource: b}, {Resource: b, Err: two}}
	require.ErrorIs(t, altered.Err(), one)
	require.ErrorIs(t, altered.Err(), two)
	require.EqualError(t, altered.Err(), "kcfg: alter topic \"a\": one\nkcfg: alter topic \"b\": two")
	require.NoError(t, altered[1:2].Err())
	described := kcfg.DescribeResults{{Resource: a}, {Resource: b, Err: two}}
	require.EqualError(t, described.Err(), `kcfg: describe topic "b": two`)
	require.NoError(t, described[:1].Err())

	got, ok := altered.On(b)
	assert.True(t, ok)
	require.NoError(t, got.Err)
	_, ok = altered.On(kcfg.GroupResource("b"))
	assert.False(t, ok)
	on, ok := described.On(b)
	assert.True(t, ok)
	require.Error(t, on.Err)
	_, ok = described.On(kcfg.ClusterResource())
	assert.False(t, ok)
	_, ok = on.Get("k")
	assert.False(t, ok)
}

func TestMetadataTellsWhatIsSetAndRemoved(t *testing.T) {
	m := kcfg.AlterConfigMetadata{Ops: []kcfg.ConfigOp{
		kcfg.SetConfig("a", "1"), kcfg.DeleteConfig("b"), kcfg.AppendConfig("c", "2"), kcfg.DeleteConfig("d"),
	}}
	assert.Equal(t, map[string]string{"a": "1"}, m.Configs())
	assert.Equal(t, []string{"b", "d"}, m.Removed())
}
