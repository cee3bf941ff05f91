package topicstore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// here is the topic that the tables of these tests are of.
var here = topic{name: DefaultDynamicTopic, cluster: "here", id: [16]byte{1}}

func ours() header {
	return header{Version: schemaVersion, Cluster: "here", Topic: here.idText(), Partitions: partitions}
}

func headerRec(h header) *kgo.Record { return rec("[1]", string(encode(h))) }

func tombstone(key string) *kgo.Record { return &kgo.Record{Key: []byte(key)} }

// fold applies records to an empty table of alice's, and returns what check says
// at the end of them.
func fold(records ...*kgo.Record) (tab *table, why string) {
	tab = newTable(func(k tuple) bool { return k.hasUser && k.user == "alice" })
	for i, r := range records {
		r.Offset = int64(i)
		tab.apply(r)
	}
	return tab, tab.check(here, int64(len(records)))
}

func valuesOf(tab *table) map[string]string {
	out := make(map[string]string)
	for k, v := range tab.values {
		out[string(recordKey{kind: dynamicKey, tuple: k}.bytes())] = v
	}
	return out
}

func TestLaterRecordsWinAndTombstonesRemove(t *testing.T) {
	tab, why := fold(headerRec(ours()),
		acksOf("0"), acksOf("1"),
		rec(`[1,"alice","orders","acks"]`, `{"version":1,"value":"all"}`),
		rec(`[1,"alice",null,"linger.ms"]`, `{"version":1,"value":"5"}`), tombstone(`[1,"alice",null,"linger.ms"]`),
		tombstone(`[1,"alice",null,"never.set"]`),
		rec(`[1,"alice",null,"x"]`, `{"version":1,"value":"1"}`), tombstone(`[1,"alice",null,"x"]`), rec(`[1,"alice",null,"x"]`, `{"version":1,"value":""}`),
	)
	require.Empty(t, why)
	assert.Equal(t, map[string]string{
		`[1,"alice",null,"acks"]`: "1", `[1,"alice","orders","acks"]`: "all", `[1,"alice",null,"x"]`: "",
	}, valuesOf(tab))
	assert.Zero(t, tab.skipped)
}

func TestRecordsOfOtherUsersAreNotKeptWhateverTheyHold(t *testing.T) {
	tab, why := fold(headerRec(ours()), acksOf("1"),
		rec(`[1,"bob",null,"acks"]`, `{"version":1,"value":"0"}`),
		rec(`[1,"bob",null,"acks"]`, `garbage`),
		rec(`[1,null,null,"acks"]`, `{"version":1,"value":"0"}`),
		rec(`[1,"",null,"acks"]`, `{"version":1,"value":"0"}`))
	require.Empty(t, why)
	assert.Equal(t, map[string]string{`[1,"alice",null,"acks"]`: "1"}, valuesOf(tab))
	assert.Empty(t, tab.bad)
}

func TestABadValueStopsItsReaderUntilItIsRepaired(t *testing.T) {
	bad := []*kgo.Record{headerRec(ours()), acksOf("1"), rec(`[1,"alice",null,"acks"]`, `{"version":2,"value":"`+secret+`"}`)}
	_, why := fold(bad...)
	require.Contains(t, why, "offset 2")
	assert.Contains(t, why, "version 2")
	assert.NotContains(t, why, secret)

	_, why = fold(append(bad, rec(`[1,"alice",null,"x"]`, `{"version":1,"value":"1"}`))...)
	require.Contains(t, why, "offset 2", "another key repairs nothing")

	tab, why := fold(append(bad, acksOf("0"))...)
	require.Empty(t, why)
	assert.Equal(t, map[string]string{`[1,"alice",null,"acks"]`: "0"}, valuesOf(tab))

	tab, why = fold(append(bad, tombstone(`[1,"alice",null,"acks"]`))...)
	require.Empty(t, why)
	assert.Empty(t, valuesOf(tab))
}

func TestWithoutTheHeaderOfThisTopicNothingIsBelieved(t *testing.T) {
	with := func(change func(*header)) *kgo.Record {
		h := ours()
		change(&h)
		return headerRec(h)
	}
	for name, tt := range map[string]struct {
		records []*kgo.Record
		why     string
	}{
		"empty":             {nil, "no header"},
		"records only":      {[]*kgo.Record{acksOf("1")}, "no header"},
		"tombstoned":        {[]*kgo.Record{headerRec(ours()), acksOf("1"), tombstone("[1]")}, "no header"},
		"another cluster":   {[]*kgo.Record{with(func(h *header) { h.Cluster = "there" })}, `"there"`},
		"another topic":     {[]*kgo.Record{with(func(h *header) { h.Topic = "AgAAAAAAAAAAAAAAAAAAAA" })}, "another topic"},
		"no topic":          {[]*kgo.Record{with(func(h *header) { h.Topic = "" })}, "another topic"},
		"other partitions":  {[]*kgo.Record{with(func(h *header) { h.Partitions = 13 })}, "13 partitions"},
		"another version":   {[]*kgo.Record{with(func(h *header) { h.Version = 2 })}, "version 2"},
		"garbage":           {[]*kgo.Record{rec("[1]", "garbage")}, "no JSON"},
		"replaced":          {[]*kgo.Record{headerRec(ours()), with(func(h *header) { h.Cluster = "there" })}, `"there"`},
		"damaged":           {[]*kgo.Record{headerRec(ours()), rec("[1]", "garbage")}, "no JSON"},
		"of another schema": {[]*kgo.Record{rec("[2]", string(encode(ours())))}, "no header"},
	} {
		_, why := fold(tt.records...)
		assert.Contains(t, why, tt.why, name)
		// And the right one, wherever it comes, repairs it.
		_, why = fold(append(tt.records, headerRec(ours()))...)
		assert.Empty(t, why, name)
	}
}

func TestRecordsThatAreNotOfTheSchemaAreSkippedAndCounted(t *testing.T) {
	large := rec(`[1,"alice",null,"large"]`, `{"version":1,"value":"`+strings.Repeat("x", maxDynamicRecord)+`"}`)
	records := []*kgo.Record{
		rec("garbage", "x"), headerRec(ours()), {}, {Value: []byte("no key")},
		rec(`[2,"alice",null,"acks"]`, `{"version":2}`), rec(`[1,"5a4a"]`, `{}`), acksOf("1"),
		rec(`[1,"\u0061lice",null,"acks"]`, `{"version":1,"value":"0"}`), tombstone(`[1, "alice", null, "acks"]`), large,
	}
	tab, why := fold(records...)
	require.Empty(t, why)
	assert.Equal(t, map[string]string{`[1,"alice",null,"acks"]`: "1"}, valuesOf(tab))
	assert.Equal(t, len(records)-2, tab.skipped)
	assert.Contains(t, tab.skip, "offset 9")
	assert.NotContains(t, tab.skip, "xxx")
}

func TestTheLargestRecordIsTaken(t *testing.T) {
	r := acksOf("")
	room := maxDynamicRecord - len(r.Key) - len(r.Value)
	tab, why := fold(headerRec(ours()), acksOf(strings.Repeat("x", room)))
	require.Empty(t, why)
	assert.Zero(t, tab.skipped)
	tab, _ = fold(headerRec(ours()), acksOf(strings.Repeat("x", room+1)))
	assert.Equal(t, 1, tab.skipped)
}

func TestAnAlterationThatIsHalfWrittenIsNotBelieved(t *testing.T) {
	_, why := fold(headerRec(ours()), more(acksOf("1")))
	require.Contains(t, why, "not complete")
	// Whosever it is: the end of the batch is missing.
	_, why = fold(headerRec(ours()), more(rec(`[1,"bob",null,"acks"]`, `{"version":1,"value":"1"}`)))
	require.Contains(t, why, "not complete")

	_, why = fold(headerRec(ours()), more(acksOf("1")), acksOf("0"))
	assert.Empty(t, why)
	// Compaction may take its last record, a tombstone, where others follow.
	tab, _ := fold(headerRec(ours()), more(acksOf("1")))
	assert.Empty(t, tab.check(here, 3))
}
