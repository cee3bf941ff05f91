package kcfg

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The entity types of client configurations (KIP-649).
const (
	EntityUser     = "user"
	EntityClientID = "client-id"
)

// Entity says whom client configurations are for: a user, or one client id of a
// user. Make one with User or DefaultUser, and narrow it with Client or
// DefaultClient.
//
// A component can be absent, have a name, or be the default. These are three
// things, and the empty string is a name: User("") is neither DefaultUser() nor
// the zero Entity. Entities are comparable and can be map keys.
type Entity struct {
	user, client component
}

type component struct {
	present, isDefault bool
	name               string
}

func named(name string) component { return component{present: true, name: name} }
func defaulted() component        { return component{present: true, isDefault: true} }

func (c component) pointer() (name *string, ok bool) {
	if !c.present {
		return nil, false
	}
	if c.isDefault {
		return nil, true
	}
	n := c.name
	return &n, true
}

// User returns the entity of a user. The name has no "User:" in front.
func User(name string) Entity { return Entity{user: named(name)} }

// DefaultUser returns the entity of the default user.
func DefaultUser() Entity { return Entity{user: defaulted()} }

// Client returns the entity of one client id of e's user.
func (e Entity) Client(id string) Entity {
	e.client = named(id)
	return e
}

// DefaultClient returns the entity of the default client id of e's user.
func (e Entity) DefaultClient() Entity {
	e.client = defaulted()
	return e
}

// UserName returns the user's name, nil for the default one. ok is false if the
// entity has no user.
func (e Entity) UserName() (name *string, ok bool) { return e.user.pointer() }

// ClientID returns the client id, nil for the default one. ok is false if the
// entity is that of the user alone.
func (e Entity) ClientID() (id *string, ok bool) { return e.client.pointer() }

// IsZero reports whether e names nobody.
func (e Entity) IsZero() bool { return e == Entity{} }

// EntityPart is one component of an Entity as the protocol has it. A nil name is
// the default.
type EntityPart struct {
	Type string  `json:"type"`
	Name *string `json:"name"`
}

// Parts returns the components that are present, the user first.
func (e Entity) Parts() []EntityPart {
	var out []EntityPart
	if name, ok := e.user.pointer(); ok {
		out = append(out, EntityPart{EntityUser, name})
	}
	if id, ok := e.client.pointer(); ok {
		out = append(out, EntityPart{EntityClientID, id})
	}
	return out
}

// EntityFromParts is the inverse of Parts, in any order. A type that is not known
// or occurs twice, and no part at all, are errors.
func EntityFromParts(parts ...EntityPart) (Entity, error) {
	var e Entity
	for _, p := range parts {
		c := defaulted()
		if p.Name != nil {
			c = named(*p.Name)
		}
		var at *component
		switch p.Type {
		case EntityUser:
			at = &e.user
		case EntityClientID:
			at = &e.client
		default:
			return Entity{}, fmt.Errorf("kcfg: unknown entity type %s", strconv.QuoteToASCII(p.Type))
		}
		if at.present {
			return Entity{}, fmt.Errorf("kcfg: entity type %s twice", p.Type)
		}
		*at = c
	}
	if e.IsZero() {
		return Entity{}, fmt.Errorf("kcfg: an entity without components")
	}
	return e, nil
}

// String returns the entity as Kafka's documentation writes it, such as
// <user "alice", client-id "orders"> or <user default>.
func (e Entity) String() string {
	var parts []string
	for _, p := range e.Parts() {
		name := "default"
		if p.Name != nil {
			name = strconv.QuoteToASCII(*p.Name)
		}
		parts = append(parts, p.Type+" "+name)
	}
	return "<" + strings.Join(parts, ", ") + ">"
}

// MarshalJSON returns the parts.
func (e Entity) MarshalJSON() ([]byte, error) { return json.Marshal(e.Parts()) }
