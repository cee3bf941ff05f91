package topicstore

import (
	"context"
	"fmt"
	"maps"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// Describe reads what is set for the entities of a filter: the user's partition,
// or all of them. What was altered before the call is seen.
func (s *Store) Describe(ctx context.Context, f kcfg.Filter, _ ...int32) (transport.Told, error) {
	cl, err := s.session()
	if err != nil {
		return transport.Told{}, err
	}
	defer cl.Close()
	told := transport.Told{Pushed: transport.Pushed{Sent: true, Node: noNode}}
	t, err := look(ctx, cl, s.cfg.Names.Dynamic)
	if err != nil {
		return told, err
	}
	values := make(map[tuple]string)
	for _, partition := range partitionsOf(f) {
		told.Node = t.leaders[partition]
		tab, err := readAll(ctx, cl, t, partition, func(k tuple) bool { return k.hasUser && f.Matches(k.entity()) }, func(*table) {})
		if err != nil {
			return told, fmt.Errorf("partition %d: %w", partition, err)
		}
		maps.Copy(values, tab.values)
	}
	// Who may not read what clients say of themselves is not told.
	supported, err := s.supported(ctx, cl)
	if ctx.Err() != nil {
		return told, err
	}
	for k, v := range supported {
		if f.Matches(k.entity()) {
			values[k] = v
		}
	}
	told.Entries = described(values)
	return told, nil
}

// partitionsOf are those that have entities of a filter.
func partitionsOf(f kcfg.Filter) []int32 {
	for _, c := range f.Components {
		if c.Type == kcfg.EntityUser && c.Match == kcfg.MatchExact {
			return []int32{partitionOf(c.Name)}
		}
	}
	all := make([]int32, partitions)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
