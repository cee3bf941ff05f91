package kafkatest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestTopicIsKnownWhenEachPartitionHasALeader(t *testing.T) {
	answer := func() *kmsg.MetadataResponse {
		return &kmsg.MetadataResponse{Topics: []kmsg.MetadataResponseTopic{{
			Partitions: []kmsg.MetadataResponseTopicPartition{{Partition: 0, Leader: 1}, {Partition: 1, Leader: 2}},
		}}}
	}
	require.NoError(t, hasLeaders("orders", answer()))

	unknown := answer()
	unknown.Topics[0].ErrorCode = kerr.UnknownTopicOrPartition.Code
	require.ErrorIs(t, hasLeaders("orders", unknown), kerr.UnknownTopicOrPartition)

	noLeader := answer()
	noLeader.Topics[0].Partitions[1].Leader = -1
	require.ErrorContains(t, hasLeaders("orders", noLeader), "partition 1: no leader")

	noLeader.Topics[0].Partitions[1].ErrorCode = kerr.LeaderNotAvailable.Code
	require.ErrorIs(t, hasLeaders("orders", noLeader), kerr.LeaderNotAvailable)

	require.Error(t, hasLeaders("orders", &kmsg.MetadataResponse{}))
}
