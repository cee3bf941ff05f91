package client_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// groupCalls are requests with a name in them. Each returns the codes of its answer.
func groupCalls(name string) map[int16]struct {
	req   kmsg.Request
	codes func(kmsg.Response) []int16
} {
	type call = struct {
		req   kmsg.Request
		codes func(kmsg.Response) []int16
	}
	commit, fetch := kmsg.NewPtrOffsetCommitRequest(), kmsg.NewPtrOffsetFetchRequest()
	ct, cp := kmsg.NewOffsetCommitRequestTopic(), kmsg.NewOffsetCommitRequestTopicPartition()
	ct.Topic, ct.Partitions = "orders", append(ct.Partitions, cp, cp)
	commit.Group, commit.Topics = name, append(commit.Topics, ct)
	fetch.Group = name
	find, join := kmsg.NewPtrFindCoordinatorRequest(), kmsg.NewPtrJoinGroupRequest()
	find.CoordinatorKey, join.Group, join.ProtocolType = name, name, "consumer"
	beat, leave, sync := kmsg.NewPtrHeartbeatRequest(), kmsg.NewPtrLeaveGroupRequest(), kmsg.NewPtrSyncGroupRequest()
	beat.Group, leave.Group, sync.Group = name, name, name
	return map[int16]call{
		8: {commit, func(r kmsg.Response) (out []int16) {
			for _, topic := range r.(*kmsg.OffsetCommitResponse).Topics {
				for _, p := range topic.Partitions {
					out = append(out, p.ErrorCode)
				}
			}
			return out
		}},
		9:  {fetch, func(r kmsg.Response) []int16 { return []int16{r.(*kmsg.OffsetFetchResponse).ErrorCode} }},
		10: {find, func(r kmsg.Response) []int16 { return []int16{r.(*kmsg.FindCoordinatorResponse).ErrorCode} }},
		11: {join, func(r kmsg.Response) []int16 { return []int16{r.(*kmsg.JoinGroupResponse).ErrorCode} }},
		12: {beat, func(r kmsg.Response) []int16 { return []int16{r.(*kmsg.HeartbeatResponse).ErrorCode} }},
		13: {leave, func(r kmsg.Response) []int16 { return []int16{r.(*kmsg.LeaveGroupResponse).ErrorCode} }},
		14: {sync, func(r kmsg.Response) []int16 { return []int16{r.(*kmsg.SyncGroupResponse).ErrorCode} }},
	}
}

// Kafka 2.3 is the last one without the flexible encoding.
func TestACorruptRequestReachesNoBrokerAndIsAnInvalidRequest(t *testing.T) {
	c := cluster(t)
	log := &logger{}
	cl := newClient(t, seeds(c, kgo.WithLogger(log)), client.MaxVersions(kversion.V2_3_0()))
	require.NoError(t, cl.Ping(withTimeout(t)))
	for key, call := range groupCalls(strings.Repeat("x", 40_000)) {
		resp, err := cl.Broker(0).Request(withTimeout(t), call.req)
		require.NoError(t, err, "key %d", key)
		codes := call.codes(resp)
		require.NotEmpty(t, codes, "key %d", key)
		for _, code := range codes {
			assert.Equal(t, kerr.InvalidRequest.Code, code, "key %d", key)
		}
		assert.Zero(t, c.Count(fakebroker.AnyNode, key), "key %d", key)
	}
	for key, call := range groupCalls("group") { // the same connections work on
		if key == 11 {
			continue // it would wait for others
		}
		_, err := cl.Broker(0).Request(withTimeout(t), call.req)
		require.NoError(t, err)
		assert.Equal(t, 1, c.Count(fakebroker.AnyNode, key), "the same without the name is seen")
	}
	s := cl.Status()
	assert.EqualValues(t, 7, s.Connections.Corrupt)
	assert.Zero(t, s.Connections.Untracked)
	assert.Len(t, s.Warnings, 1)
	assert.Len(t, log.about("answered with INVALID_REQUEST"), 1, "once for all")
	assert.Empty(t, log.about("killing connection"))
}

func TestFlexibleRequestsCannotBeCorruptAndPass(t *testing.T) {
	c := cluster(t)
	cl := newClient(t, seeds(c))
	for key, call := range groupCalls(strings.Repeat("x", 40_000)) {
		if key == 11 {
			continue
		}
		_, err := cl.Broker(0).Request(withTimeout(t), call.req)
		require.NoError(t, err)
		assert.Equal(t, 1, c.Count(fakebroker.AnyNode, key), "key %d", key)
	}
	assert.Zero(t, cl.Status().Connections.Corrupt)
}

// The metadata of a commit is the one name of kgo's own that comes up at run time.
func TestACommitWithMetadataThatIsTooLongFailsAndTheMemberGoesOn(t *testing.T) {
	c := cluster(t)
	cl := newClient(t, seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit(),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart())), client.MaxVersions(kversion.V2_3_0()))
	produce(t, cl.Client, 10)
	consume(t, cl.Client, 10)
	joins := c.Count(fakebroker.AnyNode, 11)
	commit := func(metadata string) (codes []int16) {
		ctx := kgo.PreCommitFnContext(withTimeout(t), func(req *kmsg.OffsetCommitRequest) error {
			for i := range req.Topics {
				for j := range req.Topics[i].Partitions {
					req.Topics[i].Partitions[j].Metadata = &metadata
				}
			}
			return nil
		})
		cl.CommitOffsetsSync(ctx, cl.UncommittedOffsets(), func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
			require.NoError(t, err)
			for _, topic := range resp.Topics {
				for _, p := range topic.Partitions {
					codes = append(codes, p.ErrorCode)
				}
			}
		})
		return codes
	}
	for _, code := range commit(strings.Repeat("m", 40_000)) {
		assert.Equal(t, kerr.InvalidRequest.Code, code)
	}
	assert.EqualValues(t, 1, cl.Status().Connections.Corrupt)
	codes := commit("short")
	require.NotEmpty(t, codes)
	for _, code := range codes {
		assert.Zero(t, code)
	}
	produce(t, cl.Client, 10)
	consumeMore(t, cl.Client, 10)
	assert.Equal(t, joins, c.Count(fakebroker.AnyNode, 11), "no rebalance")
}

// consumeMore polls until n records came.
func consumeMore(t *testing.T, cl *kgo.Client, n int) {
	t.Helper()
	ctx := withTimeout(t)
	for n > 0 {
		fs := cl.PollFetches(ctx)
		require.NoError(t, context.Cause(ctx))
		require.NoError(t, fs.Err())
		n -= fs.NumRecords()
	}
}
