package integration_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// transform moves what is in a topic to another one with the prefix "x-", in
// transactions of at most ten records, of which each third is given up once. It
// returns how many there were of each.
func transform(t *testing.T, s *kgo.GroupTransactSession, out string, records int) (committed, aborted int) {
	t.Helper()
	ctx := withTimeout(t)
	for moved, tries := 0, 0; moved < records; {
		fetches := s.PollRecords(ctx, 10)
		require.NoError(t, fetches.Err())
		if fetches.Empty() {
			continue
		}
		require.NoError(t, s.Begin())
		fetches.EachRecord(func(r *kgo.Record) {
			s.Produce(ctx, &kgo.Record{Topic: out, Value: append([]byte("x-"), r.Value...)}, func(_ *kgo.Record, err error) {
				assert.NoError(t, err)
			})
		})
		require.NoError(t, s.Client().Flush(ctx)) // what is given up was written, too
		tries++
		ok, err := s.End(ctx, tries%3 != 0)
		require.NoError(t, err)
		if !ok {
			aborted++
			continue
		}
		committed++
		moved += fetches.NumRecords()
	}
	return committed, aborted
}

// sentBy returns what the requests of a client with a name carried in a field.
func sentBy(t *testing.T, c *kafkatest.Cluster, clientID, request, field string) (values []float64) {
	t.Helper()
	requests, err := c.Requests(clientID)
	require.NoError(t, err)
	for _, r := range requests {
		if r.Name != request {
			continue
		}
		var body map[string]any
		require.NoError(t, json.Unmarshal(r.Body, &body))
		v, ok := body[field].(float64)
		require.True(t, ok, "%s of %s", field, r.Body)
		values = append(values, v)
	}
	return values
}

// exactlyOnce requires that a consumer of committed records gets each one once, and
// one of all records some of those that were given up.
func exactlyOnce(t *testing.T, c *kafkatest.Cluster, out string, records int) {
	t.Helper()
	offsets, err := admin(t, c).ListEndOffsets(withTimeout(t), out)
	require.NoError(t, err)
	end := int64(0)
	offsets.Each(func(o kadm.ListedOffset) { end += o.Offset })
	require.Greater(t, end, int64(records), "markers, and what was aborted")

	cl := bare(t, c.Addrs(), kgo.ConsumeTopics(out), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	seen := make(map[string]int)
	for ctx := withTimeout(t); len(seen) < records; {
		fs := cl.PollFetches(ctx)
		require.NoError(t, fs.Err())
		fs.EachRecord(func(r *kgo.Record) { seen[string(r.Value)]++ })
	}
	for i := range records {
		require.Equal(t, 1, seen[fmt.Sprint("x-", i)], "record %d", i)
	}
}

func TestATransactionSessionUnderOverridesMovesEachRecordOnceAsOnABareClient(t *testing.T) {
	const records = 100
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	s.set(t, anonymous(), kcfg.Set("acks", "1"), kcfg.Set("session.timeout.ms", "21000"), kcfg.Set("heartbeat.interval.ms", "7000"))
	type counts struct{ committed, aborted int }
	run := func(t *testing.T, opts ...kgo.Opt) (string, counts) {
		t.Helper()
		in, out, id := newTopic(t, c, 1, 3), newTopic(t, c, 3, 3), name(t)
		produce(t, bare(t, c.Addrs()), in, records)
		session, err := kgo.NewGroupTransactSession(append(opts, kgo.SeedBrokers(c.Addrs()...), kgo.ClientID(id),
			kgo.TransactionalID(id), kgo.ConsumerGroup(id), kgo.ConsumeTopics(in), kgo.SessionTimeout(15*time.Second),
			kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()))...)
		require.NoError(t, err)
		t.Cleanup(session.Close)
		var n counts
		n.committed, n.aborted = transform(t, session, out, records)
		exactlyOnce(t, c, out, records)
		return id, n
	}
	_, want := run(t)
	assert.Positive(t, want.aborted)
	p := client.NewPlugin(s.where()...)
	id, got := run(t, p.Opts()...)
	assert.Positive(t, got.aborted)

	require.NoError(t, p.RefreshConfigs(withTimeout(t)))
	keys := make(map[string]kcfg.KeyState)
	for _, k := range p.Status().Dynamic.Keys {
		keys[k.Key] = k
	}
	acks := keys["acks"]
	require.NotNil(t, acks.Wished)
	assert.Equal(t, "1", *acks.Wished)
	assert.Equal(t, kcfg.OverrideNotApplicable, acks.State)
	assert.Equal(t, kcfg.OverrideApplied, keys["session.timeout.ms"].State)
	assert.Equal(t, kcfg.OverrideNotApplicable, keys["heartbeat.interval.ms"].State)

	eventually(t, func() bool { return len(sentBy(t, c, id, "JOIN_GROUP", "sessionTimeoutMs")) > 1 }, "it joined")
	for _, session := range sentBy(t, c, id, "JOIN_GROUP", "sessionTimeoutMs") {
		assert.InDelta(t, 21000, session, 0, "from the first join on")
	}
	transactional := slices.DeleteFunc(sentBy(t, c, id, "PRODUCE", "acks"), func(acks float64) bool { return acks != -1 })
	assert.Len(t, transactional, len(sentBy(t, c, id, "PRODUCE", "acks")), "acks=all, always")
	assert.NotEmpty(t, transactional)
}
