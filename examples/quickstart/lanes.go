package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// partitions is how many partitions each topic has.
const partitions = 3

// The stream is burst records every pace.
const (
	burst = 10
	pace  = time.Millisecond
)

// stream produces numbered records until stop is closed, number n to partition n
// modulo partitions. It stores their total before it produces the last of each
// partition: who consumes that one knows that it is the last.
func stream(ctx context.Context, cl *kgo.Client, stop <-chan struct{}, total *atomic.Int64) error {
	var (
		once  sync.Once
		first error
	)
	n := 0
	send := func() {
		r := &kgo.Record{Partition: int32(n % partitions), Value: []byte(strconv.Itoa(n))}
		cl.Produce(ctx, r, func(_ *kgo.Record, err error) {
			if err != nil {
				once.Do(func() { first = err })
			}
		})
		n++
	}
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-tick.C:
			for range burst {
				send()
			}
		case <-stop:
			running = false
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	total.Store(int64(n + partitions))
	for range partitions {
		send()
	}
	if err := cl.Flush(ctx); err != nil {
		return err
	}
	return first // every promise was called
}

// drain consumes the stream to its end.
func drain(ctx context.Context, cl *kgo.Client, total *atomic.Int64) (*lanes, error) {
	l := newLanes()
	for !l.complete(int(total.Load())) {
		fs := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			return l, fmt.Errorf("%d records of the stream came back: %w", l.count, context.Cause(ctx))
		}
		if err := fs.Err(); err != nil {
			return l, err
		}
		fs.EachPartition(func(p kgo.FetchTopicPartition) {
			p.EachRecord(func(r *kgo.Record) {
				l.add(r.Partition, string(r.Value))
				l.atEnd[r.Partition] = r.Offset+1 >= p.HighWatermark
			})
		})
	}
	return l, nil
}

// lanes follows the numbers of the stream in each partition.
type lanes struct {
	count int
	next  [partitions]int  // the number to come
	atEnd [partitions]bool // nothing was behind the last record
	wrong []error
}

func newLanes() *lanes {
	l := &lanes{}
	for p := range l.next {
		l.next[p] = p
	}
	return l
}

// add takes the next record of a partition.
func (l *lanes) add(partition int32, value string) {
	l.count++
	n, err := strconv.Atoi(value)
	switch want := l.next[partition]; {
	case err != nil:
		l.wrong = append(l.wrong, fmt.Errorf("partition %d: a record that nobody produced", partition))
		return
	case n < want:
		l.wrong = append(l.wrong, fmt.Errorf("partition %d: record %d came twice or too late", partition, n))
		return
	case n > want:
		l.wrong = append(l.wrong, fmt.Errorf("partition %d: record %d did not come before record %d", partition, want, n))
	}
	l.next[partition] = n + partitions
}

// complete reports whether the last record of each partition came, and nothing
// is behind it: what was written twice may be.
func (l *lanes) complete(total int) bool {
	if total == 0 {
		return false // not known so far
	}
	for _, next := range l.next {
		if next < total {
			return false
		}
	}
	return !slices.Contains(l.atEnd[:], false)
}

// check returns what is wrong with the records of a stream of that many.
func (l *lanes) check(total int) error {
	if l.count != total {
		return errors.Join(append(l.wrong, fmt.Errorf("%d records of the stream came back, not %d", l.count, total))...)
	}
	return errors.Join(l.wrong...)
}
