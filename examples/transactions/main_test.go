package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestWhatASessionPushesIsShown(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(withTimeout(t), &out, nil), "%s", &out)
	assert.Contains(t, out.String(), "30 orders became receipts in ")
	assert.Contains(t, out.String(), "What orders-clerk pushed as producer,consumer")
	for _, pushed := range []string{"transactional.id", "orders-clerk-1", "group.id", "clerks", "isolation.level", "acks"} {
		assert.Contains(t, out.String(), pushed)
	}
}

// Every order becomes one receipt, as on a session without the plugin.
func TestEveryOrderBecomesOneReceipt(t *testing.T) {
	for name, opts := range map[string][]kgo.Opt{"bare": nil, "with the plugin": client.NewPlugin().Opts()} {
		t.Run(name, func(t *testing.T) {
			ctx := withTimeout(t)
			broker, err := fakebroker.New(fakebroker.Topics(3, orders, receipts), fakebroker.Policy(&fakebroker.RecordPolicy{}))
			require.NoError(t, err)
			defer broker.Close()
			seeds := kgo.SeedBrokers(broker.Addrs()...)
			require.NoError(t, placeOrders(ctx, seeds))

			session, err := kgo.NewGroupTransactSession(append(opts, seeds, kgo.ConsumerGroup("clerks"), kgo.ConsumeTopics(orders), kgo.TransactionalID("clerk"))...)
			require.NoError(t, err)
			defer session.Close()
			_, err = transform(ctx, session)
			require.NoError(t, err)

			reader, err := kgo.NewClient(seeds, kgo.ConsumeTopics(receipts), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
			require.NoError(t, err)
			defer reader.Close()
			times := make(map[string]int)
			for len(times) < records {
				fs := reader.PollFetches(ctx)
				require.NoError(t, ctx.Err())
				require.NoError(t, fs.Err())
				fs.EachRecord(func(r *kgo.Record) { times[string(r.Value)]++ })
			}
			for i := range records {
				assert.Equal(t, 1, times[fmt.Sprintf("receipt for order %d", i)], "order %d", i)
			}
		})
	}
}

func TestATransactionsRunIsBoundedInTime(t *testing.T) {
	var out strings.Builder
	require.Error(t, run(withTimeout(t), &out, []string{"-timeout", "1ns"}))
	require.Error(t, run(withTimeout(t), &out, []string{"stray"}))
}
