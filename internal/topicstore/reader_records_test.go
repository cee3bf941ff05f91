package topicstore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

func TestGarbageIsSkippedWhereverItIs(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	require.NoError(t, c.CreateTopic(DefaultDynamicTopic, partitions, nil))
	require.NoError(t, c.CreateTopic(DefaultClientsTopic, partitions, nil))
	garbage := func() []*kgo.Record {
		return []*kgo.Record{
			rec("garbage", "x"), {Value: []byte("x")}, rec("\xff", "\xff"), rec("", ""),
			rec(`[2,"alice",null,"acks"]`, `{"version":2,"value":"0"}`),      // of a later version
			rec(`[1,"\u0061lice",null,"acks"]`, `{"version":1,"value":"0"}`), // of another spelling
			tombstone(`[1,"alice",null,"acks"] `),
			rec(`[1,"5a4a"]`, `{"version":1}`), // of the other topic
			rec(`[1,"alice",null,"acks"]`, strings.Repeat("x", maxDynamicRecord)),
		}
	}
	putAlice(t, c, garbage()...)
	putHeaders(t, c, DefaultDynamicTopic, headerOf(t, s))
	putAlice(t, c, garbage()...)
	putAlice(t, c, acksOf("1"))
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	assert.Equal(t, 2*len(garbage()), s.Skipped())

	putAlice(t, c, garbage()...)
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	assert.Equal(t, 3*len(garbage()), s.Skipped())
}

func TestAValueOfALaterVersionIsNotGuessedAt(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"), kcfg.Set("linger.ms", "5"))
	require.Equal(t, map[string]string{"acks": "1", "linger.ms": "5"}, self(t, s))

	putAlice(t, c, rec(`[1,"alice",null,"acks"]`, `{"version":2,"value":"0"}`))
	notRead(t, s, "version 2")
	notRead(t, store(t, c, nil), "version 2")
	assert.Empty(t, self(t, store(t, c, func(cfg *Config) { cfg.Principal = new("bob") })), "others are not concerned")

	// An operator of this version repairs it.
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "all"))
	assert.Equal(t, map[string]string{"acks": "all", "linger.ms": "5"}, self(t, s))
}

func TestAnAlterationIsObeyedWhenItIsComplete(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))

	putAlice(t, c, more(acksOf("0")))
	notRead(t, s, "not complete")
	notRead(t, store(t, c, nil), "not complete")
	putAlice(t, c, rec(`[1,"alice",null,"linger.ms"]`, `{"version":1,"value":"5"}`))
	want := map[string]string{"acks": "0", "linger.ms": "5"}
	assert.Equal(t, want, self(t, s))
	assert.Equal(t, want, self(t, store(t, c, nil)))
}

func TestAnOperatorWritesBehindAHalfWrittenAlteration(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	putAlice(t, c, more(acksOf("0")))
	notRead(t, s, "not complete")
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
}

func TestCompressedBatchesAreRead(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	codecs := map[string]kgo.CompressionCodec{
		"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	want := make(map[string]string)
	for name, codec := range codecs {
		cl := writer(t, c, kgo.ProducerBatchCompression(codec))
		value := strings.Repeat(name, 1000)
		r := rec(fmt.Sprintf(`[1,"alice",null,%q]`, name), fmt.Sprintf(`{"version":1,"value":%q}`, value))
		r.Topic, r.Partition = DefaultDynamicTopic, alicePartition
		require.NoError(t, cl.ProduceSync(withTimeout(t), r).FirstErr())
		want[name] = value
	}
	// They are compressed, and not just sent so.
	assert.Less(t, c.PartitionInfo(DefaultDynamicTopic, alicePartition).NumBytes, int64(3000))
	assert.Equal(t, want, self(t, s))
}

func TestAPartitionThatIsLargerThanOneFetchIsReadToItsEnd(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	const n = 3 * maxFetch / (8 << 10)
	cl := writer(t, c, kgo.ProducerBatchMaxBytes(64<<10))
	ctx := withTimeout(t)
	for i := range n {
		r := rec(fmt.Sprintf(`[1,"alice",null,"k%d"]`, i%7), fmt.Sprintf(`{"version":1,"value":"%d","pad":%q}`, i, strings.Repeat("x", 8<<10)))
		r.Topic, r.Partition = DefaultDynamicTopic, alicePartition
		cl.Produce(ctx, r, func(_ *kgo.Record, err error) { assert.NoError(t, err) })
	}
	require.NoError(t, cl.Flush(ctx))

	w := watch(c)
	got := self(t, s)
	fetches := 0
	for _, key := range keysOf(w.take()) {
		if key == kmsg.Fetch {
			fetches++
		}
	}
	require.GreaterOrEqual(t, fetches, 3)
	assert.Len(t, got, 7)
	for i := n - 7; i < n; i++ {
		assert.Equal(t, fmt.Sprint(i), got[fmt.Sprintf("k%d", i%7)])
	}
}

func TestACompactedLogReadsTheSame(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alice := kcfg.User("alice")
	alter(t, s, alice, kcfg.Set("acks", "1"), kcfg.Set("linger.ms", "5"))
	require.Len(t, self(t, s), 2)
	for _, acks := range []string{"0", "all", "1"} {
		alter(t, s, alice, kcfg.Set("acks", acks), kcfg.Set("x", acks))
	}
	setBy(t, c, DefaultDynamicTopic, "delete.retention.ms", "0")
	alter(t, s, alice, kcfg.Remove("linger.ms"), kcfg.Remove("x"))
	alter(t, s, alice.Client("payments"), kcfg.Set("acks", "0"))
	before := c.PartitionInfo(DefaultDynamicTopic, alicePartition)
	c.Compact()
	require.Less(t, c.PartitionInfo(DefaultDynamicTopic, alicePartition).NumBytes, before.NumBytes)

	assert.Equal(t, map[string]string{"acks": "1"}, self(t, store(t, c, nil)))
	s = store(t, c, nil)
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	putAlice(t, c, acksOf("0"))
	assert.Equal(t, map[string]string{"acks": "0"}, self(t, s))
}
