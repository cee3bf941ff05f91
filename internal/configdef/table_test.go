package configdef

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// figure is a line of testdata/keymap.tsv.
type figure struct {
	kind kcfg.Kind
	key  string
	typ  string
	told string // yes, partial, no, refused
}

func figures(t *testing.T) []figure {
	t.Helper()
	file, err := os.ReadFile("testdata/keymap.tsv")
	require.NoError(t, err)

	var out []figure
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cols := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, cols, 4)
		out = append(out, figure{kindNamed(t, cols[0]), cols[1], cols[2], cols[3]})
	}
	require.Len(t, out, 374)
	return out
}

func kindNamed(t *testing.T, name string) kcfg.Kind {
	t.Helper()
	for _, k := range []kcfg.Kind{producer, consumer, share, admin} {
		if k.String() == name {
			return k
		}
	}
	require.Fail(t, "no such kind", name)
	return 0
}

func TestTableIsSortedAndHasEachKeyOnce(t *testing.T) {
	for i := 1; i < len(table); i++ {
		assert.Less(t, table[i-1].key, table[i].key)
	}
}

func TestEveryKeyOfKafkaHasARow(t *testing.T) {
	var keys []string
	for _, f := range figures(t) {
		keys = append(keys, f.key)
		assert.Equal(t, f.typ, TypeOf(f.key).String(), f.key)
		assert.Equal(t, f.told != "refused", KindsOf(f.key).Has(f.kind), "%s of a %s", f.key, f.kind)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	assert.Len(t, table, len(keys), "the table has keys that Kafka has not")
}

func TestRowsTellWhatCanBeTold(t *testing.T) {
	for _, f := range figures(t) {
		r := find(f.key)
		require.NotNil(t, r, f.key)
		assert.Equal(t, f.told == "yes" || f.told == "partial", r.told.Has(f.kind), "%s of a %s", f.key, f.kind)
	}
}

func TestSetsOfARowAreWithinEachOther(t *testing.T) {
	for _, r := range table {
		assert.True(t, r.kinds.Valid(), r.key)
		assert.True(t, r.kinds.Has(r.told), r.key)
		assert.True(t, r.told.Has(r.push), r.key)
		assert.Equal(t, r.told == 0, r.reader.text == nil, r.key)
	}
}

func TestDefaultSetIsAllThatCanBeToldButTheSeeds(t *testing.T) {
	for _, r := range table {
		want := r.told &^ share
		if r.key == "bootstrap.servers" {
			want = 0
		}
		assert.Equal(t, want, r.push&^share, r.key)
	}
}

func TestDefaultSetOfAShareConsumerIsTheSixKeys(t *testing.T) {
	var keys []string
	for _, r := range table {
		if r.push.Has(share) {
			keys = append(keys, r.key)
		}
	}
	assert.Equal(t, []string{
		"client.id", "fetch.max.wait.ms", "fetch.min.bytes",
		"group.id", "max.poll.records", "share.acquire.mode",
	}, keys)
}

func TestNoKeyThatIsHeldBackIsRead(t *testing.T) {
	held := 0
	for _, r := range table {
		if sensitive.Check(r.key, r.typ) == sensitive.NotSensitive {
			continue
		}
		held++
		assert.Zero(t, r.told, r.key)
		assert.Nil(t, r.reader.text, r.key)
	}
	// 48 of ssl and sasl, 2 of security, 4 serializers, and the partitioner
	// and the interceptors.
	assert.Equal(t, 56, held)
}

func TestTypeOfAnUnknownKeyIsUnknown(t *testing.T) {
	for _, key := range []string{"", "acks ", "ACKS", "a", "zzz", "my.own.key"} {
		assert.Equal(t, sensitive.Unknown, TypeOf(key), "%q", key)
		assert.Zero(t, KindsOf(key), "%q", key)
	}
	assert.Equal(t, sensitive.Password, TypeOf("sasl.jaas.config"))
	assert.Equal(t, sensitive.Double, TypeOf("sasl.login.refresh.window.factor"))
	assert.Equal(t, sensitive.Short, TypeOf("sasl.login.refresh.buffer.seconds"))
}
