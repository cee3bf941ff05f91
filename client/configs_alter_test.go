package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// alterCall is one of the calls that alter or validate.
type alterCall func(context.Context, ...kcfg.ConfigAlteration) (kcfg.AlterResults, error)

// changed makes alterations that must succeed.
func changed(t *testing.T, a *client.Admin, alterations ...kcfg.ConfigAlteration) {
	t.Helper()
	got, err := a.AlterConfigs(withTimeout(t), alterations...)
	require.NoError(t, err)
	require.NoError(t, got.Err())
	require.Len(t, got, len(alterations))
}

func TestWhatIsAlteredIsDescribedOfEveryKindOfResource(t *testing.T) {
	a := newAdmin(t, dynamicCluster(t, fakebroker.Brokers(3)))
	group, metrics, clients := kcfg.GroupResource("g"), kcfg.ClientMetricsResource("m"), kcfg.ClientResource(orders)
	broker := kcfg.BrokerResource(2)
	changed(t, a,
		kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, "3600000"), kcfg.SetConfig("cleanup.policy", "delete")),
		kcfg.AlterConfig(broker, kcfg.SetConfig("log.retention.ms", "7200000")),
		kcfg.AlterConfig(clients, kcfg.SetConfig("acks", "1")),
		kcfg.AlterConfig(group, kcfg.SetConfig("consumer.session.timeout.ms", "50000")),
		kcfg.AlterConfig(metrics, kcfg.SetConfig("interval.ms", "60000")))
	assert.Equal(t, "3600000", valueOf(t, a, ordersTopic, segmentMillis))
	assert.Equal(t, "7200000", valueOf(t, a, broker, "log.retention.ms"))
	assert.Equal(t, "1", valueOf(t, a, clients, "acks"))
	assert.Equal(t, "50000", valueOf(t, a, group, "consumer.session.timeout.ms"))
	assert.Equal(t, "60000", valueOf(t, a, metrics, "interval.ms"))

	changed(t, a, kcfg.AlterConfig(ordersTopic, kcfg.AppendConfig("cleanup.policy", "compact"), kcfg.DeleteConfig(segmentMillis)),
		kcfg.AlterConfig(clients, kcfg.DeleteConfig("acks")))
	assert.Equal(t, "delete,compact", valueOf(t, a, ordersTopic, "cleanup.policy"))
	assert.NotEqual(t, "3600000", valueOf(t, a, ordersTopic, segmentMillis))
	assert.Equal(t, "none", valueOf(t, a, clients, "acks"))
	changed(t, a, kcfg.AlterConfig(ordersTopic, kcfg.SubtractConfig("cleanup.policy", "delete")))
	assert.Equal(t, "compact", valueOf(t, a, ordersTopic, "cleanup.policy"))
}

func TestValidationOfEveryKindOfResourceLeavesNoTrace(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	rs := []kcfg.Resource{ordersTopic, kcfg.BrokerResource(0), kcfg.GroupResource("g"), kcfg.ClientResource(alice)}
	before := fmt.Sprint(configsOf(t, a, rs...))
	got, err := a.ValidateAlterConfigs(withTimeout(t),
		kcfg.AlterConfig(rs[0], kcfg.SetConfig(segmentMillis, "3600000")),
		kcfg.AlterConfig(rs[1], kcfg.SetConfig("log.retention.ms", "7200000")),
		kcfg.AlterConfig(rs[2], kcfg.SetConfig("consumer.session.timeout.ms", "50000")),
		kcfg.AlterConfig(rs[3], kcfg.SetConfig("acks", "1")))
	require.NoError(t, err)
	require.NoError(t, got.Err())
	got, err = a.ValidateReplaceAllConfigs(withTimeout(t), kcfg.AlterConfig(rs[0], kcfg.SetConfig(segmentMillis, "3600000")))
	require.NoError(t, err)
	require.NoError(t, got.Err())
	assert.Equal(t, 1, c.Count(fakebroker.AnyNode, alterConfigsKey), "it was asked")
	assert.Equal(t, 2, c.Count(fakebroker.AnyNode, incrementalAlterKey), "once for the broker, once for the rest")
	assert.Equal(t, before, fmt.Sprint(configsOf(t, a, rs...)))
	assert.Zero(t, c.ClientConfigWrites())
}

func TestOneRefusedResourceDoesNotStopTheRest(t *testing.T) {
	a := newAdmin(t, dynamicCluster(t))
	got, err := a.AlterConfigs(withTimeout(t),
		kcfg.AlterConfig(kcfg.TopicResource(absent), kcfg.SetConfig(segmentMillis, "3600000")),
		kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, "3600000")),
		kcfg.AlterConfig(kcfg.GroupResource("g"), kcfg.SetConfig("no.such.key", secret)),
		kcfg.AlterConfig(kcfg.ClientResource(alice), kcfg.SetConfig("acks", "seven")),
		kcfg.AlterConfig(kcfg.ClientResource(orders), kcfg.SetConfig("acks", "1")),
		kcfg.AlterConfig(kcfg.Resource{}, kcfg.SetConfig("acks", "1")))
	require.NoError(t, err, "the call as a whole went well")
	require.ErrorIs(t, got[0].Err, kerr.UnknownTopicOrPartition)
	require.NoError(t, got[1].Err)
	assert.True(t, isA[*cfgerrors.InvalidConfigError](got[2].Err), "%v", got[2].Err)
	assert.True(t, isA[*cfgerrors.InvalidConfigError](got[3].Err), "%v", got[3].Err)
	require.NoError(t, got[4].Err)
	require.Error(t, got[5].Err)
	joined := got.Err()
	for _, o := range got {
		if o.Err != nil {
			require.ErrorIs(t, joined, o.Err)
			assert.Contains(t, joined.Error(), o.Resource.String())
		}
	}
	assert.NotContains(t, joined.Error(), secret)
	assert.Equal(t, "3600000", valueOf(t, a, ordersTopic, segmentMillis))
	assert.Equal(t, "1", valueOf(t, a, kcfg.ClientResource(orders), "acks"))
}

func TestAResourceThatIsAlteredTwiceIsAlteredByNeither(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	twice := func(r kcfg.Resource, key, x, y string) []kcfg.ConfigAlteration {
		return []kcfg.ConfigAlteration{kcfg.AlterConfig(r, kcfg.SetConfig(key, x)), kcfg.AlterConfig(r, kcfg.SetConfig(key, y))}
	}
	all := append(twice(ordersTopic, segmentMillis, "3600000", "7200000"), twice(kcfg.ClientResource(alice), "acks", "1", "0")...)
	got, err := a.AlterConfigs(withTimeout(t), all...)
	require.NoError(t, err)
	for _, o := range got {
		require.ErrorIs(t, o.Err, cfgerrors.ErrDuplicateResource)
		require.ErrorIs(t, o.Err, kerr.InvalidRequest)
		assert.False(t, cfgerrors.Retriable(o.Err))
	}
	assert.Zero(t, c.Count(fakebroker.AnyNode, incrementalAlterKey)+c.Count(fakebroker.AnyNode, alterKey))
	got, err = a.AlterConfigs(withTimeout(t), append(all, kcfg.AlterConfig(kcfg.GroupResource("g"), kcfg.SetConfig("consumer.session.timeout.ms", "50000")))...)
	require.NoError(t, err)
	require.NoError(t, got[4].Err, "the rest is sent")
	assert.Equal(t, 1, c.Count(fakebroker.AnyNode, incrementalAlterKey))
	assert.NotEqual(t, "7200000", valueOf(t, a, ordersTopic, segmentMillis))
}

func TestAReadOnlyConfigIsAnErrorOfItsResourceThatNamesTheKeys(t *testing.T) {
	a := newAdmin(t, dynamicCluster(t, fakebroker.Brokers(2)))
	for name, call := range map[string]alterCall{
		"alter": a.AlterConfigs, "validate": a.ValidateAlterConfigs,
		"replace": a.ReplaceAllConfigs, "validate replace": a.ValidateReplaceAllConfigs,
	} {
		for _, r := range []kcfg.Resource{kcfg.BrokerResource(1), kcfg.ClusterResource()} {
			got, err := call(withTimeout(t),
				kcfg.AlterConfig(r, kcfg.SetConfig("broker.rack", secret), kcfg.SetConfig("log.retention.ms", "7200000")),
				kcfg.AlterConfig(kcfg.TopicResource(absent), kcfg.SetConfig(segmentMillis, "1")))
			require.NoError(t, err, name)
			e, ok := errors.AsType[*cfgerrors.ReadOnlyConfigError](got[0].Err)
			require.True(t, ok, "%s of %s: %v", name, r, got[0].Err)
			assert.Equal(t, []string{"broker.rack"}, e.Keys)
			assert.Equal(t, r.String(), e.Resource)
			require.ErrorIs(t, e, kerr.InvalidRequest, "what the broker answered")
			assert.False(t, cfgerrors.Retriable(e))
			assert.NotContains(t, e.Error(), secret)
			assert.False(t, isA[*cfgerrors.ReadOnlyConfigError](got[1].Err), "it is about its resource alone")
		}
	}
	assert.NotEqual(t, "7200000", valueOf(t, a, kcfg.BrokerResource(1), "log.retention.ms"), "nothing of it was made")
}

func TestARefusalOfWhatIsNotReadOnlyStaysWhatItIs(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	bad := kcfg.AlterConfig(kcfg.BrokerResource(0), kcfg.SetConfig("log.retention.ms", "soon"))
	got, err := a.AlterConfigs(withTimeout(t), bad)
	require.NoError(t, err)
	require.ErrorIs(t, got[0].Err, kerr.InvalidRequest)
	assert.False(t, isA[*cfgerrors.ReadOnlyConfigError](got[0].Err), "%v", got[0].Err)
	assert.Equal(t, 1, c.Count(fakebroker.AnyNode, describeConfigsKey), "it looked")

	// Where it may not look, it does not guess.
	c.Kfake().ControlKey(describeConfigsKey, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		return kreq.ResponseKind(), nil, true
	})
	got, err = a.AlterConfigs(withTimeout(t), kcfg.AlterConfig(kcfg.BrokerResource(0), kcfg.SetConfig("broker.rack", "r")))
	require.NoError(t, err)
	require.ErrorIs(t, got[0].Err, kerr.InvalidRequest)
	assert.False(t, isA[*cfgerrors.ReadOnlyConfigError](got[0].Err), "%v", got[0].Err)
}

func TestClientConfigsAreSetAndDeletedAndNothingElse(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	r := kcfg.ClientResource(alice)
	for name, call := range map[string]func() (kcfg.AlterResults, error){
		"append": func() (kcfg.AlterResults, error) {
			return a.AlterConfigs(withTimeout(t), kcfg.AlterConfig(r, kcfg.AppendConfig("acks", secret)))
		},
		"subtract": func() (kcfg.AlterResults, error) {
			return a.ValidateAlterConfigs(withTimeout(t), kcfg.AlterConfig(r, kcfg.SubtractConfig("acks", secret)))
		},
		"replace": func() (kcfg.AlterResults, error) {
			return a.ReplaceAllConfigs(withTimeout(t), kcfg.AlterConfig(r, kcfg.SetConfig("acks", "1")))
		},
		"replace by deleting": func() (kcfg.AlterResults, error) {
			return a.ReplaceAllConfigs(withTimeout(t), kcfg.AlterConfig(ordersTopic, kcfg.DeleteConfig(segmentMillis)))
		},
		"no operation": func() (kcfg.AlterResults, error) {
			return a.AlterConfigs(withTimeout(t), kcfg.AlterConfig(ordersTopic, kcfg.ConfigOp{Kind: 9, Key: segmentMillis}))
		},
	} {
		got, err := call()
		require.NoError(t, err, name)
		require.True(t, isA[*cfgerrors.InvalidConfigError](got[0].Err), "%s: %v", name, got[0].Err)
		require.ErrorIs(t, got[0].Err, kerr.InvalidConfig)
		assert.NotContains(t, got[0].Err.Error(), "broker", "it was refused here")
		assert.NotContains(t, got[0].Err.Error(), secret)
	}
	assert.Zero(t, c.Connections(fakebroker.AnyNode))
}

func TestReplacingRemovesWhatIsNotNamed(t *testing.T) {
	a := newAdmin(t, dynamicCluster(t))
	changed(t, a, kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, "3600000"), kcfg.SetConfig("retention.ms", "7200000")))
	got, err := a.ReplaceAllConfigs(withTimeout(t), kcfg.AlterConfig(ordersTopic, kcfg.SetConfig("retention.ms", "9000000")))
	require.NoError(t, err)
	require.NoError(t, got.Err())
	assert.Equal(t, "9000000", valueOf(t, a, ordersTopic, "retention.ms"))
	assert.NotEqual(t, "3600000", valueOf(t, a, ordersTopic, segmentMillis))
}

func TestNothingToDescribeOrAlterSendsNothing(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	got, err := a.DescribeConfigs(withTimeout(t))
	require.NoError(t, err)
	assert.Empty(t, got)
	out, err := a.AlterConfigs(withTimeout(t))
	require.NoError(t, err)
	assert.Empty(t, out)
	assert.Zero(t, c.Connections(fakebroker.AnyNode))
}
