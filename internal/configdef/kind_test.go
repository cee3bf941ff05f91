package configdef

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

func TestKindOfFollowsTheOptions(t *testing.T) {
	topics := kgo.ConsumeTopics("t")
	partitions := kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset()}})
	for _, c := range []struct {
		name string
		opts []kgo.Opt
		told kcfg.Kind
		want kcfg.Kind
	}{
		{"nothing", nil, 0, producer},
		{"a group", []kgo.Opt{kgo.ConsumerGroup("g")}, 0, consumer},
		{"topics", []kgo.Opt{topics}, 0, consumer},
		{"partitions", []kgo.Opt{partitions}, 0, consumer},
		{"no topics", []kgo.Opt{kgo.ConsumeTopics()}, 0, producer},
		{"a share group", []kgo.Opt{kgo.ShareGroup("g")}, 0, share},
		{"a share group with topics", []kgo.Opt{kgo.ShareGroup("g"), topics}, 0, share},
		{"a share group told consumer", []kgo.Opt{kgo.ShareGroup("g")}, consumer, share},
		{"a transactional id", []kgo.Opt{kgo.TransactionalID("tx")}, 0, producer},
		{"a transactional id and a group", []kgo.Opt{kgo.TransactionalID("tx"), kgo.ConsumerGroup("g")}, 0, producer | consumer},
		{"a transactional id and a share group", []kgo.Opt{kgo.TransactionalID("tx"), kgo.ShareGroup("g")}, 0, producer | share},
		{"a group told producer", []kgo.Opt{kgo.ConsumerGroup("g")}, producer, producer | consumer},
		{"told admin", nil, admin, admin},
		{"a group told admin", []kgo.Opt{kgo.ConsumerGroup("g")}, admin, consumer | admin},
		{"told producer and admin", nil, producer | admin, producer | admin},
		{"told consumer, with topics to come", nil, consumer, consumer},
		{"told share without a share group", nil, share, producer},
		{"told something else", nil, 1 << 7, producer},
	} {
		assert.Equal(t, c.want, KindOf(newClient(t, c.opts...), c.told), c.name)
	}
}
