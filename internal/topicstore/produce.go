package topicstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// write writes records of one partition as one batch, which is all or nothing,
// and waits until every in-sync replica has it. Nothing else is in the session's
// buffer.
func write(ctx context.Context, cl *kgo.Client, t topic, partition int32, records ...*kgo.Record) error {
	errs := make([]error, len(records))
	// Flush sends what is there. While kgo still looks for the topic's leaders
	// nothing is, and then it comes record by record: so wait for all of them.
	ready := make(chan struct{}, 2*len(records))
	rctx := context.WithValue(ctx, readyKey{}, ready)
	for i, r := range records {
		r.Topic, r.Partition = t.name, partition
		if i < len(records)-1 {
			r.Headers = []kgo.RecordHeader{{Key: moreHeader}}
		}
		cl.Produce(rctx, r, func(_ *kgo.Record, err error) {
			errs[i] = err
			ready <- struct{}{} // it may have failed before it had a partition
		})
	}
	for range records {
		select {
		case <-ready:
		case <-ctx.Done():
			return fmt.Errorf("topicstore: Produce to topic %s: %w", t.name, context.Cause(ctx))
		}
	}
	if err := cl.Flush(ctx); err != nil {
		return fmt.Errorf("topicstore: Produce to topic %s: %w", t.name, err)
	}
	for _, err := range errs {
		if err != nil {
			return produceError(t.name, err)
		}
	}
	return nil
}

// readyKey is the key of the channel in a record's context that takes one element
// when the record is in its partition's buffer.
type readyKey struct{}

// announce is the session's hook for that.
type announce struct{}

var _ kgo.HookProduceRecordPartitioned = announce{}

func (announce) OnProduceRecordPartitioned(r *kgo.Record, _ int32) {
	if ready, ok := r.Context.Value(readyKey{}).(chan struct{}); ok {
		ready <- struct{}{}
	}
}

// produceError makes a typed error of those of Kafka's that have one.
func produceError(name string, err error) error {
	if code, ok := errors.AsType[*kerr.Error](err); ok && !code.Retriable {
		return refused("Produce", name, code.Code)
	}
	return fmt.Errorf("topicstore: Produce to topic %s: %w", name, err)
}
