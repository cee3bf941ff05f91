package topicstore

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

func clientKeyOf(id string) string {
	return string(recordKey{kind: clientKey, instance: id}.bytes())
}

// live is the record of a client that accepts keys.
func live(id, user, client, software string, at time.Time, supported ...string) kcfg.ClientRecord {
	name, version, _ := strings.Cut(software, "/")
	r := kcfg.ClientRecord{
		Version: schemaVersion, Instance: id, ClientID: client, At: at, Supported: supported,
		Software: kcfg.Software{Name: name, Version: version},
	}
	if user != "" {
		r.Principal = &user
	}
	return r
}

// claim writes the record of a client by hand.
func claim(t *testing.T, c *kfake.Cluster, r kcfg.ClientRecord) {
	t.Helper()
	put(t, c, DefaultClientsTopic, partitionOf(r.Instance), rec(clientKeyOf(r.Instance), string(encode(r))))
}

func TestForgedRecordsOfClientsAreSkipped(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	right := live(instance, "alice", "orders", "kgo/1", time.Now())
	claim(t, c, right)

	forged := string(encode(live("another", "alice", "orders", "kgo/1", time.Now())))
	old := right
	old.Version = 2
	put(t, c, DefaultClientsTopic, instancePartition,
		rec(clientKeyOf(instance), forged), // in another's name
		rec(clientKeyOf(instance), "garbage"), rec(clientKeyOf(instance), ""), rec(clientKeyOf(instance), string(encode(old))),
		rec(clientKeyOf(instance), strings.Repeat("x", 300<<10)),
		rec(clientKeyOf(instance), `{"version":1,"instance":"`+instance+`","host":"`+strings.Repeat("x", 300<<10)+`"}`),
		rec("garbage", "garbage"), rec("[1]", "{}"), rec(`[2,"`+instance+`"]`, "{}"), acksOf("1"), &kgo.Record{}, &kgo.Record{Value: []byte("x")},
		tombstone(clientKeyOf(instance)+" "),
	)
	got, err := s.Clients(withTimeout(t))
	require.NoError(t, err)
	all := got.Records
	require.Len(t, all, 1)
	assert.Equal(t, instance, all[0].Instance)
	assert.Empty(t, all[0].Host)
	assert.Equal(t, schemaVersion, all[0].Version)
	assert.Equal(t, 6, got.Skipped, "by key: the instance, garbage, a header, version 2, of the other topic, none")
}

func TestARecordThatWasSkippedCountsAsLongAsItIsThere(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	skipped := func() int {
		got, err := s.Clients(withTimeout(t))
		require.NoError(t, err)
		return got.Skipped
	}
	require.Zero(t, skipped())
	put(t, c, DefaultClientsTopic, instancePartition, rec(clientKeyOf(instance), `{"version":2}`), rec(`[2,"x"]`, "{}"), rec(`[2,"x"]`, "{}"))
	require.Equal(t, 2, skipped())
	claim(t, c, live(instance, "alice", "orders", "kgo/1", time.Now()))
	require.Equal(t, 1, skipped(), "its client tells in our version now")
	put(t, c, DefaultClientsTopic, instancePartition, tombstone(`[2,"x"]`))
	require.Zero(t, skipped())
}

func TestClientsAreSortedByInstance(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	var want []string
	for i := range 20 {
		id := fmt.Sprintf("instance-%02d", i)
		want = append([]string{id}, want...)
		claim(t, c, live(id, "alice", "orders", "kgo/1", time.Now()))
	}
	var got []string
	for _, r := range told(t, s) {
		got = append([]string{r.Instance}, got...)
	}
	assert.Equal(t, want, got)
}

func TestOfAClientThatIsInTwoPartitionsTheLastOneCounts(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	for partition := range int32(partitions) { // only one of them is its own
		r := live(instance, "alice", fmt.Sprint("orders-", partition), "kgo/1", time.Now())
		put(t, c, DefaultClientsTopic, partition, rec(clientKeyOf(instance), string(encode(r))))
	}
	for range 5 {
		all := told(t, s)
		require.Len(t, all, 1)
		assert.Equal(t, fmt.Sprint("orders-", partitions-1), all[0].ClientID)
	}
	put(t, c, DefaultClientsTopic, partitions-1, tombstone(clientKeyOf(instance)))
	assert.Empty(t, told(t, s), "nor does what was taken back in it")
}

func TestMoreRecordsThanCanBeReadAtOnceAreAnError(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	claim(t, c, live(instance, "alice", "orders", "kgo/1", time.Now()))
	cl, err := s.session()
	require.NoError(t, err)
	defer cl.Close()
	topic, err := look(withTimeout(t), cl, DefaultClientsTopic)
	require.NoError(t, err)
	all := func(rec *kcfg.ClientRecord) (kcfg.ClientRecord, bool) { return *rec, true }
	var read atomic.Int64
	found, err := lastIn(withTimeout(t), cl, topic, instancePartition, &read, all)
	require.NoError(t, err)
	require.Len(t, found.clients, 1)
	one := read.Load()

	read.Store(maxClientBytes - one) // what other partitions have
	_, err = lastIn(withTimeout(t), cl, topic, instancePartition, &read, all)
	require.NoError(t, err)
	read.Store(maxClientBytes - one + 1)
	_, err = lastIn(withTimeout(t), cl, topic, instancePartition, &read, all)
	require.ErrorIs(t, err, errTooMany)
}

// supportedConfigs are what Describe says of supported.configs, by entity.
func supportedConfigs(t *testing.T, s *Store, f kcfg.Filter) map[kcfg.Entity]string {
	t.Helper()
	got, err := s.Describe(withTimeout(t), f)
	require.NoError(t, err)
	out := make(map[kcfg.Entity]string)
	for _, d := range got.Entries {
		for _, kv := range d.Values {
			if kv.Key == kcfg.SupportedConfigs {
				out[d.Entity] = kv.Value
			}
		}
	}
	return out
}

func TestSupportedConfigsAreThoseOfLiveClients(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	now := time.Now()
	for i, r := range []kcfg.ClientRecord{
		live("", "alice", "orders", "kgo/1", now, "acks"),
		live("", "alice", "orders", "kgo/1", now.Add(-6*time.Hour), "session.timeout.ms", "acks"),
		live("", "alice", "orders", "kgo/2", now, "heartbeat.interval.ms"),
		live("", "alice", "dead", "kgo/1", now.Add(-2*kcfg.ClientAliveFor), "acks"),
		live("", "alice", "none", "kgo/1", now),
		live("", "", "nobody", "kgo/1", now, "acks"),
		live("", "bob", "", "kgo/1", now, "acks"),
	} {
		r.Instance = fmt.Sprintf("instance-%d", i)
		claim(t, c, r)
	}
	alice, bob := kcfg.User("alice"), kcfg.User("bob")
	ofAlice := `{"kgo/1":["acks","session.timeout.ms"],"kgo/2":["heartbeat.interval.ms"]}`
	got := supportedConfigs(t, s, kcfg.Filter{})
	assert.Equal(t, map[kcfg.Entity]string{alice.Client("orders"): ofAlice, bob.Client(""): `{"kgo/1":["acks"]}`}, got)
	assert.Equal(t, map[kcfg.Entity]string{alice.Client("orders"): ofAlice}, supportedConfigs(t, s, kcfg.FilterUser("alice")))
	assert.Empty(t, supportedConfigs(t, s, kcfg.FilterUser("carol")))

	// One that takes its record back, or says nothing more, is out.
	put(t, c, DefaultClientsTopic, partitionOf("instance-6"), tombstone(clientKeyOf("instance-6")))
	quiet := live("instance-2", "alice", "orders", "kgo/2", now)
	claim(t, c, quiet)
	assert.Equal(t, map[kcfg.Entity]string{alice.Client("orders"): `{"kgo/1":["acks","session.timeout.ms"]}`}, supportedConfigs(t, s, kcfg.Filter{}))
}

func TestWithoutTheClientsTopicTheRestIsDescribed(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	claim(t, c, live(instance, "alice", "orders", "kgo/1", time.Now(), "acks"))
	require.Len(t, supportedConfigs(t, s, kcfg.Filter{}), 1)

	require.NoError(t, c.DeleteTopic(DefaultClientsTopic))
	got, err := s.Describe(withTimeout(t), kcfg.Filter{})
	require.NoError(t, err)
	assert.Equal(t, []kcfg.Described{{Entity: kcfg.User("alice"), Values: []kcfg.KeyValue{{Key: "acks", Value: "1"}}}}, got.Entries)
}
