package topicstore

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

// A transaction marker is a batch of the leader that wrote it. Who tells a broker
// an older epoch for what it read last is told to begin again.
func TestTheEpochOfATransactionMarkerCounts(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	txn := inTxn(t, c, "1")
	before := c.PartitionInfo(DefaultDynamicTopic, alicePartition)
	require.NoError(t, c.MoveTopicPartition(DefaultDynamicTopic, alicePartition, (before.Leader+1)%3))
	end(t, txn, kgo.TryCommit)
	after := c.PartitionInfo(DefaultDynamicTopic, alicePartition)
	require.Greater(t, after.Epoch, before.Epoch)
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))

	var mu sync.Mutex
	var epochs []int32
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		mu.Lock()
		defer mu.Unlock()
		epochs = append(epochs, req.(*kmsg.FetchRequest).Topics[0].Partitions[0].LastFetchedEpoch)
		return nil, nil, false
	})
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []int32{after.Epoch}, epochs)
}

func TestSettingsFollowTheReplicasThatATopicHas(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	_, err := s.Setup(withTimeout(t), kcfg.TopicSetup{Replicas: 1})
	require.NoError(t, err)
	made, err := s.Setup(withTimeout(t), kcfg.TopicSetup{}) // would make 3 of new ones
	require.NoError(t, err)
	for _, topic := range made.Topics {
		for _, setting := range topic.Settings {
			if setting.Key == "min.insync.replicas" {
				assert.Equal(t, "1", setting.Value)
				assert.Empty(t, setting.Was)
			}
		}
	}
}
