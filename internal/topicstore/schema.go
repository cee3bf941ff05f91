package topicstore

import (
	"github.com/twmb/franz-go/pkg/kgo"
)

// The names of the topics, unless an operator chose others.
const (
	DefaultDynamicTopic = "_kcfg_dynamic_configs"
	DefaultClientsTopic = "_kcfg_clients"
)

// Names are the names of the two topics.
type Names struct{ Dynamic, Clients string }

// DefaultNames returns the default names.
func DefaultNames() Names { return Names{DefaultDynamicTopic, DefaultClientsTopic} }

const (
	// partitions is how many each topic has. It never changes: the partition of
	// a record follows from it.
	partitions = 12
	// schemaVersion is that of all records.
	schemaVersion = 1

	// The largest records, key and value together. Larger ones are not written,
	// and skipped by readers.
	maxDynamicRecord = 16 << 10
	maxClientRecord  = 256 << 10
	// maxAlteration is the largest alteration, which must fit into one batch.
	maxAlteration = 512 << 10
	// maxOps is how many keys one alteration can change.
	maxOps = 1000
)

// partitionOf is the partition of a user's dynamic configurations, and of a
// client's record by its instance: murmur2 as Kafka's own producers use it for
// keys.
func partitionOf(name string) int32 {
	p := kgo.StickyKeyPartitioner(nil).ForTopic("")
	return int32(p.Partition(&kgo.Record{Key: []byte(name)}, partitions))
}
