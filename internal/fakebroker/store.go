package fakebroker

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kcfg-go/kcfg"
)

// store has the dynamic configurations of the cluster. An entity without any is
// not in it.
type store struct {
	mu       sync.Mutex
	entities map[kcfg.Entity]map[string]string
	writes   int
}

// apply makes all changes to one entity, or none if they change nothing.
func (s *store) apply(e kcfg.Entity, ops []kcfg.Op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.applyLocked(e, ops)
}

func (s *store) applyLocked(e kcfg.Entity, ops []kcfg.Op) {
	next := maps.Clone(s.entities[e])
	if next == nil {
		next = make(map[string]string)
	}
	for _, op := range ops {
		if op.Remove {
			delete(next, op.Key)
		} else {
			next[op.Key] = op.Value
		}
	}
	if maps.Equal(next, s.entities[e]) {
		return
	}
	s.writes++
	if len(next) == 0 {
		delete(s.entities, e)
		return
	}
	if s.entities == nil {
		s.entities = make(map[kcfg.Entity]map[string]string)
	}
	s.entities[e] = next
}

// update replaces one value by what fn makes of it, with nothing in between. fn
// returns false to leave it as it is; "" is what is not set.
func (s *store) update(e kcfg.Entity, key string, fn func(old string) (string, bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value, ok := fn(s.entities[e][key]); ok {
		s.applyLocked(e, []kcfg.Op{kcfg.Set(key, value)})
	}
}

// has reports whether a key of an entity is set.
func (s *store) has(e kcfg.Entity, key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.entities[e][key]
	return ok
}

// describe returns what is set for the entities of a filter, in a fixed order.
func (s *store) describe(f kcfg.Filter) []kcfg.Described {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []kcfg.Described{}
	for e, values := range s.entities {
		if f.Matches(e) {
			out = append(out, kcfg.Described{Entity: e, Values: keyValues(values)})
		}
	}
	slices.SortFunc(out, func(a, b kcfg.Described) int { return strings.Compare(a.Entity.String(), b.Entity.String()) })
	return out
}

// resolve returns what holds for a client: key by key, its own configurations
// over those of its user. What clients registered is none of it.
func (s *store) resolve(user, client kcfg.Entity) []kcfg.KeyValue {
	s.mu.Lock()
	defer s.mu.Unlock()
	merged := make(map[string]string)
	maps.Copy(merged, s.entities[user])
	maps.Copy(merged, s.entities[client])
	delete(merged, kcfg.SupportedConfigs)
	return keyValues(merged)
}

func keyValues(values map[string]string) []kcfg.KeyValue {
	out := make([]kcfg.KeyValue, 0, len(values))
	for k, v := range values {
		out = append(out, kcfg.KeyValue{Key: k, Value: v})
	}
	slices.SortFunc(out, func(a, b kcfg.KeyValue) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// ClientConfigs returns all dynamic configurations that are set, those that
// clients registered as supported.configs included.
func (c *Cluster) ClientConfigs() map[kcfg.Entity]map[string]string {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	out := make(map[kcfg.Entity]map[string]string, len(c.store.entities))
	for e, values := range c.store.entities {
		out[e] = maps.Clone(values)
	}
	return out
}

// SetClientConfigs changes the dynamic configurations of an entity without any
// check: neither keys nor values nor the policy are asked about.
func (c *Cluster) SetClientConfigs(e kcfg.Entity, ops ...kcfg.Op) { c.store.apply(e, ops) }

// ClientConfigWrites returns how many times the dynamic configurations changed.
func (c *Cluster) ClientConfigWrites() int {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return c.store.writes
}
