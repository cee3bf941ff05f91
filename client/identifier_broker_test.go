package client_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestABrokerThatRefusesANameOfOursIsAskedOnce(t *testing.T) {
	c := dynamicCluster(t, fakebroker.Kafka50())
	a, _, _ := limitAdmin(t, c)
	_, err := a.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser(han(250)))
	assert.Empty(t, tooLarge(t, err).Type, "only the broker knows")
	assert.Equal(t, 1, c.Count(fakebroker.AnyNode, describeKey), "it is not tried again")
	out, err := a.AlterClientConfigs(withTimeout(t),
		kcfg.Alter(kcfg.User(han(250)), kcfg.Set("acks", "1")), kcfg.Alter(kcfg.User(han(249)), kcfg.Set("acks", "1")))
	require.NoError(t, err)
	tooLargeOnly(t, out[0].Err)
	require.NoError(t, out[1].Err)
	assert.Equal(t, 1, c.Count(fakebroker.AnyNode, alterKey))
}

func tooLargeOnly(t *testing.T, err error) {
	t.Helper()
	assert.Zero(t, tooLarge(t, err).Length)
}

func TestATopicThatABrokerRefusesIsTypedAndOthersGoOn(t *testing.T) {
	c := cluster(t, fakebroker.Kafka50())
	cl := newClient(t, seeds(c))
	long := strings.Repeat("x", 250)
	good := kgo.Record{Topic: "orders", Value: []byte("v")}
	require.NoError(t, cl.ProduceSync(withTimeout(t), &good).FirstErr())
	err := cl.ProduceSync(withTimeout(t), &kgo.Record{Topic: long}).FirstErr()
	require.ErrorIs(t, err, kerr.InvalidTopicException)
	assert.Equal(t, 250, tooLarge(t, client.IdentifierError(err, client.IdentifierTopic, long)).Length)
	require.NoError(t, cl.ProduceSync(withTimeout(t), &good).FirstErr())
}

func TestMetadataThatABrokerRefusesIsTyped(t *testing.T) {
	c := cluster(t, fakebroker.Kafka50(), fakebroker.OffsetMetadataMaxBytes(100))
	cl := newClient(t, seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit(),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart())))
	produce(t, cl.Client, 1)
	consume(t, cl.Client, 1)
	metadata := strings.Repeat("m", 101)
	ctx := kgo.PreCommitFnContext(withTimeout(t), func(req *kmsg.OffsetCommitRequest) error {
		req.Topics[0].Partitions[0].Metadata = &metadata
		return nil
	})
	err := cl.CommitUncommittedOffsets(ctx)
	require.ErrorIs(t, err, kerr.OffsetMetadataTooLarge)
	assert.Equal(t, "offset metadata", tooLarge(t, client.IdentifierError(err, client.IdentifierOffsetMetadata, metadata)).Type)
	metadata = metadata[1:]
	require.NoError(t, cl.CommitUncommittedOffsets(ctx))
}

func TestAGroupThatABrokerRefusesIsTyped(t *testing.T) {
	c := cluster(t, fakebroker.Kafka50())
	group := strings.Repeat("g", 250)
	cl := newClient(t, seeds(c, kgo.ConsumerGroup(group), kgo.ConsumeTopics("orders")))
	fs := cl.PollFetches(withTimeout(t))
	err := fs.Err()
	require.ErrorIs(t, err, kerr.InvalidRequest)
	assert.Equal(t, 250, tooLarge(t, client.IdentifierError(err, client.IdentifierGroup, group)).Length)
}
