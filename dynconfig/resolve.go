package dynconfig

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// wish is what the cluster wants a key to be, and for whom it said so.
type wish struct {
	value  string
	source kcfg.Entity
}

// What is noted of keys that cannot be changed. The rest is not shown.
const (
	maxUnknownKeys   = 64
	maxUnknownLength = 128
)

// resolve makes one map of the entries of an answer, whatever their order: what
// is set for the client id of a user wins over what is set for the user, key by
// key. Default entities and other client ids are not ours, and what clients said
// to support is no override. An answer about two users, or with a thing twice, is
// none.
func resolve(entries []kcfg.Described, clientID string) (map[string]wish, error) {
	var ours []kcfg.Described
	users := make(map[string]bool)
	for _, e := range entries {
		user, ok := e.Entity.UserName()
		if !ok || user == nil {
			continue
		}
		id, narrow := e.Entity.ClientID()
		if narrow && (id == nil || clientID != "" && *id != clientID) {
			continue
		}
		users[*user] = true
		if len(users) > 1 {
			return nil, fmt.Errorf("dynconfig: it is about two users: %w", transport.ErrBadAnswer)
		}
		ours = append(ours, e)
	}
	slices.SortStableFunc(ours, func(a, b kcfg.Described) int {
		return cmp.Compare(len(a.Entity.Parts()), len(b.Entity.Parts()))
	})
	out := make(map[string]wish)
	seen := make(map[kcfg.Entity]bool)
	for _, e := range ours {
		if seen[e.Entity] {
			return nil, fmt.Errorf("dynconfig: it has an entity twice: %w", transport.ErrBadAnswer)
		}
		seen[e.Entity] = true
		for _, v := range e.Values {
			if old, twice := out[v.Key]; twice && old.source == e.Entity {
				return nil, fmt.Errorf("dynconfig: it has a key twice: %w", transport.ErrBadAnswer)
			}
			out[v.Key] = wish{v.Value, e.Entity}
		}
	}
	if narrow := narrowest(seen); narrow > 1 {
		return nil, fmt.Errorf("dynconfig: it is about two client ids: %w", transport.ErrBadAnswer)
	}
	delete(out, kcfg.SupportedConfigs)
	forgetUnknown(out)
	return out, nil
}

// narrowest counts the client ids among entities of one user.
func narrowest(entities map[kcfg.Entity]bool) int {
	n := 0
	for e := range entities {
		if _, ok := e.ClientID(); ok {
			n++
		}
	}
	return n
}

// forgetUnknown bounds what a broker can make us show.
func forgetUnknown(wishes map[string]wish) {
	unknown := 0
	for _, key := range slices.Sorted(maps.Keys(wishes)) {
		if kindsOf(key) != 0 {
			continue
		}
		unknown++
		if unknown > maxUnknownKeys || len(key) > maxUnknownLength {
			delete(wishes, key)
			continue
		}
		wishes[key] = wish{source: wishes[key].source} // its value is nobody's business
	}
}
