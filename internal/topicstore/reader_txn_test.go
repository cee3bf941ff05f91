package topicstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

// inTxn begins a transaction of some other program's, and writes alice's acks in
// it.
func inTxn(t *testing.T, c *kfake.Cluster, acks string) *kgo.Client {
	t.Helper()
	cl := writer(t, c, kgo.TransactionalID("txn-"+acks))
	require.NoError(t, cl.BeginTransaction())
	r := acksOf(acks)
	r.Topic, r.Partition = DefaultDynamicTopic, alicePartition
	require.NoError(t, cl.ProduceSync(withTimeout(t), r).FirstErr())
	return cl
}

func end(t *testing.T, cl *kgo.Client, how kgo.TransactionEndTry) {
	t.Helper()
	require.NoError(t, cl.EndTransaction(withTimeout(t), how))
}

func TestOnlyCommittedTransactionsAreObeyed(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	end(t, inTxn(t, c, "1"), kgo.TryCommit)
	want := map[string]string{"acks": "1"}
	assert.Equal(t, want, self(t, s), "with the marker at the end")
	assert.Equal(t, want, self(t, s), "nothing new")

	end(t, inTxn(t, c, "0"), kgo.TryAbort)
	assert.Equal(t, want, self(t, s))
	assert.Equal(t, want, self(t, store(t, c, nil)))

	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "all"))
	assert.Equal(t, map[string]string{"acks": "all"}, self(t, s), "behind the markers")
	assert.Zero(t, s.Skipped())
}

func TestAnOpenTransactionHidesOnlyWhatIsBehindIt(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	open := inTxn(t, c, "0")
	info := c.PartitionInfo(DefaultDynamicTopic, alicePartition)
	require.Less(t, info.LastStableOffset, info.HighWatermark)

	want := map[string]string{"acks": "1"}
	assert.Equal(t, want, self(t, s))
	alter(t, s, kcfg.User("alice"), kcfg.Set("linger.ms", "5"))
	assert.Equal(t, want, self(t, s))
	assert.Equal(t, want, self(t, store(t, c, nil)))

	end(t, open, kgo.TryAbort)
	want = map[string]string{"acks": "1", "linger.ms": "5"}
	assert.Equal(t, want, self(t, s))
	assert.Equal(t, want, self(t, store(t, c, nil)))
}
