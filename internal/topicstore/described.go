package topicstore

import (
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
)

// entity is whom a configuration is for.
func (t tuple) entity() kcfg.Entity {
	e := kcfg.DefaultUser()
	if t.hasUser {
		e = kcfg.User(t.user)
	}
	if t.hasClient {
		e = e.Client(t.client)
	}
	return e
}

// tupleOf is the inverse of entity for those that can have configurations.
func tupleOf(e kcfg.Entity, config string) (tuple, bool) {
	user, ok := e.UserName()
	if !ok || user == nil {
		return tuple{}, false
	}
	t := tuple{user: *user, hasUser: true, config: config}
	id, narrow := e.ClientID()
	if narrow && id == nil {
		return tuple{}, false
	}
	if narrow {
		t.client, t.hasClient = *id, true
	}
	return t, true
}

// described are the entities of a map of configurations, in any
// order.
func described(values map[tuple]string) []kcfg.Described {
	by := make(map[tuple][]kcfg.KeyValue)
	for t, value := range values {
		whom := t
		whom.config = ""
		by[whom] = append(by[whom], kcfg.KeyValue{Key: t.config, Value: value})
	}
	out := make([]kcfg.Described, 0, len(by))
	for t, kvs := range by {
		slices.SortFunc(kvs, func(a, b kcfg.KeyValue) int { return strings.Compare(a.Key, b.Key) })
		out = append(out, kcfg.Described{Entity: t.entity(), Values: kvs})
	}
	return out
}
