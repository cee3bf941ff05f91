package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// watchPolicy refuses what sets a key to a value, and keeps what it was asked.
type watchPolicy struct {
	key, value string

	mu    sync.Mutex
	asked []kcfg.AlterConfigMetadata
}

func (p *watchPolicy) Validate(_ context.Context, m kcfg.AlterConfigMetadata) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, m)
	if v, ok := m.Configs()[p.key]; ok && v == p.value {
		return fmt.Errorf("%s of %s is against the rules of %s", p.key, v, m.Resource)
	}
	return nil
}

// resources are those that the policy was asked about, sorted by their text.
func (p *watchPolicy) resources() (out []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.asked {
		out = append(out, m.Resource.String())
	}
	slices.Sort(out)
	return out
}

// violation requires the error of a policy, without the value.
func violation(t *testing.T, err error, key, value string) {
	t.Helper()
	require.True(t, isA[*cfgerrors.PolicyViolationError](err), "%v", err)
	require.ErrorIs(t, err, kerr.PolicyViolation)
	assert.Contains(t, err.Error(), key+" of [redacted] is against the rules")
	assert.NotContains(t, err.Error(), value)
}

func TestThePolicyOfAnAdminRefusesBeforeAnythingIsSent(t *testing.T) {
	for _, kind := range []client.TransportKind{client.TransportRPC, client.TransportTopics} {
		t.Run(kind.String(), func(t *testing.T) {
			c := dynamicCluster(t)
			cl := newClient(t, seeds(c, kgo.ClientID("ops")), client.DisableConfigsPush(), client.DisableDynamicConfigs())
			policy := &watchPolicy{key: "acks", value: "secret-acks"}
			a := adminOf(t, cl.Client, client.AlterPolicy(policy), client.Transport(kind))
			got, err := a.AlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "secret-acks")))
			require.NoError(t, err)
			violation(t, got[0].Err, "acks", "secret-acks")
			got, err = a.ValidateAlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "secret-acks"), kcfg.Remove("session.timeout.ms")))
			require.NoError(t, err)
			violation(t, got[0].Err, "acks", "secret-acks")
			out, err := a.AlterConfigs(withTimeout(t), kcfg.AlterConfig(kcfg.ClientResource(alice), kcfg.SetConfig("acks", "secret-acks")))
			require.NoError(t, err)
			violation(t, out[0].Err, "acks", "secret-acks")
			assert.Zero(t, c.Connections(fakebroker.AnyNode))

			require.Len(t, policy.asked, 3, "once each")
			m := policy.asked[1]
			assert.Equal(t, kcfg.ClientResource(alice), m.Resource)
			assert.Equal(t, []string{"session.timeout.ms"}, m.Removed())
			assert.Equal(t, "ops", m.Context.ClientID)
			assert.True(t, m.ValidateOnly)
			assert.False(t, policy.asked[0].ValidateOnly)
			assert.NotContains(t, fmt.Sprintf("%v %+v %#v", m, m, m), "secret-acks")
		})
	}
}

func TestWhatThePolicyOfAnAdminAllowsIsSent(t *testing.T) {
	c := dynamicCluster(t)
	cl := newClient(t, seeds(c), client.DisableConfigsPush(), client.DisableDynamicConfigs())
	policy := &watchPolicy{key: segmentMillis, value: "7200000"}
	a := adminOf(t, cl.Client, client.AlterPolicy(policy))
	all := []kcfg.ConfigAlteration{
		kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, "7200000")),
		kcfg.AlterConfig(kcfg.GroupResource("g"), kcfg.SetConfig("consumer.session.timeout.ms", "50000")),
		kcfg.AlterConfig(kcfg.ClientResource(orders), kcfg.SetConfig("acks", "1")),
	}
	for _, call := range []alterCall{a.ValidateAlterConfigs, a.AlterConfigs} {
		got, err := call(withTimeout(t), all...)
		require.NoError(t, err)
		violation(t, got[0].Err, segmentMillis, "7200000")
		require.NoError(t, got[1].Err)
		require.NoError(t, got[2].Err)
	}
	assert.Len(t, policy.asked, 6, "one for each resource and call")
	assert.NotEqual(t, "7200000", valueOf(t, a, ordersTopic, segmentMillis))
	assert.Equal(t, "50000", valueOf(t, a, kcfg.GroupResource("g"), "consumer.session.timeout.ms"))
	assert.Equal(t, "1", valueOf(t, a, kcfg.ClientResource(orders), "acks"))

	got, err := a.ReplaceAllConfigs(withTimeout(t), all[0])
	require.NoError(t, err)
	violation(t, got[0].Err, segmentMillis, "7200000")
	assert.True(t, policy.asked[len(policy.asked)-1].ReplaceAll)
	assert.Zero(t, c.Count(fakebroker.AnyNode, alterConfigsKey))

	// And one of several entities.
	policy.key, policy.value = "acks", "0"
	outcomes, err := a.AlterClientConfigs(withTimeout(t),
		kcfg.Alter(alice, kcfg.Set("acks", "0")), kcfg.Alter(orders, kcfg.Set("acks", "all")))
	require.NoError(t, err)
	assert.Equal(t, alice, outcomes[0].Entity)
	require.True(t, isA[*cfgerrors.PolicyViolationError](outcomes[0].Err), "%v", outcomes[0].Err)
	assert.Equal(t, orders, outcomes[1].Entity)
	require.NoError(t, outcomes[1].Err)
}

func TestThePolicyOfTheBrokersIsAskedAboutEveryResource(t *testing.T) {
	policy := &watchPolicy{key: "log.retention.ms", value: "7200000"}
	c := dynamicCluster(t, fakebroker.AlterPolicy(policy), fakebroker.Brokers(2))
	a := newAdmin(t, c)
	all := []kcfg.ConfigAlteration{
		kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, "3600000"), kcfg.DeleteConfig("retention.ms")),
		kcfg.AlterConfig(kcfg.BrokerResource(1), kcfg.SetConfig("log.retention.ms", "7200000")),
		kcfg.AlterConfig(kcfg.ClientResource(alice), kcfg.SetConfig("acks", "1")),
		kcfg.AlterConfig(kcfg.TopicResource(absent), kcfg.SetConfig(segmentMillis, "1")),
	}
	var texts []string
	for _, call := range []alterCall{a.ValidateAlterConfigs, a.AlterConfigs} {
		got, err := call(withTimeout(t), all...)
		require.NoError(t, err)
		require.NoError(t, got[0].Err)
		violation(t, got[1].Err, "log.retention.ms", "7200000")
		require.NoError(t, got[2].Err)
		require.ErrorIs(t, got[3].Err, kerr.UnknownTopicOrPartition)
		texts = append(texts, got.Err().Error())
	}
	assert.Equal(t, texts[0], texts[1], "validation says what will be")
	want := []string{`broker 1`, `clients of <user "alice">`, `topic "no-such-topic"`, `topic "orders"`}
	assert.Equal(t, slices.Sorted(slices.Values(append(want, want...))), policy.resources())
	assert.Equal(t, "3600000", valueOf(t, a, ordersTopic, segmentMillis))
	assert.NotEqual(t, "7200000", valueOf(t, a, kcfg.BrokerResource(1), "log.retention.ms"))

	// The replacing form too.
	got, err := a.ReplaceAllConfigs(withTimeout(t), kcfg.AlterConfig(kcfg.BrokerResource(1), kcfg.SetConfig("log.retention.ms", "7200000")), all[0])
	require.NoError(t, err)
	violation(t, got[0].Err, "log.retention.ms", "7200000")
	require.True(t, isA[*cfgerrors.InvalidConfigError](got[1].Err), "it deletes: %v", got[1].Err)
	assert.True(t, policy.asked[len(policy.asked)-1].ReplaceAll)
}

func TestAPolicyOfTheBrokersIsConfiguredAndClosedWhateverItJudges(t *testing.T) {
	policy := &lifecyclePolicy{}
	c := dynamicCluster(t, fakebroker.AlterPolicy(policy), fakebroker.PolicyConfigs(map[string]string{"forbidden": "60000"}))
	a := newAdmin(t, c, kgo.ClientID("operator"))
	group := kcfg.AlterConfig(kcfg.GroupResource("g"), kcfg.SetConfig("session.timeout.ms", "60000"))
	got, err := a.AlterConfigs(withTimeout(t), group,
		kcfg.AlterConfig(ordersTopic, kcfg.SetConfig("heartbeat.interval.ms", "1"))) // of which it panics
	require.NoError(t, err)
	require.True(t, isA[*cfgerrors.PolicyViolationError](got[0].Err), "%v", got[0].Err)
	require.ErrorIs(t, got[1].Err, kerr.UnknownServerError)
	assert.NotContains(t, got[1].Err.Error(), "hunter2")
	assert.Equal(t, "operator", policy.calls[0].Context.ClientID)
	assert.Equal(t, "ANONYMOUS", policy.calls[0].Context.Principal)
	require.NoError(t, c.Reconfigure(nil))
	got, err = a.ValidateAlterConfigs(withTimeout(t), group)
	require.NoError(t, err)
	require.True(t, isA[*cfgerrors.InvalidConfigError](got[0].Err), "no key of a group, says kfake now: %v", got[0].Err)
	c.Close()
	assert.Equal(t, 1, policy.closed)
}

func TestAnAdminWithoutAPolicyAllowsEverything(t *testing.T) {
	cl := newClient(t, seeds(dynamicCluster(t)), client.DisableConfigsPush(), client.DisableDynamicConfigs())
	changed(t, adminOf(t, cl.Client, client.AlterPolicy(nil)), kcfg.AlterConfig(kcfg.ClientResource(alice), kcfg.SetConfig("acks", "1")))
	refuse := kcfg.AlterConfigPolicyFunc(func(context.Context, kcfg.AlterConfigMetadata) error { return errors.New("no") })
	got, err := adminOf(t, cl.Client, client.AlterPolicy(refuse)).AlterConfigs(withTimeout(t), kcfg.AlterConfig(ordersTopic))
	require.NoError(t, err)
	require.EqualError(t, got[0].Err, `kcfg: the policy of this client refused the request, and it was not sent (POLICY_VIOLATION): "no"`)
}
