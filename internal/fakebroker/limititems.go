package fakebroker

import "github.com/twmb/franz-go/pkg/kmsg"

// refuseData is refusalOf for requests about records and topics.
func refuseData(resp kmsg.Response, req kmsg.Request, message *string) {
	switch resp := resp.(type) {
	case *kmsg.ProduceResponse:
		for _, t := range req.(*kmsg.ProduceRequest).Topics {
			rt := kmsg.NewProduceResponseTopic()
			rt.Topic, rt.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				rp := kmsg.NewProduceResponseTopicPartition()
				rp.Partition, rp.BaseOffset, rp.ErrorCode, rp.ErrorMessage = p.Partition, -1, tooLongCode, message
				rt.Partitions = append(rt.Partitions, rp)
			}
			resp.Topics = append(resp.Topics, rt)
		}
	case *kmsg.FetchResponse:
		refuseFetch(resp, req.(*kmsg.FetchRequest))
	case *kmsg.MetadataResponse: // because of the client id; topics are judged one by one
		resp.ErrorCode = tooLongCode
		for _, t := range req.(*kmsg.MetadataRequest).Topics {
			rt := kmsg.NewMetadataResponseTopic()
			rt.Topic, rt.TopicID, rt.ErrorCode = t.Topic, t.TopicID, tooLongCode
			resp.Topics = append(resp.Topics, rt)
		}
	case *kmsg.CreateTopicsResponse: // the same
		for _, t := range req.(*kmsg.CreateTopicsRequest).Topics {
			rt := kmsg.NewCreateTopicsResponseTopic()
			rt.Topic, rt.ErrorCode, rt.ErrorMessage = t.Topic, tooLongCode, message
			resp.Topics = append(resp.Topics, rt)
		}
	case *kmsg.AddPartitionsToTxnResponse:
		refuseAddPartitions(resp, req.(*kmsg.AddPartitionsToTxnRequest))
	}
}

func refuseFetch(resp *kmsg.FetchResponse, req *kmsg.FetchRequest) {
	resp.ErrorCode = tooLongCode
	if req.Version >= 7 { // which has an error for the whole
		return
	}
	for _, t := range req.Topics {
		rt := kmsg.NewFetchResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			rp := kmsg.NewFetchResponseTopicPartition()
			rp.Partition, rp.ErrorCode, rp.HighWatermark = p.Partition, tooLongCode, -1
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

func refuseAddPartitions(resp *kmsg.AddPartitionsToTxnResponse, req *kmsg.AddPartitionsToTxnRequest) {
	resp.ErrorCode = tooLongCode
	for _, t := range req.Topics {
		rt := kmsg.NewAddPartitionsToTxnResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			rp := kmsg.NewAddPartitionsToTxnResponseTopicPartition()
			rp.Partition, rp.ErrorCode = p, tooLongCode
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

// refuseAdmin is refusalOf for requests about configurations and ACLs.
func refuseAdmin(resp kmsg.Response, req kmsg.Request, message *string) {
	switch resp := resp.(type) {
	case *kmsg.DescribeConfigsResponse:
		for _, r := range req.(*kmsg.DescribeConfigsRequest).Resources {
			rr := kmsg.NewDescribeConfigsResponseResource()
			rr.ResourceType, rr.ResourceName, rr.ErrorCode, rr.ErrorMessage = r.ResourceType, r.ResourceName, tooLongCode, message
			resp.Resources = append(resp.Resources, rr)
		}
	case *kmsg.AlterConfigsResponse:
		for _, r := range req.(*kmsg.AlterConfigsRequest).Resources {
			rr := kmsg.NewAlterConfigsResponseResource()
			rr.ResourceType, rr.ResourceName, rr.ErrorCode, rr.ErrorMessage = r.ResourceType, r.ResourceName, tooLongCode, message
			resp.Resources = append(resp.Resources, rr)
		}
	case *kmsg.IncrementalAlterConfigsResponse:
		for _, r := range req.(*kmsg.IncrementalAlterConfigsRequest).Resources {
			rr := kmsg.NewIncrementalAlterConfigsResponseResource()
			rr.ResourceType, rr.ResourceName, rr.ErrorCode, rr.ErrorMessage = r.ResourceType, r.ResourceName, tooLongCode, message
			resp.Resources = append(resp.Resources, rr)
		}
	case *kmsg.CreateACLsResponse:
		for range req.(*kmsg.CreateACLsRequest).Creations {
			rr := kmsg.NewCreateACLsResponseResult()
			rr.ErrorCode, rr.ErrorMessage = tooLongCode, message
			resp.Results = append(resp.Results, rr)
		}
	case *kmsg.DeleteACLsResponse:
		for range req.(*kmsg.DeleteACLsRequest).Filters {
			rr := kmsg.NewDeleteACLsResponseResult()
			rr.ErrorCode, rr.ErrorMessage = tooLongCode, message
			resp.Results = append(resp.Results, rr)
		}
	}
}
