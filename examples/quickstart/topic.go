package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// createTopic creates a topic with the cluster's own replication factor, and
// returns its id, which is zero on brokers before 2.8.
func createTopic(ctx context.Context, cl *kgo.Client, topic string) (id [16]byte, err error) {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = topic, partitions, -1
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return id, fmt.Errorf("create topic %s: %w", topic, err)
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return id, fmt.Errorf("create topic %s: %w", topic, err)
		}
		id = t.TopicID
	}
	return id, nil
}

func deleteTopic(ctx context.Context, cl *kgo.Client, topic string) error {
	t := kmsg.NewDeleteTopicsRequestTopic()
	t.Topic = new(topic)
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.Topics, req.TopicNames = append(req.Topics, t), []string{topic} // by version
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return fmt.Errorf("delete topic %s: %w", topic, err)
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) {
			return fmt.Errorf("delete topic %s: %w", topic, err)
		}
	}
	return nil
}

func deleteGroup(ctx context.Context, cl *kgo.Client, group string) error {
	req := kmsg.NewPtrDeleteGroupsRequest()
	req.Groups = []string{group}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return fmt.Errorf("delete group %s: %w", group, err)
	}
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
			return fmt.Errorf("delete group %s: %w", group, err)
		}
	}
	return nil
}
