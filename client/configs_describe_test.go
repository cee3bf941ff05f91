package client_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

const (
	describeConfigsKey    = 32
	alterConfigsKey       = 33
	incrementalAlterKey   = 44
	absent                = "no-such-topic"
	segmentMillis, secret = "segment.ms", "hunter2-and-more"
)

var ordersTopic = kcfg.TopicResource("orders")

// bareAdmin is the admin of a client without anything of ours.
func bareAdmin(t *testing.T, c *fakebroker.Cluster, opts ...kgo.Opt) *client.Admin {
	t.Helper()
	cl, err := kgo.NewClient(seeds(c, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return adminOf(t, cl)
}

// configsOf describes resources, of which none may fail.
func configsOf(t *testing.T, a *client.Admin, rs ...kcfg.Resource) kcfg.DescribeResults {
	t.Helper()
	got, err := a.DescribeConfigs(withTimeout(t), rs...)
	require.NoError(t, err)
	require.NoError(t, got.Err())
	require.Len(t, got, len(rs))
	return got
}

// valueOf is the value of a key of a resource, "none" where there is none.
func valueOf(t *testing.T, a *client.Admin, r kcfg.Resource, key string) string {
	t.Helper()
	e, ok := configsOf(t, a, r)[0].Get(key)
	if !ok || e.Value == nil {
		return "none"
	}
	return *e.Value
}

func TestEveryKindOfResourceIsDescribedInOneCall(t *testing.T) {
	c := dynamicCluster(t, fakebroker.Brokers(3))
	c.SetClientConfigs(orders, kcfg.Set("acks", "1"), kcfg.Set("session.timeout.ms", "30000"))
	c.SetClientConfigs(alice, kcfg.Set("acks", "0"))
	all := []kcfg.Resource{
		kcfg.BrokerResource(2), ordersTopic, kcfg.ClientResource(orders), kcfg.GroupResource("g"),
		kcfg.BrokerResource(0), kcfg.ClusterResource(), kcfg.ClientMetricsResource("m"), kcfg.BrokerResource(1),
	}
	got := configsOf(t, newAdmin(t, c), all...)
	for i, r := range all {
		assert.Equal(t, r, got[i].Resource, "in the order of the call")
		assert.NotEmpty(t, got[i].Entries, "%s", r)
		for j, e := range got[i].Entries {
			assert.True(t, j == 0 || got[i].Entries[j-1].Key < e.Key, "%s: sorted", r)
		}
	}
	for node := range int32(3) {
		on, ok := got.On(kcfg.BrokerResource(node))
		require.True(t, ok)
		id, ok := on.Get("broker.id")
		require.True(t, ok)
		assert.Equal(t, fmt.Sprint(node), *id.Value, "each broker was asked for its own")
		assert.Equal(t, kcfg.SourceStatic, id.Source)
		assert.True(t, id.ReadOnly)
	}
	of, _ := got.On(kcfg.ClientResource(orders))
	assert.Equal(t, []kcfg.ConfigEntry{
		{Key: "acks", Value: new("1"), Type: kcfg.TypeString, Source: kcfg.SourceClient},
		{Key: "session.timeout.ms", Value: new("30000"), Type: kcfg.TypeInt, Source: kcfg.SourceClient},
	}, of.Entries, "of this entity alone")
	topic, _ := got.On(ordersTopic)
	e, ok := topic.Get(segmentMillis)
	require.True(t, ok)
	assert.True(t, e.Default)
	assert.Equal(t, kcfg.TypeLong, e.Type)
}

func TestKafkasOwnResourcesNeedNoClientOfOurs(t *testing.T) {
	a := bareAdmin(t, dynamicCluster(t))
	got, err := a.DescribeConfigs(withTimeout(t), ordersTopic, kcfg.ClientResource(alice), kcfg.BrokerResource(0))
	require.NoError(t, err)
	require.NoError(t, got[0].Err)
	require.ErrorIs(t, got[1].Err, cfgerrors.ErrNotInstrumented)
	require.NoError(t, got[2].Err)
	require.ErrorIs(t, got.Err(), cfgerrors.ErrNotInstrumented)
	assert.Contains(t, got.Err().Error(), `clients of <user "alice">`)
}

func TestAResourceThatCannotBeDescribedDoesNotStopTheRest(t *testing.T) {
	c := dynamicCluster(t, fakebroker.Brokers(2))
	got, err := newAdmin(t, c).DescribeConfigs(withTimeout(t),
		kcfg.TopicResource(absent), ordersTopic, kcfg.BrokerResource(17), kcfg.BrokerResource(1),
		kcfg.Resource{}, kcfg.ClientResource(kcfg.Entity{}), kcfg.TopicResource("\xff"), kcfg.ResourceOf(64, "x"))
	require.NoError(t, err)
	require.ErrorIs(t, got[0].Err, kerr.UnknownTopicOrPartition)
	require.NoError(t, got[1].Err)
	require.Error(t, got[2].Err, "there is no such broker")
	require.NoError(t, got[3].Err)
	require.Error(t, got[4].Err)
	require.Error(t, got[5].Err)
	require.ErrorContains(t, got[6].Err, "UTF-8")
	require.ErrorIs(t, got[7].Err, kerr.InvalidRequest, "it is the broker that does not know it")
	assert.NotEmpty(t, got[1].Entries)
	assert.NotEmpty(t, got[3].Entries)
}

func TestAResourceThatIsDescribedTwiceIsAskedForByNobody(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	got, err := a.DescribeConfigs(withTimeout(t), ordersTopic, ordersTopic)
	require.NoError(t, err)
	require.ErrorIs(t, got[0].Err, cfgerrors.ErrDuplicateResource)
	require.ErrorIs(t, got[1].Err, cfgerrors.ErrDuplicateResource)
	assert.Zero(t, c.Count(fakebroker.AnyNode, describeConfigsKey))
	configsOf(t, a, ordersTopic)
	assert.Equal(t, 1, c.Count(fakebroker.AnyNode, describeConfigsKey))
}

// answerDescribe answers the next DescribeConfigs with one config of each resource.
func answerDescribe(c *fakebroker.Cluster, config kmsg.DescribeConfigsResponseResourceConfig) {
	c.Kfake().ControlKey(describeConfigsKey, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		req := kreq.(*kmsg.DescribeConfigsRequest)
		resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, r := range req.Resources {
			one := kmsg.NewDescribeConfigsResponseResource()
			one.ResourceType, one.ResourceName = r.ResourceType, r.ResourceName
			one.Configs = []kmsg.DescribeConfigsResponseResourceConfig{config}
			resp.Resources = append(resp.Resources, one)
		}
		return resp, nil, true
	})
}

func TestASensitiveValueIsNotShownEvenIfABrokerTellsIt(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	config := kmsg.NewDescribeConfigsResponseResourceConfig()
	config.Name, config.Value, config.IsSensitive = "ssl.keystore.password", new(secret), true
	config.Source, config.ConfigType = kmsg.ConfigSourceStaticBrokerConfig, kmsg.ConfigTypePassword
	synonym := kmsg.NewDescribeConfigsResponseResourceConfigConfigSynonym()
	synonym.Name, synonym.Value = config.Name, config.Value
	config.ConfigSynonyms = append(config.ConfigSynonyms, synonym)
	answerDescribe(c, config)
	got := configsOf(t, a, kcfg.BrokerResource(0))
	e := got[0].Entries[0]
	assert.Equal(t, "ssl.keystore.password", e.Key, "the answer came")
	assert.True(t, e.Sensitive)
	assert.Nil(t, e.Value)
	require.Len(t, e.Synonyms, 1)
	assert.Nil(t, e.Synonyms[0].Value)
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v %s", got, got, got, e), secret)
	assert.Contains(t, e.String(), "[redacted]")
}

func TestATypeAndASourceOfANewerBrokerAreKeptByNumber(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	config := kmsg.NewDescribeConfigsResponseResourceConfig()
	config.Name, config.Value, config.Source, config.ConfigType = "k", new("v"), 42, 43
	answerDescribe(c, config)
	e := configsOf(t, a, ordersTopic)[0].Entries[0]
	assert.Equal(t, kcfg.ConfigSource(42), e.Source)
	assert.Equal(t, kcfg.ConfigType(43), e.Type)
	assert.Equal(t, `k="v" (unknown(43), unknown(42))`, e.String())
}

func TestABrokerWithoutSourcesTellsWhatIsDefault(t *testing.T) {
	c := dynamicCluster(t)
	versions := kversion.Stable()
	versions.SetMaxKeyVersion(describeConfigsKey, 0)
	e, ok := configsOf(t, bareAdmin(t, c, kgo.MaxVersions(versions)), ordersTopic)[0].Get(segmentMillis)
	require.True(t, ok)
	assert.True(t, e.Default)
	assert.Equal(t, kcfg.SourceUnknown, e.Source)
	assert.Equal(t, kcfg.TypeUnknown, e.Type)
}

func TestSynonymsTellWhatAConfigWouldBeOtherwise(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	changed(t, a, kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, "3600000")))
	e, ok := configsOf(t, a, ordersTopic)[0].Get(segmentMillis)
	require.True(t, ok)
	assert.Equal(t, kcfg.SourceTopic, e.Source)
	assert.False(t, e.Default)
	require.NotEmpty(t, e.Synonyms)
	last := e.Synonyms[len(e.Synonyms)-1]
	assert.Equal(t, kcfg.SourceDefault, last.Source)
	assert.NotNil(t, last.Value)
}

func TestAnAnswerWithoutAResourceIsAnErrorOfIt(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	c.Kfake().ControlKey(describeConfigsKey, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		return kreq.ResponseKind(), nil, true
	})
	got, err := a.DescribeConfigs(withTimeout(t), ordersTopic)
	require.NoError(t, err)
	require.ErrorContains(t, got[0].Err, "no outcome")
}

func TestACallThatIsOverSaysSoForEveryResource(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	ctx, cancel := context.WithCancel(withTimeout(t))
	cancel()
	got, err := a.DescribeConfigs(ctx, ordersTopic, kcfg.ClientResource(alice))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, got[0].Err, context.Canceled)
	require.ErrorIs(t, got[1].Err, context.Canceled)

	cl := newClient(t, seeds(c), client.DisableConfigsPush(), client.DisableDynamicConfigs())
	a = adminOf(t, cl.Client)
	cl.Close()
	got, err = a.DescribeConfigs(withTimeout(t), ordersTopic)
	require.ErrorIs(t, err, cfgerrors.ErrClosed)
	require.ErrorIs(t, got[0].Err, cfgerrors.ErrClosed)
	out, err := a.AlterConfigs(withTimeout(t), kcfg.AlterConfig(ordersTopic, kcfg.DeleteConfig(segmentMillis)))
	require.ErrorIs(t, err, cfgerrors.ErrClosed)
	require.ErrorIs(t, out[0].Err, cfgerrors.ErrClosed)
}
