package topicstore

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/sensitive"
)

const instance = "5a4ab8ea-1b21-4f67-8a2f-0123456789ab"

// instancePartition is where the record of that client is.
var instancePartition = partitionOf(instance)

// clean are entries as the pusher gives them.
func clean(t *testing.T, entries ...sensitive.Entry) []sensitive.Clean {
	t.Helper()
	out, held := sensitive.Filter(entries...)
	require.Empty(t, held)
	return out
}

func acksEntry() sensitive.Entry {
	return sensitive.Entry{Key: "acks", Value: "all", Type: sensitive.String, IsDefault: true}
}

// told are the records of all clients, with an operator's store.
func told(t *testing.T, s *Store) []kcfg.ClientRecord {
	t.Helper()
	all, err := s.Clients(withTimeout(t))
	require.NoError(t, err)
	return all.Records
}

func TestWhatAClientTellsOperatorsReadUntilItForgets(t *testing.T) {
	c := cluster(t)
	at := time.Date(2026, 11, 29, 21, 4, 12, 0, time.UTC)
	full := kcfg.ClientRecord{
		Instance: instance, Principal: new("alice"), ClientID: "orders", Group: "g", Host: "h",
		Software: kcfg.Software{Name: "kgo", Version: "1"}, Kinds: kcfg.KindProducer, Since: at, At: at.Add(time.Hour),
		Supported: []string{"acks"}, Dynamic: []kcfg.KeyState{{Key: "acks", Wished: new("1"), State: kcfg.OverrideApplied}},
	}
	s := store(t, c, func(cfg *Config) { cfg.Record = func() kcfg.ClientRecord { return full } })
	setUp(t, s)
	require.Empty(t, told(t, s))

	to, err := s.Push(withTimeout(t), clean(t, acksEntry()))
	require.NoError(t, err)
	assert.True(t, to.Sent)
	assert.Equal(t, c.LeaderFor(DefaultClientsTopic, instancePartition), to.Node)
	want := full
	want.Version = schemaVersion
	want.Configs = []kcfg.ClientConfig{{Key: "acks", Value: "all", Type: "STRING", Default: true}}
	assert.Equal(t, []kcfg.ClientRecord{want}, told(t, store(t, c, nil)))

	full.At = at.Add(2 * time.Hour)
	_, err = s.Push(withTimeout(t), nil)
	require.NoError(t, err)
	require.Len(t, told(t, s), 1)
	assert.Equal(t, full.At, told(t, s)[0].At, "the last one counts")
	assert.Empty(t, told(t, s)[0].Configs)

	require.NoError(t, s.Forget(withTimeout(t)))
	assert.Empty(t, told(t, s))
	before := written(c, DefaultClientsTopic)
	assert.EqualValues(t, 3, before)
	require.NoError(t, s.Forget(withTimeout(t)), "there is none any more")
	require.NoError(t, store(t, c, nil).Forget(withTimeout(t)), "which told nothing")
	assert.Equal(t, before, written(c, DefaultClientsTopic))
}

func TestARecordThatIsTooLargeIsNotWritten(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	var entries []sensitive.Entry
	for range maxClientRecord / (16 << 10) {
		entries = append(entries, sensitive.Entry{Key: "client.rack", Value: strings.Repeat("x", 16<<10), Type: sensitive.String})
	}
	to, err := s.Push(withTimeout(t), clean(t, entries...))
	require.True(t, is[*cfgerrors.ConfigTooLargeError](err), err)
	assert.False(t, to.Sent)
	assert.NotContains(t, err.Error(), "xxx")
	assert.Zero(t, written(c, DefaultClientsTopic))

	_, err = s.Push(withTimeout(t), clean(t, entries[1:]...))
	require.NoError(t, err)
	require.Len(t, told(t, s), 1)
	assert.Len(t, told(t, s)[0].Configs, len(entries)-1)
}

func TestAClientsTopicThatWasMadeAgainIsNotWrittenOnceTheHeaderIsKnown(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	require.NoError(t, c.DeleteTopic(DefaultClientsTopic))
	require.NoError(t, c.CreateTopic(DefaultClientsTopic, partitions, nil))
	require.Empty(t, self(t, s)) // with the header, which names the first

	_, err := s.Push(withTimeout(t), clean(t, acksEntry()))
	requireNotSetUp(t, err, DefaultClientsTopic)
	assert.Zero(t, written(c, DefaultClientsTopic))

	// Setup tells readers of the new one.
	assert.Equal(t, partitions, setUp(t, s).Headers)
	require.Empty(t, self(t, s))
	_, err = s.Push(withTimeout(t), clean(t, acksEntry()))
	require.NoError(t, err)
	assert.Len(t, told(t, s), 1)
}

func TestAClientThatMayNotReadStillTells(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	h := fail(c, kmsg.Fetch, kerr.TopicAuthorizationFailed)
	_, err := s.DescribeSelf(withTimeout(t), "orders", nil)
	require.True(t, is[*cfgerrors.AuthorizationError](err), err)
	_, err = s.Push(withTimeout(t), clean(t, acksEntry()))
	require.NoError(t, err)
	h.Remove()
	assert.Len(t, told(t, s), 1)
}

func TestAClientThatMayNotTellGetsAnAuthorizationError(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	h := fail(c, kmsg.Produce, kerr.TopicAuthorizationFailed)
	_, err := s.Push(withTimeout(t), clean(t, acksEntry()))
	require.True(t, is[*cfgerrors.AuthorizationError](err), err)
	assert.Positive(t, h.Hits())
	require.NoError(t, s.Forget(withTimeout(t)), "there is nothing to take back")
	assert.Equal(t, 1, h.Hits())
}
