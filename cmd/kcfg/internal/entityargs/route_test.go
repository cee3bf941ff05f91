package entityargs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

func route(t *testing.T, entity, changes string) (Plan, error) {
	t.Helper()
	whom, err := target(t, strings.Fields(entity)...)
	require.NoError(t, err)
	what, err := ops(t, "", strings.Fields(changes)...)
	require.NoError(t, err)
	return whom.Route(what)
}

func TestQuotasAndClientConfigsGoToTheirOwnAPIs(t *testing.T) {
	p, err := route(t, "--user alice --client orders", "--add-config acks=0,heartbeat.interval.ms=2000,producer_byte_rate=60000 --delete-config session.timeout.ms,request_percentage")
	require.NoError(t, err)
	assert.Equal(t, []Quota{{Key: "producer_byte_rate", Value: 60000}, {Key: "request_percentage", Remove: true}}, p.Quotas)
	assert.Equal(t, []kcfg.Op{kcfg.Set("acks", "0"), kcfg.Set("heartbeat.interval.ms", "2000"), kcfg.Remove("session.timeout.ms")}, p.Dynamic)
	assert.Equal(t, kcfg.User("alice").Client("orders"), p.Entity)
	assert.Empty(t, p.Configs)
	assert.True(t, p.Resource.IsZero())

	for _, entity := range []string{"--client orders", "--user-defaults", "--user alice --client-defaults", "--client-defaults"} {
		p, err := route(t, entity, "set consumer_byte_rate=1e6 controller_mutation_rate=0.5")
		require.NoError(t, err, entity)
		assert.Len(t, p.Quotas, 2)
		assert.InDelta(t, 1e6, p.Quotas[0].Value, 0)
		assert.Equal(t, "1000000", p.Quotas[0].Text())
		assert.Equal(t, "0.5", p.Quotas[1].Text())
	}
	p, err = route(t, "--ip-defaults", "set connection_creation_rate=5")
	require.NoError(t, err)
	assert.Len(t, p.Quotas, 1)

	p, err = route(t, "--topic orders", "set producer_byte_rate=x append cleanup.policy=compact")
	require.NoError(t, err, "the broker says what a topic has")
	assert.Len(t, p.Configs, 2)
	assert.Equal(t, kcfg.TopicResource("orders"), p.Resource)
}

func TestWhatNoAPITakesIsAMistakeBeforeAnythingIsSent(t *testing.T) {
	for _, tt := range []struct{ entity, changes, want string }{
		{"--user alice", "set SCRAM-SHA-256=[iterations=8192,password=x]", "use kafka-configs.sh"},
		{"--user alice", "delete scram-sha-512", "use kafka-configs.sh"},
		{"--client orders", "set acks=1", "name the user too"},
		{"--user-defaults", "set acks=1", "no default entities"},
		{"--user alice --client-defaults", "delete acks", "no default entities"},
		{"--user-defaults --client orders", "set acks=1 producer_byte_rate=1", "no default entities"},
		{"--user alice", "append acks=1", "no lists"},
		{"--user alice", "append producer_byte_rate=1", "no lists"},
		{"--user alice", "set producer_byte_rate=fast", "is a number"},
		{"--user alice", "set producer_byte_rate=NaN", "is a number"},
		{"--user alice", "set producer_byte_rate=", "is a number"},
		{"--ip 10.0.0.1", "set producer_byte_rate=1", "quotas only"},
		{"--ip 10.0.0.1", "delete acks", "quotas only"},
		{"--client orders", "set connection_creation_rate=1", "name the user too"},
	} {
		p, err := route(t, tt.entity, tt.changes)
		require.ErrorContains(t, err, tt.want, "%s %s", tt.entity, tt.changes)
		assert.Equal(t, Plan{}, p)
	}
}
