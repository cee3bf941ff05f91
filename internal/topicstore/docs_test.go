package topicstore

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

// The page on the schema is for those who do not have this code, so what it says
// is what is tested.

// section returns what follows a marker of the page, up to the next empty line
// outside of a block.
func section(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/topics.md")
	require.NoError(t, err)
	_, after, ok := strings.Cut(string(page), "<!-- example:"+name+" -->\n")
	require.True(t, ok, "no example %s", name)
	if block, ok := strings.CutPrefix(after, "```\n"); ok {
		block, _, ok = strings.Cut(block, "```\n")
		require.True(t, ok)
		return block
	}
	table, _, _ := strings.Cut(after, "\n\n")
	return table + "\n"
}

// examples returns the records of an example.
func examples(t *testing.T, name string) []*kgo.Record {
	t.Helper()
	var out []*kgo.Record
	for pair := range strings.SplitSeq(strings.TrimSpace(section(t, name)), "\n\n") {
		key, value, ok := strings.Cut(pair, "\n")
		require.True(t, ok, pair)
		r := &kgo.Record{Key: []byte(strings.TrimPrefix(key, "key   ")), Offset: int64(len(out))}
		if v := strings.TrimPrefix(value, "value "); v != "null" {
			r.Value = []byte(v)
		}
		out = append(out, r)
	}
	require.NotEmpty(t, out)
	return out
}

func TestTheHeaderOfThePageIsWhatIsWritten(t *testing.T) {
	r := examples(t, "header")[0]
	assert.Equal(t, string(recordKey{kind: headerKey}.bytes()), string(r.Key))
	h, err := parseHeader(r.Value)
	require.NoError(t, err)
	assert.Equal(t, header{1, "MkU3OEVBNTcwNTJENDM2Qg", "f3pzwKSyQvGbV2ULJRDXlA", "Zr9sQvZ6Rq2mC1kyc0yx7g", 12}, h)
	assert.Equal(t, string(encode(h)), string(r.Value))
}

func TestTheDynamicConfigsOfThePageAreRead(t *testing.T) {
	tab := newTable(everything)
	for _, r := range examples(t, "dynamic") {
		k, err := parseKey(r.Key)
		require.NoError(t, err, "%s", r.Key)
		assert.Equal(t, string(r.Key), string(k.bytes()), "the page writes keys as they are")
		tab.apply(r)
	}
	assert.Zero(t, tab.skipped, tab.skip)
	assert.Empty(t, tab.bad)
	assert.Equal(t, map[tuple]string{
		{user: "alice", hasUser: true, config: "session.timeout.ms"}:                               "30000",
		{user: "CN=orders, O=\"A/B\"", hasUser: true, client: "", hasClient: true, config: "acks"}: "all",
	}, tab.values, "one was set and removed")
	written := recordsOf(kcfg.Alter(kcfg.User("alice"), kcfg.Set("session.timeout.ms", "30000")))
	assert.Equal(t, string(examples(t, "dynamic")[0].Value), string(written[0].Value))
	assert.Equal(t, string(examples(t, "dynamic")[0].Key), string(written[0].Key))
}

func TestTheClientOfThePageIsWhatIsWritten(t *testing.T) {
	rs := examples(t, "client")
	require.Len(t, rs, 2)
	rec, err := parseClient(rs[0].Value)
	require.NoError(t, err)
	assert.Equal(t, "alice", *rec.Principal)
	assert.Equal(t, kcfg.KindConsumer, rec.Kinds)
	assert.Equal(t, string(rs[0].Value), string(encode(rec)))
	for _, r := range rs {
		k, err := parseKey(r.Key)
		require.NoError(t, err)
		assert.Equal(t, recordKey{kind: clientKey, instance: rec.Instance}, k)
	}
	assert.Nil(t, rs[1].Value)
}

func TestThePartitionsOfThePage(t *testing.T) {
	want := "| name | partition |\n|---|---|\n"
	for _, name := range []string{"alice", "bob", "ANONYMOUS", "CN=orders,O=example", ""} {
		want += fmt.Sprintf("| %q | %d |\n", name, partitionOf(name))
	}
	assert.Equal(t, want, section(t, "partitions"))
}

func TestTheSettingsOfThePage(t *testing.T) {
	dynamic, clients := settings(false, 3), settings(true, 3)
	of := func(list []kcfg.TopicSetting, key string) string {
		for _, s := range list {
			if s.Key == key {
				return "`" + s.Value + "`"
			}
		}
		return ""
	}
	var keys []string
	for _, s := range slices.Concat(dynamic, clients) {
		keys = append(keys, s.Key)
	}
	slices.Sort(keys)
	want := "| setting | `_kcfg_dynamic_configs` | `_kcfg_clients` |\n|---|---|---|\n"
	for _, key := range slices.Compact(keys) {
		want += fmt.Sprintf("| %s | %s | %s |\n", "`"+key+"`", of(dynamic, key), of(clients, key))
	}
	assert.Equal(t, want, section(t, "settings"))
}
