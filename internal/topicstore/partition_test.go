package topicstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The table is for writers in other languages to check theirs against.
var partitionTable = map[string]int32{
	"": 9, "alice": 9, "bob": 6, "ANONYMOUS": 5, "CN=orders,O=Example": 5,
	"J\u00fcrgen \U0001F600": 4,
}

func TestThePartitionOfANameNeverChanges(t *testing.T) {
	for name, want := range partitionTable {
		assert.Equal(t, want, partitionOf(name), "%q", name)
	}
}

// TestThePartitionIsThatOfKafkasProducers lets kgo's own partitioner write a record
// with the name as its key.
func TestThePartitionIsThatOfKafkasProducers(t *testing.T) {
	c := cluster(t, kfake.SeedTopics(partitions, "names"))
	cl := bare(t, c, kgo.DefaultProduceTopic("names"))
	for name := range partitionTable {
		r, err := cl.ProduceSync(withTimeout(t), &kgo.Record{Key: []byte(name)}).First()
		require.NoError(t, err)
		assert.Equal(t, partitionOf(name), r.Partition, "%q", name)
	}
}
