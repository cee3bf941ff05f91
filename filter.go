package kcfg

import "slices"

// MatchType says how a component of a Filter matches entities. The numbers are
// those of the protocol (KIP-649).
type MatchType int8

// The match types.
const (
	MatchExact   MatchType = 0 // the entity with this name
	MatchDefault MatchType = 1 // the default entity
	MatchAny     MatchType = 2 // every entity with a name
)

// FilterComponent matches entities by one of their components.
type FilterComponent struct {
	Type  string // EntityUser or EntityClientID
	Match MatchType
	Name  string // only with MatchExact
}

// Filter says which entities a Describe is about: those that match all of its
// components. A filter without components matches every entity.
type Filter struct {
	Components []FilterComponent
	// Strict leaves out entities with components of a type that the filter
	// does not name: with a user alone, the user's client ids.
	Strict bool
}

// FilterUser matches the entities of a user.
func FilterUser(name string) Filter {
	return Filter{}.with(FilterComponent{Type: EntityUser, Match: MatchExact, Name: name})
}

// FilterAnyUser matches the entities of every user with a name.
func FilterAnyUser() Filter {
	return Filter{}.with(FilterComponent{Type: EntityUser, Match: MatchAny})
}

// FilterDefaultUser matches the entities of the default user.
func FilterDefaultUser() Filter {
	return Filter{}.with(FilterComponent{Type: EntityUser, Match: MatchDefault})
}

// Client narrows f to one client id.
func (f Filter) Client(id string) Filter {
	return f.with(FilterComponent{Type: EntityClientID, Match: MatchExact, Name: id})
}

// AnyClient narrows f to entities with a client id that has a name.
func (f Filter) AnyClient() Filter {
	return f.with(FilterComponent{Type: EntityClientID, Match: MatchAny})
}

// DefaultClient narrows f to entities of the default client id.
func (f Filter) DefaultClient() Filter {
	return f.with(FilterComponent{Type: EntityClientID, Match: MatchDefault})
}

// StrictOnly returns f with Strict set.
func (f Filter) StrictOnly() Filter {
	f.Strict = true
	return f
}

func (f Filter) with(c FilterComponent) Filter {
	f.Components = append(slices.Clip(f.Components), c)
	return f
}

// Matches reports whether e is one of the entities that f is about. It is the
// rule that a broker applies.
func (f Filter) Matches(e Entity) bool {
	named := make(map[string]bool, len(f.Components))
	for _, c := range f.Components {
		named[c.Type] = true
		if !c.matches(e) {
			return false
		}
	}
	if !f.Strict {
		return true
	}
	for _, p := range e.Parts() {
		if !named[p.Type] {
			return false
		}
	}
	return true
}

func (c FilterComponent) matches(e Entity) bool {
	for _, p := range e.Parts() {
		if p.Type != c.Type {
			continue
		}
		switch c.Match {
		case MatchExact:
			return p.Name != nil && *p.Name == c.Name
		case MatchDefault:
			return p.Name == nil
		case MatchAny:
			return p.Name != nil
		}
	}
	return false
}
