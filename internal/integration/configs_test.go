package integration_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// configAdmin is an Admin on a client without anything of ours.
func configAdmin(t *testing.T, cl *kgo.Client) *client.Admin {
	t.Helper()
	a, err := client.NewAdmin(cl)
	require.NoError(t, err)
	return a
}

// configOf describes one key of a resource.
func configOf(t *testing.T, a *client.Admin, r kcfg.Resource, key string) kcfg.ConfigEntry {
	t.Helper()
	got, err := a.DescribeConfigs(withTimeout(t), r)
	require.NoError(t, err)
	require.NoError(t, got.Err())
	e, _ := got[0].Get(key)
	return e
}

// awaitConfig waits until a broker that is asked tells a value, and returns all that
// it tells of it: brokers learn of changes one by one, and the next may not know.
func awaitConfig(t *testing.T, a *client.Admin, r kcfg.Resource, key, want string) (e kcfg.ConfigEntry) {
	t.Helper()
	eventually(t, func() bool {
		e = configOf(t, a, r, key)
		return e.Value != nil && *e.Value == want
	}, key+" of "+r.String())
	return e
}

// alterOne makes or validates one alteration, and returns its outcome.
func alterOne(t *testing.T, a *client.Admin, validateOnly bool, r kcfg.Resource, ops ...kcfg.ConfigOp) error {
	t.Helper()
	call := a.AlterConfigs
	if validateOnly {
		call = a.ValidateAlterConfigs
	}
	got, err := call(withTimeout(t), kcfg.AlterConfig(r, ops...))
	require.NoError(t, err)
	require.Len(t, got, 1)
	return got[0].Err
}

func TestTopicConfigsGoThereAndBack(t *testing.T) {
	c := kafka(t)
	a := configAdmin(t, bare(t, c.Addrs()))
	r := kcfg.TopicResource(newTopic(t, c, 1, 3))
	first := configOf(t, a, r, "retention.ms")
	assert.Equal(t, kcfg.TypeLong, first.Type)
	assert.True(t, first.Default)
	assert.False(t, first.ReadOnly)

	require.NoError(t, alterOne(t, a, true, r, kcfg.SetConfig("retention.ms", "7200000")))
	assert.Equal(t, first, configOf(t, a, r, "retention.ms"), "validation leaves no trace")
	require.NoError(t, alterOne(t, a, false, r, kcfg.SetConfig("retention.ms", "7200000"), kcfg.AppendConfig("cleanup.policy", "compact")))
	e := awaitConfig(t, a, r, "retention.ms", "7200000")
	assert.Equal(t, kcfg.SourceTopic, e.Source)
	assert.False(t, e.Default)
	e = awaitConfig(t, a, r, "cleanup.policy", "delete,compact")
	assert.Equal(t, kcfg.TypeList, e.Type)
	require.Len(t, e.Synonyms, 2)
	assert.Equal(t, kcfg.SourceTopic, e.Synonyms[0].Source, "the one that counts is the first")
	assert.Equal(t, "log.cleanup.policy", e.Synonyms[1].Key)
	assert.Equal(t, kcfg.SourceDefault, e.Synonyms[1].Source)
	require.NoError(t, alterOne(t, a, false, r, kcfg.SubtractConfig("cleanup.policy", "delete"), kcfg.DeleteConfig("retention.ms")))
	awaitConfig(t, a, r, "cleanup.policy", "compact")
	awaitConfig(t, a, r, "retention.ms", *first.Value)

	got, err := a.ReplaceAllConfigs(withTimeout(t), kcfg.AlterConfig(r, kcfg.SetConfig("retention.ms", "9000000")))
	require.NoError(t, err)
	require.NoError(t, got.Err())
	awaitConfig(t, a, r, "retention.ms", "9000000")
	awaitConfig(t, a, r, "cleanup.policy", "delete")
}

func TestBrokerConfigsAreReadOnlyOrDynamic(t *testing.T) {
	c := kafka(t)
	a := configAdmin(t, bare(t, c.Addrs()))
	id := int32(c.Nodes()[1])
	one, all := kcfg.BrokerResource(id), kcfg.ClusterResource()
	node := configOf(t, a, one, "node.id")
	assert.True(t, node.ReadOnly)
	require.NotNil(t, node.Value)
	assert.Equal(t, fmt.Sprint(id), *node.Value, "the broker itself was asked")

	for _, validateOnly := range []bool{true, false} {
		for _, r := range []kcfg.Resource{one, all} {
			err := alterOne(t, a, validateOnly, r, kcfg.SetConfig("num.io.threads", "5"), kcfg.SetConfig("log.dirs", "/somewhere/else"))
			e, ok := asType[*cfgerrors.ReadOnlyConfigError](err)
			require.True(t, ok, "%s: %v", r, err)
			assert.Equal(t, []string{"log.dirs"}, e.Keys)
			assert.Equal(t, r.String(), e.Resource)
			assert.NotContains(t, err.Error(), "/somewhere/else")
		}
	}
	before := *configOf(t, a, one, "log.cleaner.backoff.ms").Value
	require.NoError(t, alterOne(t, a, true, one, kcfg.SetConfig("log.cleaner.backoff.ms", "14000")))
	assert.Equal(t, before, *configOf(t, a, one, "log.cleaner.backoff.ms").Value)
	require.NoError(t, alterOne(t, a, false, one, kcfg.SetConfig("log.cleaner.backoff.ms", "14000")))
	e := awaitConfig(t, a, one, "log.cleaner.backoff.ms", "14000")
	assert.Equal(t, kcfg.SourceBroker, e.Source)
	require.NoError(t, alterOne(t, a, false, all, kcfg.SetConfig("log.cleaner.backoff.ms", "13000")))
	awaitConfig(t, a, all, "log.cleaner.backoff.ms", "13000")
	require.NoError(t, alterOne(t, a, false, one, kcfg.DeleteConfig("log.cleaner.backoff.ms")))
	assert.Equal(t, kcfg.SourceClusterDefault, awaitConfig(t, a, one, "log.cleaner.backoff.ms", "13000").Source)
	require.NoError(t, alterOne(t, a, false, all, kcfg.DeleteConfig("log.cleaner.backoff.ms")))
	awaitConfig(t, a, one, "log.cleaner.backoff.ms", before)
}

func TestSensitiveBrokerValuesAreNeverShown(t *testing.T) {
	c := kafka(t)
	a := configAdmin(t, bare(t, c.Addrs()))
	got, err := a.DescribeConfigs(withTimeout(t), kcfg.BrokerResource(int32(c.Nodes()[0])))
	require.NoError(t, err)
	require.NoError(t, got.Err())
	seen := 0
	for _, e := range got[0].Entries {
		if e.Sensitive || e.Type == kcfg.TypePassword {
			seen++
			assert.True(t, e.Sensitive, e.Key)
			assert.Nil(t, e.Value, e.Key)
			for _, s := range e.Synonyms {
				assert.Nil(t, s.Value, e.Key)
			}
		}
	}
	assert.NotZero(t, seen, "there are some")
	_, ok := got[0].Get("listener.name.sasl_plaintext.plain.sasl.jaas.config")
	assert.True(t, ok, "with the passwords of the users")
	for _, user := range []string{kafkatest.Admin, kafkatest.Alice, kafkatest.Bob} {
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", got, got, got), kafkatest.Password(user))
	}
}

// fourOn skips the test on a Kafka that has no group configs.
func fourOn(t *testing.T, c *kafkatest.Cluster) {
	t.Helper()
	if strings.HasPrefix(c.Version(), "3.") {
		t.Skip("groups have configs from Kafka 4.0 on")
	}
}

func TestTheSessionOfANewGroupIsAGroupConfig(t *testing.T) {
	c := kafka(t)
	fourOn(t, c)
	a := configAdmin(t, bare(t, c.Addrs()))
	group, topic := name(t), newTopic(t, c, 1, 3)
	r := kcfg.GroupResource(group)
	consumer := bare(t, c.Addrs(), kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic),
		kgo.ServerSideBalancer(), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	produce(t, consumer, topic, 5)
	consume(t, consumer, 5)

	const key = "consumer.session.timeout.ms"
	first := configOf(t, a, r, key)
	require.NotNil(t, first.Value)
	assert.Equal(t, kcfg.TypeInt, first.Type)
	require.NoError(t, alterOne(t, a, true, r, kcfg.SetConfig(key, "50000")))
	assert.Equal(t, *first.Value, *configOf(t, a, r, key).Value)
	require.NoError(t, alterOne(t, a, false, r, kcfg.SetConfig(key, "50000")))
	assert.Equal(t, kcfg.SourceGroup, awaitConfig(t, a, r, key, "50000").Source)
	// Its largest heartbeat interval is above that, so it is the pair that is refused.
	for _, validateOnly := range []bool{true, false} {
		err := alterOne(t, a, validateOnly, r, kcfg.SetConfig("consumer.heartbeat.interval.ms", "50000"))
		require.True(t, isInvalid(err), "a heartbeat that is not below it: %v", err)
	}
	assert.NotEqual(t, "50000", *configOf(t, a, r, "consumer.heartbeat.interval.ms").Value)
	require.NoError(t, alterOne(t, a, true, r, kcfg.SetConfig("consumer.heartbeat.interval.ms", "49999")))
	require.NoError(t, alterOne(t, a, false, r, kcfg.SetConfig("consumer.heartbeat.interval.ms", "10000")))
	awaitConfig(t, a, r, "consumer.heartbeat.interval.ms", "10000")
	require.NoError(t, alterOne(t, a, false, r, kcfg.DeleteConfig(key), kcfg.DeleteConfig("consumer.heartbeat.interval.ms")))
	awaitConfig(t, a, r, key, *first.Value)
}

func isInvalid(err error) bool {
	_, ok := asType[*cfgerrors.InvalidConfigError](err)
	return ok
}

func TestClientMetricsAreAResourceToo(t *testing.T) {
	c := kafka(t)
	a := configAdmin(t, bare(t, c.Addrs()))
	r := kcfg.ClientMetricsResource(name(t))
	require.NoError(t, alterOne(t, a, false, r, kcfg.SetConfig("interval.ms", "60000")))
	assert.Equal(t, kcfg.SourceClientMetrics, awaitConfig(t, a, r, "interval.ms", "60000").Source)
	require.NoError(t, alterOne(t, a, false, r, kcfg.DeleteConfig("interval.ms")))
}

func TestWhatFailsOnKafkaDoesNotStopTheRest(t *testing.T) {
	c := kafka(t)
	a := configAdmin(t, bare(t, c.Addrs()))
	good, bad := kcfg.TopicResource(newTopic(t, c, 1, 3)), kcfg.TopicResource(newTopic(t, c, 1, 3))
	absent, node := kcfg.TopicResource(name(t)), kcfg.BrokerResource(int32(c.Nodes()[0]))
	all := []kcfg.ConfigAlteration{
		kcfg.AlterConfig(absent, kcfg.SetConfig("retention.ms", "7200000")),
		kcfg.AlterConfig(good, kcfg.SetConfig("retention.ms", "7200000")),
		kcfg.AlterConfig(bad, kcfg.SetConfig("retention.ms", "not-a-number-42")),
		kcfg.AlterConfig(node, kcfg.SetConfig("node.id", "9")),
		kcfg.AlterConfig(kcfg.BrokerResource(17), kcfg.SetConfig("log.cleaner.backoff.ms", "14000")),
		kcfg.AlterConfig(kcfg.ClientResource(kcfg.User("x")), kcfg.SetConfig("acks", "1")),
	}
	for _, validateOnly := range []bool{true, false} {
		call := a.AlterConfigs
		if validateOnly {
			call = a.ValidateAlterConfigs
		}
		got, err := call(withTimeout(t), all...)
		require.NoError(t, err)
		require.ErrorIs(t, got[0].Err, kerr.UnknownTopicOrPartition)
		require.NoError(t, got[1].Err)
		require.True(t, isInvalid(got[2].Err), "%v", got[2].Err)
		assert.NotContains(t, got[2].Err.Error(), "not-a-number-42")
		_, readOnly := asType[*cfgerrors.ReadOnlyConfigError](got[3].Err)
		require.True(t, readOnly, "%v", got[3].Err)
		require.Error(t, got[4].Err)
		require.ErrorIs(t, got[5].Err, cfgerrors.ErrNotInstrumented)
	}
	awaitConfig(t, a, good, "retention.ms", "7200000")
	told, err := a.DescribeConfigs(withTimeout(t), absent, bad, kcfg.BrokerResource(17), node)
	require.NoError(t, err)
	require.ErrorIs(t, told[0].Err, kerr.UnknownTopicOrPartition)
	require.NoError(t, told[1].Err)
	require.Error(t, told[2].Err)
	require.NoError(t, told[3].Err)
}

// grant creates ACLs, and takes them back with the test.
func grant(t *testing.T, c *kafkatest.Cluster, acls ...client.ACL) {
	t.Helper()
	for _, a := range acls {
		created, err := admin(t, c).CreateACLs(withTimeout(t), a.Builder())
		require.NoError(t, err)
		for _, one := range created {
			require.NoError(t, one.Err)
		}
	}
}

// revoke takes ACLs back.
func revoke(t *testing.T, c *kafkatest.Cluster, acls ...client.ACL) {
	t.Helper()
	for _, a := range acls {
		deleted, err := admin(t, c).DeleteACLs(withTimeout(t), a.Builder())
		require.NoError(t, err)
		for _, one := range deleted {
			require.NoError(t, one.Err)
		}
	}
}

func TestRequiredACLsAreWhatKafkaAsksFor(t *testing.T) {
	c := kafka(t)
	topic := kcfg.TopicResource(newTopic(t, c, 1, 3))
	node := kcfg.BrokerResource(int32(c.Nodes()[0]))
	alterations := []kcfg.ConfigAlteration{
		kcfg.AlterConfig(topic, kcfg.SetConfig("retention.ms", "7200000")),
		kcfg.AlterConfig(node, kcfg.SetConfig("log.cleaner.backoff.ms", "15000")),
	}
	resources := []kcfg.Resource{topic, node}
	if !strings.HasPrefix(c.Version(), "3.") {
		group := kcfg.GroupResource(name(t))
		resources = append(resources, group)
		alterations = append(alterations, kcfg.AlterConfig(group, kcfg.SetConfig("consumer.session.timeout.ms", "50000")))
	}
	adm := admin(t, c)
	bob := configAdmin(t, bare(t, nil, as(c, kafkatest.Bob)...))
	denied := func(op string) (on []string) {
		t.Helper()
		told, err := bob.DescribeConfigs(withTimeout(t), resources...)
		require.NoError(t, err)
		made, err := bob.ValidateAlterConfigs(withTimeout(t), alterations...)
		require.NoError(t, err)
		for i := range resources {
			for _, err := range []error{told[i].Err, made[i].Err} {
				if e, ok := asType[*cfgerrors.AuthorizationError](err); ok {
					if e.Operation == op {
						on = append(on, e.Resource)
					}
					continue
				}
				require.NoError(t, err)
			}
		}
		return on
	}
	var want []string
	for _, r := range resources {
		if r == node {
			want = append(want, "cluster")
			continue
		}
		want = append(want, r.String())
	}
	assert.Equal(t, want, denied("DescribeConfigs"), "without any right")
	assert.Equal(t, want, denied("AlterConfigs"))

	acls := client.RequiredACLs(client.ACLPlan{Operators: []string{"User:" + kafkatest.Bob}, Resources: resources, Transport: client.TransportTopics,
		Topics: client.TopicNames{Dynamic: "not-here", Clients: "nor-this"}})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience) // the test's own has ended
		defer cancel()
		for _, a := range acls {
			_, err := adm.DeleteACLs(ctx, a.Builder())
			assert.NoError(t, err)
		}
	})
	var onTopic []client.ACL
	for _, a := range acls {
		if "topic "+fmt.Sprintf("%q", a.Name) == topic.String() {
			onTopic = append(onTopic, a)
		}
	}
	require.Len(t, onTopic, 2)
	grant(t, c, acls...)
	eventually(t, func() bool { return len(denied("AlterConfigs"))+len(denied("DescribeConfigs")) == 0 }, "they are enough")
	// Unlike in the proposal the cluster does not cover the topic.
	revoke(t, c, onTopic...)
	eventually(t, func() bool {
		d := denied("AlterConfigs")
		return len(d) == 1 && d[0] == topic.String()
	}, "the topic's own are needed")
	revoke(t, c, acls...)
	eventually(t, func() bool { return len(denied("AlterConfigs")) == len(resources) }, "and so are the others")
}
