package integration_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// feed produces records to the topic of a group, one after the other, until it is
// stopped. Their values are their numbers.
type feed struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	made   int
}

func (g *memberGroup) feed(t *testing.T) *feed {
	t.Helper()
	cl := bare(t, g.c.Addrs(), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()))
	ctx, cancel := context.WithCancel(context.Background()) // the test's own ends too soon
	f := &feed{cancel: cancel}
	t.Cleanup(func() { f.stop() })
	f.done.Go(func() {
		pace := time.NewTicker(20 * time.Millisecond)
		defer pace.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-pace.C:
			}
			record := &kgo.Record{Topic: g.topic, Value: fmt.Append(nil, f.made)}
			if !assert.NoError(t, cl.ProduceSync(context.WithoutCancel(ctx), record).FirstErr()) {
				return
			}
			f.made++
		}
	})
	return f
}

// stop stops it and returns how many records there are.
func (f *feed) stop() int {
	f.cancel()
	f.done.Wait()
	return f.made
}

// markEnd adds a record to each partition, and waits for them: what comes again comes
// before.
func (g *memberGroup) markEnd(t *testing.T, made int) {
	t.Helper()
	cl := bare(t, g.c.Addrs(), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	for p := range g.partitions {
		record := &kgo.Record{Topic: g.topic, Partition: int32(p), Value: fmt.Append(nil, "end of ", p)}
		require.NoError(t, cl.ProduceSync(withTimeout(t), record).FirstErr())
	}
	eventually(t, func() bool { return g.consumed() == made+g.partitions }, "the last records came")
}

// repeated returns the values that came more than once.
func (g *memberGroup) repeated() (out []string) {
	times := make(map[string]int)
	for _, m := range g.members {
		m.mu.Lock()
		for v, n := range m.consumed {
			times[v] += n
		}
		m.mu.Unlock()
	}
	for v, n := range times {
		if n > 1 {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}
