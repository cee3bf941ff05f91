package topicstore

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// asked is the offset that a Fetch of one partition asks for.
func asked(req kmsg.Request) int64 {
	return req.(*kmsg.FetchRequest).Topics[0].Partitions[0].FetchOffset
}

// TestANewLeaderThatKnowsLessOfTheEndTakesNothingBack is about the time after an
// election, in which the high watermark of the new leader can be behind that of
// the old one although it has every record.
func TestANewLeaderThatKnowsLessOfTheEndTakesNothingBack(t *testing.T) {
	c, s := reading(t)
	var before []byte
	for _, b := range rawBatches(t, c, alicePartition) {
		before = b.AppendTo(before)
	}
	putAlice(t, c, acksOf("0"))
	require.Equal(t, map[string]string{"acks": "0"}, self(t, s))

	var behind atomic.Bool
	behind.Store(true)
	c.ControlKey(kmsg.Fetch.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return fetched(req, func(_ *kmsg.FetchResponse, p *kmsg.FetchResponseTopicPartition) {
			p.HighWatermark, p.LastStableOffset = 2, 2
			if asked(req) == 0 {
				p.RecordBatches = before
			}
		}), nil, behind.Load()
	})
	for range 3 {
		told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
		require.Error(t, err)
		assert.True(t, cfgerrors.Retriable(err), err)
		assert.Nil(t, told.Entries)
	}
	behind.Store(false)
	w := watch(c)
	assert.Equal(t, map[string]string{"acks": "0"}, self(t, s))
	assert.Equal(t, []kmsg.Key{kmsg.Metadata, kmsg.Fetch}, keysOf(w.take()), "what was read still stands")
}

// TestALogWhoseEndWasCompactedAwayIsReadToItsEnd: a broker answers a Fetch behind
// the last record that is left, and before the end, with no records.
func TestALogWhoseEndWasCompactedAwayIsReadToItsEnd(t *testing.T) {
	c, s := reading(t)
	var gone atomic.Bool
	gone.Store(true)
	c.ControlKey(kmsg.Fetch.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return fetched(req, func(*kmsg.FetchResponse, *kmsg.FetchResponseTopicPartition) {}), nil, gone.Load() && asked(req) == 2
	})
	for range 3 {
		assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	}
	fresh := store(t, c, nil)
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, fresh))
	gone.Store(false)
	recovered(t, c, s)
	assert.Equal(t, map[string]string{"acks": "1", "linger.ms": "5"}, self(t, fresh))
}

func TestABatchThatCannotBeReadIsNotTakenForTheEnd(t *testing.T) {
	c, s := reading(t)
	answer(c, kmsg.Fetch, func(req kmsg.Request) kmsg.Response {
		return fetched(req, func(_ *kmsg.FetchResponse, p *kmsg.FetchResponseTopicPartition) {
			b := make([]byte, 61)
			b[7], b[11], b[16] = byte(asked(req)), byte(len(b)-12), 9 // offset, length, and a magic of the future
			p.RecordBatches = b
		})
	})
	_, err := s.DescribeSelf(withTimeout(t), "orders", nil)
	require.ErrorIs(t, err, errBadAnswer)
	recovered(t, c, s)
}

// TestAnAlterationThatIsHalfWrittenWhileOthersAreReadIsNotBelieved has more than
// one Fetch, and something written between the first two.
func TestAnAlterationThatIsHalfWrittenWhileOthersAreReadIsNotBelieved(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	cl := writer(t, c, kgo.ProducerBatchMaxBytes(64<<10))
	ctx := withTimeout(t)
	for i := range 2 * maxFetch / (8 << 10) {
		r := rec(fmt.Sprintf(`[1,"alice",null,"k%d"]`, i%7), fmt.Sprintf(`{"version":1,"value":"%d","pad":%q}`, i, strings.Repeat("x", 8<<10)))
		r.Topic, r.Partition = DefaultDynamicTopic, alicePartition
		cl.Produce(ctx, r, func(_ *kgo.Record, err error) { assert.NoError(t, err) })
	}
	require.NoError(t, cl.Flush(ctx))
	fetches := 0
	c.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if fetches++; fetches == 2 {
			c.SleepControl(func() { putAlice(t, c, more(acksOf("0"))) })
		}
		return nil, nil, false
	})
	notRead(t, s, "not complete")
	putAlice(t, c, rec(`[1,"alice",null,"linger.ms"]`, `{"version":1,"value":"5"}`))
	got := self(t, s)
	assert.Equal(t, "0", got["acks"])
	assert.Equal(t, "5", got["linger.ms"])
}
