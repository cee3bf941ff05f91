package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// byHand creates a topic as somebody does who does not know what it is for. It is
// tried again while one of the name is being deleted.
func byHand(t *testing.T, c *kafkatest.Cluster, topic string) {
	t.Helper()
	adm := admin(t, c)
	eventually(t, func() bool {
		resp, err := adm.CreateTopic(withTimeout(t), 12, 3, map[string]*string{"cleanup.policy": new("compact")}, topic)
		return err == nil && resp.Err == nil
	}, "the topic is created")
	require.NoError(t, c.AwaitTopic(withTimeout(t), topic))
}

// whyNotSetUp asks until a client gets a NotSetUpError with a text in its reason.
func whyNotSetUp(t *testing.T, cl *client.Client, reason string) {
	t.Helper()
	eventually(t, func() bool {
		e, ok := asType[*cfgerrors.NotSetUpError](cl.RefreshConfigs(withTimeout(t)))
		return ok && strings.Contains(e.Reason, reason)
	}, "not set up: "+reason)
	eventually(t, func() bool { return cl.Status().Dynamic.State == kcfg.DynamicFailed }, "Status says so")
	assert.Contains(t, cl.Status().Dynamic.Error, reason)
}

func acksClient(t *testing.T, c *kafkatest.Cluster, s store, kopts ...kgo.Opt) *client.Client {
	t.Helper()
	return ours(t, append(kopts, kgo.SeedBrokers(c.Addrs()...), kgo.DisableIdempotentWrite()), s.where()...)
}

func TestATopicThatIsDeletedAndMadeAgainByHandIsNotObeyedUntilItIsSetUp(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	s.set(t, anonymous(), kcfg.Set("acks", "1"))
	topic := newTopic(t, c, 3, 3)
	cl := acksClient(t, c, s)
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, topic, 10)
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
	inForce := func(want string) {
		t.Helper()
		produce(t, cl.Client, topic, 10)
		assert.Equal(t, want, *state(t, cl, "acks").InForce)
	}

	_, err := admin(t, c).DeleteTopic(withTimeout(t), s.names.Dynamic)
	require.NoError(t, err)
	whyNotSetUp(t, cl, "does not exist")
	inForce("1")
	byHand(t, c, s.names.Dynamic)
	whyNotSetUp(t, cl, "no header")
	inForce("1")
	out, err := s.AlterClientConfigs(withTimeout(t), kcfg.Alter(anonymous(), kcfg.Set("acks", "0")))
	_, ok := asType[*cfgerrors.NotSetUpError](err)
	require.True(t, ok, "%v", err)
	require.Error(t, out[0].Err)

	made, err := s.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
	require.NoError(t, err)
	assert.Equal(t, 12, made.Headers)
	s.set(t, anonymous(), kcfg.Set("acks", "0"))
	eventually(t, func() bool {
		produce(t, cl.Client, topic, 10)
		return *state(t, cl, "acks").InForce == "0"
	}, "the client finds out by itself")
	eventually(t, func() bool { return cl.Status().Dynamic.State == kcfg.DynamicPolled }, "Status says so")
}

// dump returns all records of a topic, by partition and in order.
func dump(t *testing.T, c *kafkatest.Cluster, topic string, partitions ...int32) (records []*kgo.Record) {
	t.Helper()
	cl := bare(t, c.Addrs())
	for partition := range int32(12) {
		if len(partitions) > 0 && partitions[0] != partition {
			continue
		}
		ends, err := kadm.NewClient(cl).ListEndOffsets(withTimeout(t), topic)
		require.NoError(t, err)
		end, ok := ends.Lookup(topic, partition)
		require.True(t, ok)
		require.NoError(t, end.Err)
		reader := bare(t, c.Addrs(), kgo.KeepControlRecords(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
			topic: {partition: kgo.NewOffset().AtStart()},
		}))
		for next, ctx := int64(0), withTimeout(t); next < end.Offset; {
			fs := reader.PollFetches(ctx)
			require.NoError(t, fs.Err())
			fs.EachRecord(func(r *kgo.Record) {
				next = r.Offset + 1
				records = append(records, r)
			})
		}
		reader.Close()
	}
	return records
}

// mirror copies what a topic has to another one, as MirrorMaker does.
func mirror(t *testing.T, c *kafkatest.Cluster, from, to string, change func(value string) string) {
	t.Helper()
	var copies []*kgo.Record
	for _, r := range dump(t, c, from) {
		r := &kgo.Record{Topic: to, Partition: r.Partition, Key: r.Key, Headers: r.Headers, Value: r.Value}
		if r.Value != nil {
			r.Value = []byte(change(string(r.Value)))
		}
		copies = append(copies, r)
	}
	require.GreaterOrEqual(t, len(copies), 13, "headers, and an override")
	cl := bare(t, c.Addrs(), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, cl.ProduceSync(withTimeout(t), copies...).FirstErr())
}

func TestATopicThatWasMirroredIsRefusedAndLeftAlone(t *testing.T) {
	c := kafka(t)
	source := setUp(t, c, kcfg.TopicSetup{})
	source.set(t, anonymous(), kcfg.Set("acks", "1"))
	cluster, err := admin(t, c).BrokerMetadata(withTimeout(t))
	require.NoError(t, err)
	for what, tt := range map[string]struct {
		change func(string) string
		reason string
	}{
		"the same cluster": {func(v string) string { return v }, "another topic"},
		"another cluster":  {func(v string) string { return strings.ReplaceAll(v, cluster.Cluster, "the-other-one") }, `"the-other-one"`},
	} {
		t.Run(what, func(t *testing.T) {
			s := operator(t, c)
			byHand(t, c, s.names.Dynamic)
			byHand(t, c, s.names.Clients)
			mirror(t, c, source.names.Dynamic, s.names.Dynamic, tt.change)
			topic := newTopic(t, c, 3, 3)
			cl := acksClient(t, c, s)
			whyNotSetUp(t, cl, tt.reason)
			produce(t, cl.Client, topic, 10)
			assert.Equal(t, "all", *state(t, cl, "acks").InForce)
			assert.Nil(t, state(t, cl, "acks").Wished)

			before := len(dump(t, c, s.names.Dynamic))
			_, err := s.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
			e, ok := asType[*cfgerrors.NotSetUpError](err)
			require.True(t, ok, "%v", err)
			assert.Contains(t, e.Reason, tt.reason)
			assert.Len(t, dump(t, c, s.names.Dynamic), before, "it is left alone")
		})
	}
}
