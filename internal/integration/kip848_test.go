package integration_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

const newHeartbeat = "CONSUMER_GROUP_HEARTBEAT"

// newProtocolMember is a member of a group by KIP-848.
func newProtocolMember() []kgo.Opt { return []kgo.Opt{kgo.ServerSideBalancer()} }

// asked returns the different requests of a name that a client id sent, without
// what tells one member from another, sorted.
func asked(t *testing.T, c *kafkatest.Cluster, clientID, name string) []string {
	t.Helper()
	var out []string
	for _, r := range requestsOf(t, c, clientID, name) {
		var body map[string]any
		require.NoError(t, json.Unmarshal(r.Body, &body))
		require.Contains(t, body, "memberId")
		delete(body, "groupId")
		delete(body, "memberId")
		text, err := json.Marshal(body)
		require.NoError(t, err)
		out = append(out, string(text))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestAMemberByKIP848OnKafkaIsLeftAloneAndStatusNamesTheLever(t *testing.T) {
	if beforeKafka4(t) {
		t.Skip("a Kafka before 4.0 has the new groups only where they are switched on")
	}
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	g, theirs := newGroup(t, c, 2), newGroup(t, c, 2)
	theirs.topic = g.topic
	s.set(t, g.entity(), kcfg.Set("session.timeout.ms", "60000"), kcfg.Set("heartbeat.interval.ms", "20000"))
	m := g.join(t, newProtocolMember(), append(s.where(), client.RejoinDelay(0), client.PollInterval(time.Hour))...)
	theirs.joinBare(t, newProtocolMember()...)
	beats := func(g *memberGroup) int { return len(requestsOf(t, c, g.id, newHeartbeat)) }
	require.NoError(t, m.ours.RefreshConfigs(withTimeout(t)))
	for _, one := range []*memberGroup{g, theirs} {
		eventually(t, func() bool { owned, _, _ := one.members[0].counts(); return owned == 2 }, "it has its partitions")
	}
	// Shorter than kgo's own and the broker's now.
	s.set(t, g.entity(), kcfg.Set("session.timeout.ms", "20000"), kcfg.Set("heartbeat.interval.ms", "100"))
	require.NoError(t, m.ours.RefreshConfigs(withTimeout(t)))
	before := beats(g)
	logged(t, func() bool { return beats(g) >= before+2 && beats(theirs) >= 3 }, "the members are alive")

	assert.Equal(t, asked(t, c, theirs.id, newHeartbeat), asked(t, c, g.id, newHeartbeat))
	for _, classic := range []string{"JOIN_GROUP", "SYNC_GROUP", "HEARTBEAT"} {
		assert.Empty(t, requestsOf(t, c, g.id, classic), classic)
	}
	assert.Zero(t, m.ours.Status().Dynamic.Rejoins)
	for _, key := range []string{"session.timeout.ms", "heartbeat.interval.ms"} {
		k := state(t, m.ours, key)
		assert.Equal(t, kcfg.OverrideNotApplicable, k.State)
		assert.Contains(t, k.Reason, "consumer."+key)
		_, ok := asType[*dynconfig.NotAppliedError](m.ours.WaitApplied(withTimeout(t), key))
		assert.True(t, ok)
	}
	pullTheLever(t, g)
	m.undisturbed(t)
}

// pullTheLever sets the configs that Status names, and requires that the member
// is told.
func pullTheLever(t *testing.T, g *memberGroup) {
	t.Helper()
	told := func() (last int32) {
		for _, r := range requestsOf(t, g.c, g.id, newHeartbeat) {
			var answered struct {
				Interval int32 `json:"heartbeatIntervalMs"`
			}
			require.NoError(t, json.Unmarshal(r.Response, &answered))
			last = answered.Interval
		}
		return last
	}
	require.Equal(t, int32(5000), told(), "the broker's default")
	want := map[string]string{"consumer.session.timeout.ms": "50000", "consumer.heartbeat.interval.ms": "6000"}
	alterGroup(t, g, want)
	logged(t, func() bool { return told() == 6000 }, "the member is told to send its heartbeats at another pace")
	for key, value := range want {
		assert.Equal(t, value, groupConfig(t, g, key), key)
	}
}

func alterGroup(t *testing.T, g *memberGroup, configs map[string]string) {
	t.Helper()
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeGroupConfig, g.id
	for key, value := range configs {
		config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		config.Name, config.Value = key, &value
		resource.Configs = append(resource.Configs, config)
	}
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = append(req.Resources, resource)
	resp, err := req.RequestWith(withTimeout(t), bare(t, g.c.Addrs()))
	require.NoError(t, err)
	require.Len(t, resp.Resources, 1)
	require.Zero(t, resp.Resources[0].ErrorCode, "%v", resp.Resources[0].ErrorMessage)
}

// groupConfig returns a config of the group, as some broker has it.
func groupConfig(t *testing.T, g *memberGroup, key string) string {
	t.Helper()
	resource := kmsg.NewDescribeConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeGroupConfig, g.id
	resource.ConfigNames = []string{key}
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.Resources = append(req.Resources, resource)
	resp, err := req.RequestWith(withTimeout(t), bare(t, g.c.Addrs()))
	require.NoError(t, err)
	require.Len(t, resp.Resources, 1)
	require.Zero(t, resp.Resources[0].ErrorCode)
	require.Len(t, resp.Resources[0].Configs, 1)
	require.NotNil(t, resp.Resources[0].Configs[0].Value)
	return *resp.Resources[0].Configs[0].Value
}
