package topicstore

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

// rawBatches are the batches of a partition of the dynamic topic as they are in
// the log.
func rawBatches(t *testing.T, c *kfake.Cluster, partition int32) (out []kmsg.RecordBatch) {
	t.Helper()
	cl := bare(t, c)
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.MaxBytes, req.SessionEpoch = fetchVersion, 64<<20, -1
	rt := kmsg.NewFetchRequestTopic()
	rt.Topic = DefaultDynamicTopic
	rp := kmsg.NewFetchRequestTopicPartition()
	rp.Partition, rp.PartitionMaxBytes = partition, 64<<20
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	rt.TopicID = c.TopicInfo(DefaultDynamicTopic).TopicID
	req.Topics[0].TopicID = rt.TopicID
	_, err := kmsg.NewPtrMetadataRequest().RequestWith(withTimeout(t), cl) // so that the leader is known
	require.NoError(t, err)
	resp, err := req.RequestWith(withTimeout(t), cl.Broker(int(c.LeaderFor(DefaultDynamicTopic, partition))))
	require.NoError(t, err)
	require.Zero(t, resp.Topics[0].Partitions[0].ErrorCode)
	for in := resp.Topics[0].Partitions[0].RecordBatches; len(in) > 0; {
		n := 12 + binary.BigEndian.Uint32(in[8:])
		var b kmsg.RecordBatch
		require.NoError(t, b.ReadFrom(in[:n]))
		out = append(out, b)
		in = in[n:]
	}
	return out
}

// batches are the sizes of the batches in a partition, in records.
func batches(t *testing.T, c *kfake.Cluster, partition int32) (out []int32) {
	t.Helper()
	for _, b := range rawBatches(t, c, partition) {
		out = append(out, b.NumRecords)
	}
	return out
}

// TestAnAlterationOfManyKeysIsOneBatch: kgo puts records into a batch one by one
// when it learns of the topic, and must not send them meanwhile.
func TestAnAlterationOfManyKeysIsOneBatch(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	const keys = 500
	for user := range 20 {
		var ops []kcfg.Op
		for i := range keys {
			ops = append(ops, kcfg.Set(fmt.Sprintf("k%d", i), strings.Repeat("x", 100)))
		}
		alter(t, s, kcfg.User(fmt.Sprint(user)), ops...)
	}
	for p := range int32(partitions) {
		sizes := batches(t, c, p)
		require.EqualValues(t, 1, sizes[0], "the header")
		for _, n := range sizes[1:] {
			require.EqualValues(t, keys, n)
		}
	}
}

func TestAnAlterationIsOneBatchWithRemovalsFirst(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("a", "1"), kcfg.Remove("b"), kcfg.Set("c", "3"), kcfg.Remove("d"))
	all := rawBatches(t, c, alicePartition)
	require.Len(t, all, 2, "the header and the alteration")
	b := all[1]
	assert.EqualValues(t, -1, b.ProducerID, "it is not idempotent, which would need a right")
	assert.Zero(t, b.Attributes, "nor compressed, nor a transaction")
	records, err := kfake.BatchRecords(b)
	require.NoError(t, err)
	var got []string
	for i, r := range records {
		got = append(got, fmt.Sprintf("%s %s", r.Key, r.Value))
		if i < len(records)-1 {
			require.Len(t, r.Headers, 1)
			assert.Equal(t, moreHeader, r.Headers[0].Key)
		} else {
			assert.Empty(t, r.Headers)
		}
	}
	assert.Equal(t, []string{
		`[1,"alice",null,"b"] `, `[1,"alice",null,"d"] `,
		`[1,"alice",null,"a"] {"version":1,"value":"1"}`, `[1,"alice",null,"c"] {"version":1,"value":"3"}`,
	}, got)
	assert.Nil(t, records[0].Value)
}

func TestAnAlterationOutlastsALeaderThatMoves(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	h := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: 1})
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"), kcfg.Set("linger.ms", "5"))
	assert.Equal(t, 1, h.Hits())
	assert.Equal(t, map[string]string{"acks": "1", "linger.ms": "5"}, self(t, s))
	assert.Equal(t, []int32{1, 2}, batches(t, c, alicePartition))
}
