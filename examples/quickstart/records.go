package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// produce produces the records, each with its number as key.
func produce(ctx context.Context, cl *kgo.Client) error {
	var (
		mu    sync.Mutex
		first error
	)
	for i := range records {
		r := &kgo.Record{Key: fmt.Appendf(nil, "%04d", i), Value: []byte("an order")}
		cl.Produce(ctx, r, func(_ *kgo.Record, err error) {
			mu.Lock()
			defer mu.Unlock()
			if first == nil {
				first = err
			}
		})
	}
	if err := cl.Flush(ctx); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	return first
}

// tally counts the records that came back.
type tally struct {
	times map[string]int  // by key
	at    map[int32]int64 // the offset to come, by partition
	end   map[int32]int64 // the end of the partition when it was last fetched
}

func newTally() tally {
	return tally{times: make(map[string]int), at: make(map[int32]int64), end: make(map[int32]int64)}
}

// consume polls until every record came back, and the end of every partition
// that has records was reached: what was written twice is behind the rest.
func consume(ctx context.Context, cl *kgo.Client) (tally, error) {
	t := newTally()
	for !t.complete() {
		fs := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			return t, fmt.Errorf("%d of %d records came back: %w", len(t.times), records, context.Cause(ctx))
		}
		if err := fs.Err(); err != nil {
			return t, err
		}
		fs.EachPartition(func(p kgo.FetchTopicPartition) {
			t.end[p.Partition] = p.HighWatermark
			p.EachRecord(func(r *kgo.Record) { t.add(r) })
		})
	}
	return t, nil
}

func (t tally) add(r *kgo.Record) {
	t.times[string(r.Key)]++
	t.at[r.Partition] = r.Offset + 1
}

func (t tally) complete() bool {
	if len(t.times) < records {
		return false
	}
	for p, end := range t.end {
		if t.at[p] < end {
			return false
		}
	}
	return true
}

// check returns what is wrong with the records that came back.
func (t tally) check() error {
	var errs []error
	for i := range records {
		key := fmt.Sprintf("%04d", i)
		switch n := t.times[key]; {
		case n == 0:
			errs = append(errs, fmt.Errorf("record %s did not come back", key))
		case n > 1:
			errs = append(errs, fmt.Errorf("record %s came back %d times", key, n))
		}
	}
	if len(t.times) > records {
		errs = append(errs, fmt.Errorf("%d records came that nobody produced", len(t.times)-records))
	}
	return errors.Join(errs...)
}
