package client_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// acknowledged are the offsets that brokers acknowledged, as they passed on the
// wire, whether or not the client got to read them.
type acknowledged struct {
	mu      sync.Mutex
	offsets [3]map[int64]bool
}

func (a *acknowledged) note(req *kmsg.ProduceRequest, resp *kmsg.ProduceResponse) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			if p.ErrorCode != 0 {
				continue
			}
			at := slices.IndexFunc(req.Topics[i].Partitions, func(q kmsg.ProduceRequestTopicPartition) bool { return q.Partition == p.Partition })
			var b kmsg.RecordBatch
			if at < 0 || b.ReadFrom(req.Topics[i].Partitions[at].Records) != nil {
				continue
			}
			if a.offsets[p.Partition] == nil {
				a.offsets[p.Partition] = make(map[int64]bool)
			}
			for n := range int64(b.NumRecords) {
				a.offsets[p.Partition][p.BaseOffset+n] = true
			}
		}
	}
}

// deadly flips acks while brokers die and come back, and requires what a broker
// acknowledged to be there, and nothing to be told that none did. It returns how
// many of the deaths took a Produce with them that was on its way or not answered.
func deadly(t *testing.T, deaths int) int {
	t.Helper()
	c := overriding(t, fakebroker.Brokers(3))
	w := watchProduce(c)
	acked := &acknowledged{}
	b := &between{answered: acked.note}
	t.Cleanup(b.passing.Wait)
	busy := 0
	l, hooks := loaded(t, c, 5, func(cl *client.Client, l *load) {
		for n := range deaths {
			flip(t, c, cl, -1, 0, 1)
			l.await(t, rand.Int64N(300))
			acks := []int16{-1, 0, 1}[n%3]
			flip(t, c, cl, acks)
			l.await(t, 300) // more than can be buffered: it goes on in every partition
			if die(t, c, b, n, acks != 0) {
				busy++
			}
		}
		l.await(t, 300) // it goes on
	}, client.Dialer(b.dial))
	promisedOnce(t, l, hooks)
	told := kept(t, c, l, acked)
	assert.Positive(t, told)
	assert.Positive(t, w.of(0), "acks 0 was among them")
	t.Logf("%d deaths, %d with a Produce to be answered, %d dials refused: %d records were acknowledged, %d came with acks 0",
		deaths, busy, b.refused.Load(), told, w.of(0))
	return busy
}

// kept requires that each record of which the client was told an offset was
// acknowledged by a broker, and that it is there. It returns how many these are.
func kept(t *testing.T, c *fakebroker.Cluster, l *load, acked *acknowledged) (told int) {
	t.Helper()
	got := places(t, c)
	for part, sent := range l.sent {
		for offset := range acked.offsets[part] {
			require.Less(t, offset, int64(len(got[part])), "partition %d", part)
		}
		for place, pr := range sent {
			offset := pr.offset.Load()
			if pr.failed.Load() || offset < 0 {
				continue
			}
			told++
			require.True(t, acked.offsets[part][offset], "record %d of partition %d, at %d: no broker said so", place, part, offset)
			require.Equal(t, place, got[part][offset], "partition %d, at %d", part, offset)
		}
	}
	return told
}

// die lets one broker die, or every fourth time all, and lets it come back once a
// client tried to connect. If answers are expected, its death begins while one
// Produce is with it: served, or every second time not. It reports whether that
// was so.
func die(t *testing.T, c *fakebroker.Cluster, b *between, n int, answers bool) bool {
	t.Helper()
	victims := []int32{c.Kfake().LeaderFor("orders", rand.Int32N(3))}
	if n%4 == 3 {
		victims = c.Nodes()
	}
	cut, refused := b.cut.Load(), b.refused.Load()
	for _, node := range victims {
		b.down.Store(c.Addrs()[node], nil)
	}
	if answers {
		how := []fakebroker.Close{fakebroker.CloseBeforeAnswer, fakebroker.CloseOnReceipt}[n%2]
		c.Script(fakebroker.Fault{Keys: []int16{int16(kmsg.Produce)}, Nodes: victims, Close: how})
		eventually(t, func() bool { return b.cut.Load() > cut }, "a connection ends instead of an answer")
		c.ClearScript()
	}
	c.CloseConnections(victims...)
	eventually(t, func() bool { return b.refused.Load() > refused }, "it is gone")
	b.down.Clear()
	return b.cut.Load() > cut
}

func TestDeathsOfBrokersDuringFlipsLoseNothingThatWasAcknowledged(t *testing.T) {
	assert.GreaterOrEqual(t, deadly(t, 20), 13)
}
