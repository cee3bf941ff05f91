package fakebroker

import (
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/internal/identifier"
)

// hasNames reports whether names of a request are looked at.
func hasNames(key int16) bool {
	switch kmsg.Key(key) {
	case kmsg.Produce, kmsg.Metadata, kmsg.Fetch, kmsg.CreateTopics,
		kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.LeaveGroup,
		kmsg.OffsetCommit, kmsg.OffsetFetch, kmsg.FindCoordinator,
		kmsg.InitProducerID, kmsg.AddPartitionsToTxn, kmsg.TxnOffsetCommit,
		kmsg.ConsumerGroupHeartbeat, kmsg.ShareGroupHeartbeat,
		kmsg.DescribeConfigs, kmsg.AlterConfigs, kmsg.IncrementalAlterConfigs,
		kmsg.DescribeACLs, kmsg.CreateACLs, kmsg.DeleteACLs:
		return true
	}
	return false
}

// The answers to a request with a name that is too long have INVALID_REQUEST: the
// request is refused as a whole, and its answer says so where the version has an error
// for the whole, and else for every item.
const tooLongCode = 42

// refusalOf returns the answer to a request with a name that is too long.
func refusalOf(cfg *config, req kmsg.Request, tooLong error) kmsg.Response {
	resp := req.ResponseKind()
	message := lengths(tooLong)
	switch resp := resp.(type) {
	case *kmsg.JoinGroupResponse:
		resp.ErrorCode, resp.Generation = tooLongCode, -1
	case *kmsg.SyncGroupResponse:
		resp.ErrorCode = tooLongCode
	case *kmsg.HeartbeatResponse:
		resp.ErrorCode = tooLongCode
	case *kmsg.LeaveGroupResponse:
		resp.ErrorCode = tooLongCode
	case *kmsg.ConsumerGroupHeartbeatResponse:
		resp.ErrorCode, resp.ErrorMessage = tooLongCode, &message
	case *kmsg.ShareGroupHeartbeatResponse:
		resp.ErrorCode, resp.ErrorMessage = tooLongCode, &message
	case *kmsg.InitProducerIDResponse:
		resp.ErrorCode, resp.ProducerID, resp.ProducerEpoch = tooLongCode, -1, -1
	case *kmsg.DescribeACLsResponse:
		resp.ErrorCode, resp.ErrorMessage = tooLongCode, &message
	case *kmsg.FindCoordinatorResponse:
		refuseCoordinators(resp, req.(*kmsg.FindCoordinatorRequest), &message)
	case *kmsg.OffsetCommitResponse:
		for _, t := range req.(*kmsg.OffsetCommitRequest).Topics {
			rt := kmsg.NewOffsetCommitResponseTopic()
			rt.Topic, rt.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				rp := kmsg.NewOffsetCommitResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p.Partition, cfg.metadataCode(p.Metadata)
				rt.Partitions = append(rt.Partitions, rp)
			}
			resp.Topics = append(resp.Topics, rt)
		}
	case *kmsg.TxnOffsetCommitResponse:
		for _, t := range req.(*kmsg.TxnOffsetCommitRequest).Topics {
			rt := kmsg.NewTxnOffsetCommitResponseTopic()
			rt.Topic, rt.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				rp := kmsg.NewTxnOffsetCommitResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p.Partition, cfg.metadataCode(p.Metadata)
				rt.Partitions = append(rt.Partitions, rp)
			}
			resp.Topics = append(resp.Topics, rt)
		}
	case *kmsg.OffsetFetchResponse:
		refuseOffsets(resp, req.(*kmsg.OffsetFetchRequest))
	default:
		refuseData(resp, req, &message)
		refuseAdmin(resp, req, &message)
	}
	return resp
}

// metadataCode is that of a partition in a commit that is refused.
func (c *config) metadataCode(metadata *string) int16 {
	if metadata != nil && identifier.CheckMetadata(*metadata, c.offsetMetadata) != nil {
		return kerr.OffsetMetadataTooLarge.Code
	}
	return tooLongCode
}

func refuseCoordinators(resp *kmsg.FindCoordinatorResponse, req *kmsg.FindCoordinatorRequest, message *string) {
	resp.ErrorCode, resp.ErrorMessage, resp.NodeID, resp.Port = tooLongCode, message, -1, -1
	for _, key := range req.CoordinatorKeys {
		rc := kmsg.NewFindCoordinatorResponseCoordinator()
		rc.Key, rc.ErrorCode, rc.ErrorMessage, rc.NodeID, rc.Port = key, tooLongCode, message, -1, -1
		resp.Coordinators = append(resp.Coordinators, rc)
	}
}

func refuseOffsets(resp *kmsg.OffsetFetchResponse, req *kmsg.OffsetFetchRequest) {
	resp.ErrorCode = tooLongCode
	for _, g := range req.Groups {
		rg := kmsg.NewOffsetFetchResponseGroup()
		rg.Group, rg.ErrorCode = g.Group, tooLongCode
		resp.Groups = append(resp.Groups, rg)
	}
	if req.Version >= 2 { // which has an error for the whole
		return
	}
	for _, t := range req.Topics {
		rt := kmsg.NewOffsetFetchResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			rp := kmsg.NewOffsetFetchResponseTopicPartition()
			rp.Partition, rp.Offset, rp.Metadata, rp.ErrorCode = p, -1, new(""), tooLongCode
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}
