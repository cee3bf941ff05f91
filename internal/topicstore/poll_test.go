package topicstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

func TestAPollThatFindsNothingNewIsTwoRequests(t *testing.T) {
	c := cluster(t)
	var n conns
	s := store(t, c, func(cfg *Config) { cfg.Dial = n.dial })
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))

	w := watch(c)
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	assert.Equal(t, []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets, kmsg.Fetch}, keysOf(w.take()), "the first poll looks for the start")
	for range 3 {
		require.Equal(t, map[string]string{"acks": "1"}, self(t, s))
		assert.Equal(t, []kmsg.Key{kmsg.Metadata, kmsg.Fetch}, keysOf(w.take()))
	}

	// What is not connected sends nothing until the next poll.
	require.Positive(t, n.ever.Load())
	eventually(t, "every connection is closed", func() bool { return n.open.Load() == 0 })
	assert.Empty(t, w.take())
}

func TestAPollReadsOnlyWhatIsNew(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))

	var from []int64
	c.ControlKey(kmsg.Fetch.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		for _, rt := range req.(*kmsg.FetchRequest).Topics {
			for _, rp := range rt.Partitions {
				from = append(from, rp.FetchOffset)
			}
		}
		return nil, nil, false
	})
	putAlice(t, c, acksOf("0"))
	require.Equal(t, map[string]string{"acks": "0"}, self(t, s))
	require.Equal(t, map[string]string{"acks": "0"}, self(t, s))
	assert.Equal(t, []int64{2, 3}, from)
}

// TestAStoreForNobodyAsksNothing is for a client that does not know its user.
func TestAStoreForNobodyAsksNothing(t *testing.T) {
	c := cluster(t)
	s := store(t, c, func(cfg *Config) { cfg.Principal = nil })
	setUp(t, s)
	w := watch(c)
	told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
	require.ErrorIs(t, err, errNoPrincipal)
	assert.Empty(t, told)
	assert.Empty(t, w.take())
	// The watch works.
	_, err = s.Describe(withTimeout(t), kcfg.Filter{})
	require.NoError(t, err)
	assert.NotEmpty(t, w.take())
}

// TestAReaderThatWasAwayForLongReadsFromTheStart, since a tombstone may have gone
// meanwhile.
func TestAReaderThatWasAwayForLongReadsFromTheStart(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alice := kcfg.User("alice")
	alter(t, s, alice, kcfg.Set("acks", "1"), kcfg.Set("linger.ms", "5"))
	require.Len(t, self(t, s), 2)
	setBy(t, c, DefaultDynamicTopic, "delete.retention.ms", "0")
	alter(t, s, alice, kcfg.Remove("linger.ms"))
	alter(t, s, kcfg.User("alice").Client("payments"), kcfg.Set("acks", "0"))
	c.Compact()

	s.reader.at = time.Now().Add(-deleteRetention/2 - time.Second)
	w := watch(c)
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	assert.Equal(t, []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets, kmsg.Fetch}, keysOf(w.take()))
	self(t, s)
	assert.Equal(t, []kmsg.Key{kmsg.Metadata, kmsg.Fetch}, keysOf(w.take()))
}
