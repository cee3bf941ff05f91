package integration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// poll is how often a condition on a file or on the cluster is looked at.
const poll = 50 * time.Millisecond

func TestClusterIsTheKafkaThatWasAskedFor(t *testing.T) {
	c := kafka(t)
	assert.Equal(t, version(t), c.Version())
	metadata, err := admin(t, c).BrokerMetadata(withTimeout(t))
	require.NoError(t, err)
	require.Len(t, c.Nodes(), 3)
	for _, id := range c.Nodes() {
		assert.Contains(t, metadata.Brokers.NodeIDs(), int32(id))
		log, err := c.Logs(id)
		require.NoError(t, err)
		assert.Contains(t, log, "Kafka version: "+version(t))
	}
}

// topicOn creates a topic whose only replica is on one node.
func topicOn(t *testing.T, c *kafkatest.Cluster, node int) string {
	t.Helper()
	topic := name(t)
	assignment := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
	assignment.Replicas = []int32{int32(node)}
	create := kmsg.NewCreateTopicsRequestTopic()
	create.Topic, create.NumPartitions, create.ReplicationFactor = topic, -1, -1
	create.ReplicaAssignment = append(create.ReplicaAssignment, assignment)
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, create)
	resp, err := req.RequestWith(withTimeout(t), bare(t, c.Addrs()))
	require.NoError(t, err)
	require.Len(t, resp.Topics, 1)
	require.Zero(t, resp.Topics[0].ErrorCode)
	require.NoError(t, c.AwaitTopic(withTimeout(t), topic))
	return topic
}

func TestKilledNodeComesBackWithItsData(t *testing.T) {
	const node, records = 2, 100
	c := kafka(t)
	topic := topicOn(t, c, node)
	produce(t, bare(t, c.Addrs()), topic, records)
	alone := bare(t, c.Addrs()[node-1:node])
	require.NoError(t, alone.Ping(withTimeout(t)))
	require.Error(t, c.Restart(withTimeout(t), node), "it runs")

	kill(t, c, node)
	_, err := alone.SeedBrokers()[0].Request(withTimeout(t), kmsg.NewPtrApiVersionsRequest())
	require.Error(t, err, "nothing answers there")
	require.Error(t, c.Kill(node), "it is killed already")
	require.NoError(t, c.Restart(withTimeout(t), node))

	consumer := bare(t, c.Addrs(), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	consume(t, consumer, records)
}

func TestClusterServesWhileANodeIsDown(t *testing.T) {
	const node, records = 3, 30
	c := kafka(t)
	topic := newTopic(t, c, 3, 3) // each node leads one of them
	kill(t, c, node)
	cl := bare(t, c.Addrs(), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.RecordPartitioner(kgo.RoundRobinPartitioner())) // to the partition without a leader too
	produce(t, cl, topic, records)
	consume(t, cl, records)
	require.NoError(t, c.Restart(withTimeout(t), node))
	require.Eventually(t, func() bool {
		topics, err := admin(t, c).ListTopics(withTimeout(t), topic)
		require.NoError(t, err)
		for _, p := range topics[topic].Partitions {
			if len(p.ISR) < 3 {
				return false
			}
		}
		return true
	}, patience, poll, "the node catches up")
}

func TestStartThatFailsShowsTheLog(t *testing.T) {
	_, err := kafkatest.Start(withTimeout(t), kafkatest.Options{
		Version: version(t),
		Config:  map[string]string{"authorizer.class.name": "no.such.Authorizer"},
	})
	require.ErrorContains(t, err, "it exited")
	require.ErrorContains(t, err, "no.such.Authorizer")
}
