package fleet

import (
	"github.com/kcfg-go/kcfg"
)

// Wish is what operators want a key of a client to be.
type Wish struct {
	Value string
	// Entity is for whom it is set: the client's user, or its client id of that user.
	Entity kcfg.Entity
}

// Wished returns what is set for a client, by key: what is set for its user's client
// id wins over what is set for the user, key by key (KIP-649). A client that does not
// know its user, which is nil then, is one for which nothing is set. The client id is
// the client's, where the empty one is one.
func Wished(described []kcfg.Described, user *string, clientID string) map[string]Wish {
	out := make(map[string]Wish)
	if user == nil {
		return out
	}
	broad := kcfg.User(*user)
	for _, e := range []kcfg.Entity{broad, broad.Client(clientID)} {
		for _, d := range described {
			if d.Entity != e {
				continue
			}
			for _, v := range d.Values {
				out[v.Key] = Wish{Value: v.Value, Entity: e}
			}
		}
	}
	delete(out, kcfg.SupportedConfigs)
	return out
}

// Matches reports whether what is set for an entity is for a client, by what it tells
// of itself: its user, and its client id if the entity has one.
func Matches(r kcfg.ClientRecord, entity kcfg.Entity) bool {
	user, ok := entity.UserName()
	if !ok || user == nil || r.Principal == nil || *user != *r.Principal {
		return false
	}
	id, narrow := entity.ClientID()
	return !narrow || id != nil && *id == r.ClientID
}

// narrower reports whether e is a client id of a user, and other is that user.
func narrower(e, other kcfg.Entity) bool {
	_, a := e.ClientID()
	_, b := other.ClientID()
	return a && !b
}
