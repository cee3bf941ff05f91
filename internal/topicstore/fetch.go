package topicstore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/internal/transport"
)

var (
	errBadAnswer = transport.ErrBadAnswer
	// errRestart is returned when the log is not the one that was read before:
	// it must be read from its start.
	errRestart = errors.New("topicstore: the log was truncated")
)

// maxFetch is what one Fetch asks for.
const maxFetch = 1 << 20

// place is how far a partition was read.
type place struct {
	next  int64 // offset of the next record
	epoch int32 // leader epoch of the last one, -1 for unknown
}

// readOn reads a partition from a place to the end that it has now, and gives
// every record to take. It returns the new place, and the end. Records come in
// whole batches, so that what is read ends at one.
func readOn(ctx context.Context, cl *kgo.Client, t topic, partition int32, from place, take func(*kgo.Record)) (p place, end int64, err error) {
	p, end = from, -1
	for {
		before := p.next
		rp, err := fetchOnce(ctx, cl, t, partition, p)
		if err != nil {
			return p, end, err
		}
		if end < 0 {
			end = rp.LastStableOffset
		}
		fp, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
			Offset: p.next, IsolationLevel: kgo.ReadCommitted(), Topic: t.name, Partition: partition,
		}, rp, kgo.DefaultDecompressor(), nil)
		for _, r := range fp.Records {
			take(r)
		}
		if next > p.next {
			p.epoch = lastEpoch(rp.RecordBatches, next, p.epoch)
		}
		p.next = next
		switch {
		case fp.Err == nil && p.next >= end:
			return p, p.next, nil
		case len(rp.RecordBatches) == 0:
			// What was behind it was compacted away. It stays here, as a
			// consumer does.
			return p, end, nil
		case fp.Err != nil:
			return p, end, fmt.Errorf("topicstore: Fetch of topic %s, partition %d: %w: %w", t.name, partition, fp.Err, errBadAnswer)
		case p.next == before:
			return p, end, fmt.Errorf("topicstore: Fetch of topic %s, partition %d: nothing more comes at offset %d of %d: %w", t.name, partition, p.next, end, errBadAnswer)
		}
	}
}

// fetchOnce sends one Fetch to the leader.
func fetchOnce(ctx context.Context, cl *kgo.Client, t topic, partition int32, from place) (*kmsg.FetchResponseTopicPartition, error) {
	req := kmsg.NewPtrFetchRequest()
	req.MinBytes, req.MaxBytes, req.IsolationLevel = 0, maxFetch, 1
	req.SessionEpoch = -1 // no session
	rt := kmsg.NewFetchRequestTopic()
	rt.Topic, rt.TopicID = t.name, t.id
	rp := kmsg.NewFetchRequestTopicPartition()
	rp.Partition, rp.FetchOffset, rp.LastFetchedEpoch, rp.PartitionMaxBytes = partition, from.next, from.epoch, maxFetch
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)

	if t.leaders[partition] < 0 {
		return nil, refused("Fetch", t.name, kerr.LeaderNotAvailable.Code)
	}
	resp, err := req.RequestWith(ctx, cl.Broker(int(t.leaders[partition])))
	if err != nil {
		return nil, fmt.Errorf("topicstore: Fetch: %w", err)
	}
	if resp.ErrorCode != 0 {
		return nil, refused("Fetch", t.name, resp.ErrorCode)
	}
	if len(resp.Topics) == 0 && resp.ThrottleMillis > 0 {
		return nil, refused("Fetch", t.name, kerr.ThrottlingQuotaExceeded.Code) // how a broker says so here
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 || resp.Topics[0].Partitions[0].Partition != partition {
		return nil, fmt.Errorf("topicstore: Fetch of topic %s: %w", t.name, errBadAnswer)
	}
	got := &resp.Topics[0].Partitions[0]
	switch {
	case got.ErrorCode == kerr.OffsetOutOfRange.Code, got.ErrorCode == 0 && (got.DivergingEpoch.EndOffset >= 0 || got.LogStartOffset > from.next):
		return nil, errRestart
	case got.ErrorCode != 0:
		return nil, refused("Fetch", t.name, got.ErrorCode)
	case got.LastStableOffset < from.next:
		// A new leader that does not know yet how far the old one was: from
		// the start it would show a state that is over. A log that really is
		// shorter is OFFSET_OUT_OF_RANGE.
		return nil, refused("Fetch", t.name, kerr.OffsetNotAvailable.Code)
	}
	return got, nil
}

// lastEpoch is the leader epoch of the last batch before an offset: of a transaction
// marker, too, and of a batch that compaction left empty, which are no records.
func lastEpoch(batches []byte, next int64, epoch int32) int32 {
	const head = 17 // offset, length, epoch and magic
	for len(batches) >= head && int64(binary.BigEndian.Uint64(batches)) < next {
		n := 12 + int64(binary.BigEndian.Uint32(batches[8:]))
		if batches[16] == 2 {
			epoch = int32(binary.BigEndian.Uint32(batches[12:]))
		}
		if n > int64(len(batches)) {
			break
		}
		batches = batches[n:]
	}
	return epoch
}

// start returns where a partition begins.
func start(ctx context.Context, cl *kgo.Client, t topic, partition int32) (place, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	rt := kmsg.NewListOffsetsRequestTopic()
	rt.Topic = t.name
	rp := kmsg.NewListOffsetsRequestTopicPartition()
	rp.Partition, rp.Timestamp = partition, -2 // the earliest
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	if t.leaders[partition] < 0 {
		return place{}, refused("ListOffsets", t.name, kerr.LeaderNotAvailable.Code)
	}
	resp, err := req.RequestWith(ctx, cl.Broker(int(t.leaders[partition])))
	if err != nil {
		return place{}, fmt.Errorf("topicstore: ListOffsets: %w", err)
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return place{}, fmt.Errorf("topicstore: ListOffsets of topic %s: %w", t.name, errBadAnswer)
	}
	got := resp.Topics[0].Partitions[0]
	if got.ErrorCode != 0 {
		return place{}, refused("ListOffsets", t.name, got.ErrorCode)
	}
	return place{next: got.Offset, epoch: -1}, nil
}
