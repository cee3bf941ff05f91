package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// placeOrders produces the records that are to be transformed.
func placeOrders(ctx context.Context, seeds kgo.Opt) error {
	cl, err := kgo.NewClient(seeds, kgo.DefaultProduceTopic(orders))
	if err != nil {
		return err
	}
	defer cl.Close()
	rs := make([]*kgo.Record, 0, records)
	for i := range records {
		rs = append(rs, kgo.StringRecord(fmt.Sprintf("order %d", i)))
	}
	return cl.ProduceSync(ctx, rs...).FirstErr()
}

// transform turns every order into a receipt, and returns how many transactions
// that took. What a transaction that was not committed has read comes again.
func transform(ctx context.Context, s *kgo.GroupTransactSession) (transactions int, err error) {
	for done := 0; done < records; {
		fs := s.PollRecords(ctx, 10)
		if ctx.Err() != nil {
			return transactions, context.Cause(ctx)
		}
		if err := fs.Err(); err != nil {
			return transactions, err
		}
		committed, err := one(ctx, s, fs)
		if err != nil {
			return transactions, err
		}
		if committed {
			transactions++
			done += fs.NumRecords()
		}
	}
	return transactions, nil
}

// one does one transaction.
func one(ctx context.Context, s *kgo.GroupTransactSession, fs kgo.Fetches) (committed bool, err error) {
	if err := s.Begin(); err != nil {
		return false, err
	}
	promise := kgo.AbortingFirstErrPromise(s.Client())
	fs.EachRecord(func(r *kgo.Record) {
		s.Produce(ctx, &kgo.Record{Topic: receipts, Value: append([]byte("receipt for "), r.Value...)}, promise.Promise())
	})
	failed := promise.Err()
	committed, err = s.End(ctx, failed == nil)
	return committed, errors.Join(failed, err)
}
