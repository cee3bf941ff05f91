package configdef

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

// KindOf returns what a client is used as, as far as its options and its owner
// tell: a share consumer if it has a share group; else a consumer if it has a
// group, topics or partitions, or was told so, since topics can be added later;
// a producer if it has a transactional id, was told so, or would be nothing
// else; an admin if it was told so.
func KindOf(cl *kgo.Client, told kcfg.Kind) kcfg.Kind {
	return kindOf(&view{opts: cl.OptValues}, told)
}

func kindOf(v *view, told kcfg.Kind) kcfg.Kind {
	kind := told & (producer | admin)
	switch {
	case get[string](v, kgo.ShareGroup) != "":
		kind |= share
	case told.Has(consumer),
		get[string](v, kgo.ConsumerGroup) != "",
		len(get[[]string](v, kgo.ConsumeTopics)) > 0,
		len(get[map[string]map[int32]kgo.Offset](v, kgo.ConsumePartitions)) > 0:
		kind |= consumer
	}
	if get[string](v, kgo.TransactionalID) != "" {
		kind |= producer
	}
	if kind == 0 {
		kind = producer
	}
	return kind
}
