package integration_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// ofAnonymous is the partition of ANONYMOUS, as docs/topics.md has it.
const ofAnonymous = 5

// compactQuickly makes brokers look for work all the time, and lets a topic have
// segments and tombstones that do not live long.
func compactQuickly(t *testing.T, c *kafkatest.Cluster, topic string) {
	t.Helper()
	adm := admin(t, c)
	backoff := func(ctx context.Context, config kadm.AlterConfig) {
		resp, err := adm.AlterBrokerConfigs(ctx, []kadm.AlterConfig{config})
		require.NoError(t, err)
		for _, r := range resp {
			require.NoError(t, r.Err)
		}
	}
	backoff(withTimeout(t), kadm.AlterConfig{Name: "log.cleaner.backoff.ms", Value: new("100")})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience) // the test's own has ended
		defer cancel()
		backoff(ctx, kadm.AlterConfig{Op: kadm.DeleteConfig, Name: "log.cleaner.backoff.ms"})
	})
	var configs []kadm.AlterConfig
	for name, value := range map[string]string{
		"segment.ms": "100", "min.cleanable.dirty.ratio": "0.01", "max.compaction.lag.ms": "100", "delete.retention.ms": "100",
	} {
		configs = append(configs, kadm.AlterConfig{Name: name, Value: &value})
	}
	resp, err := adm.AlterTopicConfigs(withTimeout(t), configs, topic)
	require.NoError(t, err)
	require.NoError(t, resp[0].Err)
}

// foreign writes like a program in another language: an idempotent producer whose
// batches leave something behind when their records are gone.
func foreign(t *testing.T, c *kafkatest.Cluster, s store, clientID, value string) {
	t.Helper()
	cl := bare(t, c.Addrs(), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, cl.ProduceSync(withTimeout(t), &kgo.Record{
		Topic: s.names.Dynamic, Partition: ofAnonymous,
		Key:   fmt.Appendf(nil, `[1,"ANONYMOUS",%q,"acks"]`, clientID),
		Value: fmt.Appendf(nil, `{"version":1,"value":%q}`, value),
	}).FirstErr())
}

// abandoned writes like a transaction that is given up.
func abandoned(t *testing.T, c *kafkatest.Cluster, s store) {
	t.Helper()
	cl := bare(t, c.Addrs(), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID(name(t)))
	require.NoError(t, cl.BeginTransaction())
	require.NoError(t, cl.ProduceSync(withTimeout(t), &kgo.Record{
		Topic: s.names.Dynamic, Partition: ofAnonymous,
		Key: []byte(`[1,"ANONYMOUS",null,"acks"]`), Value: []byte(`{"version":1,"value":"0"}`),
	}).FirstErr())
	require.NoError(t, cl.EndTransaction(withTimeout(t), kgo.TryAbort))
}

// left tells of what is in a partition: its keys, how many offsets have nothing, and
// the offset of the first record behind such a gap.
func left(t *testing.T, c *kafkatest.Cluster, s store) (keys map[string]bool, gone int64, records []*kgo.Record) {
	t.Helper()
	records = dump(t, c, s.names.Dynamic, ofAnonymous)
	keys = make(map[string]bool)
	for _, r := range records {
		keys[string(r.Key)] = true
	}
	require.NotEmpty(t, records)
	return keys, records[len(records)-1].Offset + 1 - int64(len(records)), records
}

func TestACompactedLogStillTellsOldAndNewReadersWhatIsSet(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	old, away := acksClient(t, c, s, kgo.ClientID("old")), acksClient(t, c, s, kgo.ClientID("away"))
	away.SuspendOverrides()
	one := anonymous().Client("one")
	s.set(t, one, kcfg.Set("acks", "0"))
	s.set(t, anonymous().Client("short"), kcfg.Set("acks", "0"), kcfg.Set("session.timeout.ms", "9000"))
	s.set(t, anonymous().Client("old"), kcfg.Set("acks", "0"))
	foreign(t, c, s, "foreign", "1")
	foreign(t, c, s, "stays", "0")
	abandoned(t, c, s)
	for _, cl := range []interface{ RefreshConfigs(context.Context) error }{old, away} {
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	}
	require.Equal(t, "0", *state(t, old, "acks").Wished)
	s.set(t, anonymous().Client("old"), kcfg.Remove("acks"))
	s.set(t, anonymous().Client("short"), kcfg.Remove("acks"), kcfg.Remove("session.timeout.ms"))
	s.set(t, anonymous().Client("foreign"), kcfg.Remove("acks"))
	require.NoError(t, old.RefreshConfigs(withTimeout(t)))

	compactQuickly(t, c, s.names.Dynamic)
	acks := "all"
	var keys map[string]bool
	var gone int64
	var records []*kgo.Record
	start := time.Now()
	eventually(t, func() bool {
		acks = another(acks)
		s.set(t, anonymous(), kcfg.Set("acks", acks)) // which begins a new segment
		require.NoError(t, old.RefreshConfigs(withTimeout(t)))
		require.Equal(t, acks, *state(t, old, "acks").Wished, "the one that reads on goes on")
		keys, gone, records = left(t, c, s)
		return gone > 20 && !keys[`[1,"ANONYMOUS","short","acks"]`] && !keys[`[1,"ANONYMOUS","foreign","acks"]`]
	}, "old records and tombstones are gone")
	t.Logf("%v: %d records left, %d gone: %q", time.Since(start), len(records), gone, slices.Sorted(maps.Keys(keys)))
	assert.Equal(t, "[1]", string(records[0].Key), "the header stays")

	require.NoError(t, away.RefreshConfigs(withTimeout(t)))
	assert.Equal(t, acks, *state(t, away, "acks").Wished, "one that was away catches up")
	fresh := acksClient(t, c, s, kgo.ClientID("fresh"))
	require.NoError(t, fresh.RefreshConfigs(withTimeout(t)))
	assert.Equal(t, acks, *state(t, fresh, "acks").Wished)
	assert.Nil(t, state(t, fresh, "session.timeout.ms").Wished)
	got, err := s.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser("ANONYMOUS"))
	require.NoError(t, err)
	set := make(map[string][]kcfg.KeyValue)
	for _, d := range got {
		if len(d.Values) > 0 {
			set[d.Entity.String()] = d.Values
		}
	}
	assert.Equal(t, map[string][]kcfg.KeyValue{
		anonymous().String():                 {{Key: "acks", Value: acks}},
		one.String():                         {{Key: "acks", Value: "0"}},
		anonymous().Client("stays").String(): {{Key: "acks", Value: "0"}},
	}, set, "what is set, and nothing else")
	made, err := s.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
	require.NoError(t, err)
	assert.Zero(t, made.Headers, "every partition has its own")
}
