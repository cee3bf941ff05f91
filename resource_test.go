package kcfg_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

func TestAResourceSaysWhatItIs(t *testing.T) {
	alice := kcfg.User("alice").Client("orders")
	for _, tt := range []struct {
		r          kcfg.Resource
		typ        kcfg.ResourceType
		name       string
		text, json string
	}{
		{kcfg.TopicResource("orders"), 2, "orders", `topic "orders"`, `{"type":"topic","name":"orders"}`},
		{kcfg.BrokerResource(3), 4, "3", "broker 3", `{"type":"broker","name":"3"}`},
		{kcfg.ClusterResource(), 4, "", "cluster", `{"type":"broker","name":""}`},
		{kcfg.ResourceOf(kcfg.ResourceBrokerLogger, "1"), 8, "1", "broker-logger 1", `{"type":"broker-logger","name":"1"}`},
		{kcfg.ClientMetricsResource("m"), 16, "m", `client-metrics "m"`, `{"type":"client-metrics","name":"m"}`},
		{kcfg.GroupResource("g\n"), 32, "g\n", `group "g\n"`, `{"type":"group","name":"g\n"}`},
		{kcfg.ResourceOf(64, "x"), 64, "x", `unknown(64) "x"`, `{"type":"unknown(64)","name":"x"}`},
		{kcfg.ResourceOf(kcfg.ResourceBroker, "b\x1b[0m"), 4, "b\x1b[0m", `broker "b\x1b[0m"`, `{"type":"broker","name":"b\u001b[0m"}`},
		{kcfg.ClientResource(alice), -1, "", `clients of <user "alice", client-id "orders">`, `{"type":"client","entity":[{"type":"user","name":"alice"},{"type":"client-id","name":"orders"}]}`},
		{kcfg.Resource{}, 0, "", "no resource", `{"type":"unknown(0)","name":""}`},
		{kcfg.ResourceOf(0, "x"), 0, "", "no resource", `{"type":"unknown(0)","name":""}`},
	} {
		assert.Equal(t, tt.typ, tt.r.Type())
		assert.Equal(t, tt.name, tt.r.Name())
		assert.Equal(t, tt.text, tt.r.String())
		b, err := json.Marshal(tt.r)
		require.NoError(t, err)
		assert.JSONEq(t, tt.json, string(b))
	}
	assert.Equal(t, alice, kcfg.ClientResource(alice).Entity())
	assert.Equal(t, kcfg.ResourceOf(2, "a"), kcfg.TopicResource("a"), "comparable")
	assert.NotEqual(t, kcfg.ClientResource(kcfg.User("")), kcfg.ClientResource(kcfg.DefaultUser()))
}

func TestNumbersThatAreNotKnownAreKeptAndPrinted(t *testing.T) {
	assert.Equal(t, "PASSWORD", kcfg.TypePassword.String())
	assert.Equal(t, "unknown(10)", kcfg.ConfigType(10).String())
	assert.Equal(t, "unknown(-3)", kcfg.ConfigType(-3).String())
	assert.Equal(t, "GROUP_CONFIG", kcfg.SourceGroup.String())
	assert.Equal(t, "DYNAMIC_CLIENT_CONFIG", kcfg.SourceClient.String())
	assert.Equal(t, "unknown(9)", kcfg.ConfigSource(9).String())
	assert.Equal(t, "unknown(0)", kcfg.SourceUnknown.String())
	assert.Equal(t, "unknown(7)", kcfg.ConfigOpKind(7).String())
	b, err := json.Marshal([]any{kcfg.TypeList, kcfg.SourceStatic, kcfg.OpAppend, kcfg.ConfigSource(99)})
	require.NoError(t, err)
	assert.JSONEq(t, `["LIST","STATIC_BROKER_CONFIG","append","unknown(99)"]`, string(b))
}
