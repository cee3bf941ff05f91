package client_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestABrokerThatDoesNotAnswerDoesNotStopClientResources(t *testing.T) {
	c := dynamicCluster(t, fakebroker.Brokers(2))
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	hangs := func(kreq kmsg.Request) bool {
		switch r := kreq.(type) {
		case *kmsg.DescribeConfigsRequest:
			return r.Resources[0].ResourceName == "1"
		case *kmsg.IncrementalAlterConfigsRequest:
			return r.Resources[0].ResourceName == "1"
		}
		return false
	}
	for _, key := range []int16{describeConfigsKey, incrementalAlterKey} {
		c.Kfake().ControlKey(key, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
			c.Kfake().KeepControl()
			if hangs(kreq) {
				c.Kfake().SleepControl(func() { <-done })
			}
			return nil, nil, false
		})
	}
	cl := newClient(t, seeds(c), client.DisableConfigsPush(), client.DisableDynamicConfigs())
	a := adminOf(t, cl.Client, client.AdminTimeout(2*time.Second))
	got, err := a.DescribeConfigs(withTimeout(t), kcfg.BrokerResource(1), kcfg.ClientResource(alice))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, got[0].Err, context.DeadlineExceeded)
	require.NoError(t, got[1].Err)
	out, err := a.AlterConfigs(withTimeout(t),
		kcfg.AlterConfig(kcfg.BrokerResource(1), kcfg.SetConfig("log.retention.ms", "7200000")),
		kcfg.AlterConfig(kcfg.ClientResource(alice), kcfg.SetConfig("acks", "1")))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, out[0].Err, context.DeadlineExceeded)
	require.NoError(t, out[1].Err)
}

func TestNamesOfResourcesAreChecked(t *testing.T) {
	c := dynamicCluster(t, fakebroker.Kafka50())
	strict, _, _ := limitAdmin(t, c, client.EnforceIdentifierLimits())
	long, longest := kcfg.GroupResource(han(250)), kcfg.GroupResource(han(249))
	set := kcfg.SetConfig("consumer.session.timeout.ms", "50000")
	got, err := strict.DescribeConfigs(withTimeout(t), long, longest)
	require.NoError(t, err)
	assert.Equal(t, 250, tooLarge(t, got[0].Err).Length)
	assert.NotContains(t, got[0].Err.Error(), han(2))
	require.NoError(t, got[1].Err, "the others are sent")
	out, err := strict.AlterConfigs(withTimeout(t), kcfg.AlterConfig(long, set), kcfg.AlterConfig(longest, set))
	require.NoError(t, err)
	assert.Equal(t, 249, tooLarge(t, out[0].Err).Limit)
	require.NoError(t, out[1].Err)

	a, _, log := limitAdmin(t, c)
	for range 2 {
		got, err = a.DescribeConfigs(withTimeout(t), long)
		require.NoError(t, err)
		require.ErrorIs(t, got[0].Err, kerr.InvalidRequest, "the broker judges it")
		assert.Equal(t, 250, tooLarge(t, got[0].Err).Length)
		out, err = a.AlterConfigs(withTimeout(t), kcfg.AlterConfig(long, set))
		require.NoError(t, err)
		require.ErrorIs(t, out[0].Err, kerr.InvalidRequest)
		assert.Equal(t, 250, tooLarge(t, out[0].Err).Length)
	}
	assert.Len(t, log.about("Kafka 5.0"), 1)

	wire, _, _ := limitAdmin(t, dynamicCluster(t))
	got, err = wire.DescribeConfigs(withTimeout(t), kcfg.TopicResource(strings.Repeat("x", 32_768)), ordersTopic)
	require.NoError(t, err)
	assert.Equal(t, 32_767, tooLarge(t, got[0].Err).Limit)
	require.NoError(t, got[1].Err)
}

func TestAPasswordIsSensitiveEvenIfABrokerDoesNotSaySo(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	config := kmsg.NewDescribeConfigsResponseResourceConfig()
	config.Name, config.Value, config.ConfigType = "ssl.keystore.password", new(secret), kmsg.ConfigTypePassword
	answerDescribe(c, config)
	got := configsOf(t, a, kcfg.BrokerResource(0))
	assert.True(t, got[0].Entries[0].Sensitive)
	assert.NotContains(t, fmt.Sprintf("%+v", got), secret)
}

func TestAPolicyJudgesACopyOfWhatIsSent(t *testing.T) {
	cl := newClient(t, seeds(dynamicCluster(t), kgo.ClientID("ops")), client.DisableConfigsPush(), client.DisableDynamicConfigs())
	a := adminOf(t, cl.Client, client.AlterPolicy(kcfg.AlterConfigPolicyFunc(func(_ context.Context, m kcfg.AlterConfigMetadata) error {
		value := m.Ops[0].Value
		m.Ops[0].Value = "7200000"
		if value == secret {
			return fmt.Errorf("not %s", value)
		}
		return nil
	})))
	ops := []kcfg.ConfigOp{kcfg.SetConfig(segmentMillis, "3600000")}
	changed(t, a, kcfg.AlterConfig(ordersTopic, ops...))
	assert.Equal(t, "3600000", ops[0].Value)
	assert.Equal(t, "3600000", valueOf(t, a, ordersTopic, segmentMillis))
	out, err := a.AlterConfigs(withTimeout(t), kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, secret)))
	require.NoError(t, err)
	require.ErrorIs(t, out[0].Err, kerr.PolicyViolation)
	assert.NotContains(t, out[0].Err.Error(), secret)
}

func TestOneBrokerInTwoSpellingsIsADuplicate(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	for _, name := range []string{"00", "+0", "0"} {
		out, err := a.AlterConfigs(withTimeout(t),
			kcfg.AlterConfig(kcfg.BrokerResource(0), kcfg.SetConfig("log.retention.ms", "7200000")),
			kcfg.AlterConfig(kcfg.ResourceOf(kcfg.ResourceBroker, name), kcfg.SetConfig("log.retention.ms", "3600000")))
		require.NoError(t, err)
		require.ErrorIs(t, out[0].Err, cfgerrors.ErrDuplicateResource)
		require.ErrorIs(t, out[1].Err, cfgerrors.ErrDuplicateResource)
	}
	assert.Zero(t, c.Count(fakebroker.AnyNode, incrementalAlterKey))
}

func TestAKeyThatComesTwiceIsRefusedByTheBroker(t *testing.T) {
	a := newAdmin(t, dynamicCluster(t))
	for _, call := range []alterCall{a.AlterConfigs, a.ReplaceAllConfigs} {
		out, err := call(withTimeout(t), kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, "3600000"), kcfg.SetConfig(segmentMillis, "7200000")))
		require.NoError(t, err)
		require.ErrorIs(t, out[0].Err, kerr.InvalidRequest)
	}
}

func TestAPolicyThatGivesUpAtTheEndOfTheContextRefusesNothing(t *testing.T) {
	cl := newClient(t, seeds(dynamicCluster(t)), client.DisableConfigsPush(), client.DisableDynamicConfigs())
	a := adminOf(t, cl.Client, client.AdminTimeout(50*time.Millisecond), client.AlterPolicy(kcfg.AlterConfigPolicyFunc(func(ctx context.Context, _ kcfg.AlterConfigMetadata) error {
		<-ctx.Done()
		return fmt.Errorf("asking for the rules: %w", ctx.Err())
	})))
	out, err := a.AlterConfigs(withTimeout(t), kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, "3600000")))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, out[0].Err, context.DeadlineExceeded)
	require.NotErrorIs(t, out[0].Err, kerr.PolicyViolation)
}

func TestNoResourceNeedsNoRight(t *testing.T) {
	assert.Empty(t, client.RequiredACLs(client.ACLPlan{Operators: []string{"User:ops"}, Transport: client.TransportTopics,
		Resources: []kcfg.Resource{{}}})[3:], "those of the topics alone")
}
