package topicstore

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

func TestWhatWasAlteredIsReadByWhoeverAsksNext(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	for i := range 10 {
		want := fmt.Sprint(i)
		alter(t, s, kcfg.User("alice"), kcfg.Set("linger.ms", want))
		assert.Equal(t, map[string]string{"linger.ms": want}, self(t, s))
		told, err := store(t, c, nil).Describe(withTimeout(t), kcfg.FilterUser("alice"))
		require.NoError(t, err)
		require.Len(t, told.Entries, 1)
		assert.Equal(t, []kcfg.KeyValue{{Key: "linger.ms", Value: want}}, told.Entries[0].Values)
	}
}

// TestOfTwoOperatorsAtOnceOneWins checks that no reader sees a mix of the two.
func TestOfTwoOperatorsAtOnceOneWins(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	keys := []string{"a", "b", "c", "d"}
	seen := func(values map[string]string) string {
		t.Helper()
		require.Len(t, values, len(keys))
		for _, k := range keys {
			require.Equal(t, values["a"], values[k])
		}
		return values["a"]
	}
	for round := range 10 {
		var wg sync.WaitGroup
		for who := range 2 {
			op := New(bare(t, c), configured(nil))
			wg.Go(func() {
				var ops []kcfg.Op
				for _, k := range keys {
					ops = append(ops, kcfg.Set(k, fmt.Sprintf("%d of %d", round, who)))
				}
				out, err := op.Alter(withTimeout(t), false, []kcfg.Alteration{kcfg.Alter(kcfg.User("alice"), ops...)})
				assert.NoError(t, err)
				assert.NoError(t, out.Altered[0].Err)
			})
		}
		if round > 0 {
			seen(self(t, s)) // meanwhile
		}
		wg.Wait()
		assert.Contains(t, []string{fmt.Sprintf("%d of 0", round), fmt.Sprintf("%d of 1", round)}, seen(self(t, s)))
	}
}

func TestOneAlterationThatFailsDoesNotStopTheOthers(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	require.NotEqual(t, alicePartition, partitionOf("bob"))
	h := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Partitions: []int32{partitionOf("bob")}, Err: kerr.InvalidRecord, Count: -1})
	out, err := s.Alter(withTimeout(t), false, []kcfg.Alteration{
		kcfg.Alter(kcfg.User("bob"), kcfg.Set("acks", secret)), kcfg.Alter(kcfg.User("alice"), kcfg.Set("acks", "1")),
	})
	require.NoError(t, err)
	require.ErrorIs(t, out.Altered[0].Err, kerr.InvalidRecord)
	assert.NotContains(t, out.Altered[0].Err.Error(), secret)
	require.NoError(t, out.Altered[1].Err)
	assert.Positive(t, h.Hits())
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
}

func TestWhoMayNotWriteGetsAnAuthorizationError(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	before := written(c, DefaultDynamicTopic)
	h := fail(c, kmsg.Produce, kerr.TopicAuthorizationFailed)
	err := refusal(t, s, kcfg.Alter(kcfg.User("alice"), kcfg.Set("acks", secret)))
	assert.True(t, is[*cfgerrors.AuthorizationError](err), err)
	assert.NotContains(t, err.Error(), secret)
	assert.Positive(t, h.Hits())
	assert.Equal(t, before, written(c, DefaultDynamicTopic))
}
