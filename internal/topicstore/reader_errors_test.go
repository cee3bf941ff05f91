package topicstore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// reading is a store that has read alice's acks.
func reading(t *testing.T) (*kfake.Cluster, *Store) {
	t.Helper()
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	return c, s
}

// recovered requires that a store reads on: what was there and what is new.
func recovered(t *testing.T, c *kfake.Cluster, s *Store) {
	t.Helper()
	putAlice(t, c, rec(`[1,"alice",null,"linger.ms"]`, `{"version":1,"value":"5"}`))
	assert.Equal(t, map[string]string{"acks": "1", "linger.ms": "5"}, self(t, s))
}

func TestALeaderThatMovesIsFollowed(t *testing.T) {
	c, s := reading(t)
	for range 3 {
		next := (c.LeaderFor(DefaultDynamicTopic, alicePartition) + 1) % 3
		require.NoError(t, c.MoveTopicPartition(DefaultDynamicTopic, alicePartition, next))
		told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
		require.NoError(t, err)
		assert.Equal(t, next, told.Node)
		assert.True(t, told.Sent)
		assert.Len(t, told.Entries, 1)
	}
	recovered(t, c, s)
}

func TestAnErrorOfABrokerIsReturnedAndTheNextPollRecovers(t *testing.T) {
	c, s := reading(t)
	for _, tt := range []struct {
		key  kmsg.Key
		code *kerr.Error
	}{
		{kmsg.Fetch, kerr.NotLeaderForPartition},
		{kmsg.Fetch, kerr.OffsetNotAvailable},
		{kmsg.Fetch, kerr.KafkaStorageError},
		{kmsg.Fetch, kerr.UnknownServerError},
	} {
		h := fail(c, tt.key, tt.code)
		told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
		require.ErrorIs(t, err, tt.code)
		assert.Equal(t, tt.code.Retriable, cfgerrors.Retriable(err), err)
		assert.Nil(t, told.Entries)
		assert.Positive(t, h.Hits())
		h.Remove()
		require.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	}
	recovered(t, c, s)
}

func TestAMissingRightIsAnAuthorizationError(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets, kmsg.Fetch} {
		c, _ := reading(t)
		s := store(t, c, nil) // which has not read: it looks for the start
		h := fail(c, key, kerr.TopicAuthorizationFailed)
		told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
		_, ok := errors.AsType[*cfgerrors.AuthorizationError](err)
		require.True(t, ok, "%v: %v", key, err)
		assert.False(t, cfgerrors.Retriable(err))
		assert.Nil(t, told.Entries)
		assert.Positive(t, h.Hits())
		h.Remove()
		recovered(t, c, s)
	}
}

// answer makes the cluster answer the next requests of a key by hand, nil for a
// connection that breaks.
func answer(c *kfake.Cluster, key kmsg.Key, by func(kmsg.Request) kmsg.Response) {
	c.ControlKey(key.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		if resp := by(req); resp != nil {
			return resp, nil, true
		}
		return nil, errors.New("broken"), true
	})
}

// fetched is an answer to a Fetch of one partition, with changes.
func fetched(req kmsg.Request, change func(*kmsg.FetchResponse, *kmsg.FetchResponseTopicPartition)) kmsg.Response {
	q := req.(*kmsg.FetchRequest)
	resp := q.ResponseKind().(*kmsg.FetchResponse)
	rt := kmsg.NewFetchResponseTopic()
	rt.Topic = q.Topics[0].Topic
	rp := kmsg.NewFetchResponseTopicPartition()
	asked := q.Topics[0].Partitions[0]
	rp.Partition, rp.RecordBatches, rp.LogStartOffset = asked.Partition, []byte{}, 0
	rp.HighWatermark, rp.LastStableOffset = asked.FetchOffset+1, asked.FetchOffset+1
	rt.Partitions = append(rt.Partitions, rp)
	resp.Topics = append(resp.Topics, rt)
	change(resp, &resp.Topics[0].Partitions[0])
	return resp
}

func TestAnAnswerThatMakesNoSenseChangesNothing(t *testing.T) {
	c, s := reading(t)
	for name, change := range map[string]func(*kmsg.FetchResponse, *kmsg.FetchResponseTopicPartition){
		"no topic":          func(r *kmsg.FetchResponse, _ *kmsg.FetchResponseTopicPartition) { r.Topics = nil },
		"no partition":      func(r *kmsg.FetchResponse, _ *kmsg.FetchResponseTopicPartition) { r.Topics[0].Partitions = nil },
		"another partition": func(_ *kmsg.FetchResponse, p *kmsg.FetchResponseTopicPartition) { p.Partition++ },
		"two topics": func(r *kmsg.FetchResponse, _ *kmsg.FetchResponseTopicPartition) {
			r.Topics = append(r.Topics, r.Topics[0])
		},
		"a batch of garbage": func(_ *kmsg.FetchResponse, p *kmsg.FetchResponseTopicPartition) {
			p.RecordBatches = []byte(strings.Repeat("garbage", 20))
		},
		"half a batch": func(_ *kmsg.FetchResponse, p *kmsg.FetchResponseTopicPartition) { p.RecordBatches = make([]byte, 20) },
	} {
		answered := false
		answer(c, kmsg.Fetch, func(req kmsg.Request) kmsg.Response { answered = true; return fetched(req, change) })
		told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
		require.ErrorIs(t, err, errBadAnswer, name)
		assert.Nil(t, told.Entries)
		assert.True(t, answered)
		require.Equal(t, map[string]string{"acks": "1"}, self(t, s), name)
	}
	recovered(t, c, s)
}

func TestABrokenConnectionIsReturnedAndTheNextPollRecovers(t *testing.T) {
	c, s := reading(t)
	answer(c, kmsg.Fetch, func(kmsg.Request) kmsg.Response { return nil })
	told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
	require.Error(t, err)
	assert.Nil(t, told.Entries)
	recovered(t, c, s)
}

// TestALeaderThatIsDownIsReplaced removes the broker that leads, whose partitions
// go to others.
func TestALeaderThatIsDownIsReplaced(t *testing.T) {
	c, s := reading(t)
	leader := c.LeaderFor(DefaultDynamicTopic, alicePartition)
	require.NoError(t, c.RemoveNode(leader))
	told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
	require.NoError(t, err)
	assert.NotEqual(t, leader, told.Node)
	recovered(t, c, s)
}

func TestACallEndsWithItsContext(t *testing.T) {
	c, s := reading(t)
	ctx, cancel := context.WithCancel(withTimeout(t))
	defer cancel()
	c.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		cancel()
		return nil, nil, true // it is never answered
	})
	_, err := s.DescribeSelf(ctx, "orders", nil)
	require.ErrorIs(t, err, context.Canceled)
	recovered(t, c, s)
}
