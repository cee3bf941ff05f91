package client_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// churn runs a fleet of clients through lives of producing and consuming, while
// the brokers misbehave towards ours in every way and break all connections now
// and then. It returns how many lives the fleet had, and how many of them ended
// early: a connection that breaks before its first answer is final for kgo, with or
// without us.
func churn(t *testing.T, clients int, d time.Duration) (lives, short int) {
	t.Helper()
	c := cluster(t, fakebroker.Brokers(3))
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()

	var wg sync.WaitGroup
	var all, early atomic.Int64
	for range clients {
		wg.Go(func() {
			for first := true; first || ctx.Err() == nil; first = false {
				if !life(t, c) {
					early.Add(1)
				}
				all.Add(1)
			}
		})
	}
	wg.Go(func() { misbehave(ctx, c) })
	wg.Wait()
	return int(all.Load()), int(early.Load())
}

// misbehave lets the next requests of ours fail in a random way, again and again.
func misbehave(ctx context.Context, c *fakebroker.Cluster) {
	faults := []fakebroker.Fault{
		{Code: 7, Message: "later"},
		{Code: 40, Message: "no"},
		{Delay: 50 * time.Millisecond},
		{Never: true},
		{Drop: true},
		{Truncate: 9},
		{Garbage: []byte{0xff, 0xff, 0xff, 0xff}},
		{WrongCorrelation: true},
		{Close: fakebroker.CloseOnReceipt},
		{Close: fakebroker.CloseBeforeAnswer},
		{ThrottleMillis: 20},
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			c.ClearScript()
			return
		case <-tick.C:
		}
		c.Script(faults[rand.IntN(len(faults))])
		if n%100 == 99 {
			c.CloseConnections()
		}
	}
}

// life is one client from its making to its end: its records must all come back,
// whatever happens to its pushes. It returns false if kgo gave up, see churn.
func life(t *testing.T, c *fakebroker.Cluster) bool {
	t.Helper()
	const records = 50
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	cl, err := client.New(seeds(c, kgo.ConsumeTopics("orders"), kgo.ConsumeStartOffset(kgo.NewOffset().AtEnd())),
		quick(), client.PushTimeout(200*time.Millisecond))
	if !assert.NoError(t, err) {
		return true
	}
	defer cl.Close()

	mine := fmt.Sprintf("%p", cl)
	offsets := make(map[string]bool)
	for i := range records {
		r, err := cl.ProduceSync(ctx, &kgo.Record{Topic: "orders", Key: []byte(mine), Value: fmt.Append(nil, i)}).First()
		if _, first := errors.AsType[*kgo.ErrFirstReadEOF](err); first {
			return false
		}
		if !assert.NoError(t, err) {
			return true
		}
		offsets[fmt.Sprint(r.Partition, "/", r.Offset)] = true
	}
	assert.Len(t, offsets, records, "every record has a place of its own")
	s := cl.Status()
	assert.Contains(t, []kcfg.PushState{kcfg.PushPushing, kcfg.PushPushed, kcfg.PushFailed, kcfg.PushWaiting}, s.Push.State)
	assert.Zero(t, s.Connections.Refused)
	return true
}

func TestAFleetUnderFaultsLosesNothing(t *testing.T) {
	lives, short := churn(t, 5, time.Second)
	require.Greater(t, lives, short)
}
