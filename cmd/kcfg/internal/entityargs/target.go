package entityargs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kcfg-go/kcfg"
)

// Part is a type and what is named of it.
type Part struct {
	Type string
	// Named is unset if all of the type are meant.
	Named bool
	// Name is nil for the default entity. It may be empty.
	Name *string
}

// Target is whose configurations arguments mean: one part, or users and clients. The
// first part is the one that was given first.
type Target []Part

// Target returns what the flags name. Types and names are paired by their places, as
// Kafka's tool does.
func (f *Flags) Target() (Target, error) {
	if len(f.short) > 0 && len(f.types)+len(f.names) > 0 {
		return nil, errors.New("--entity-type, --entity-name and --entity-default do not go together with flags such as --user")
	}
	t := Target(slices.Clone(f.short))
	for i, kind := range f.types {
		p := Part{Type: kind}
		if i < len(f.names) {
			p.Named, p.Name = true, f.names[i]
		}
		t = append(t, p)
	}
	if len(f.names) > len(f.types) {
		return nil, errors.New("there are more names and defaults than there are --entity-type")
	}
	return t, t.check()
}

func (t Target) check() error {
	if len(t) == 0 {
		return errors.New("whose configurations? name an --entity-type, or use --user, --client-id, --topic, --broker or --group")
	}
	seen := make(map[string]bool)
	for _, p := range t {
		switch {
		case !slices.Contains(Types(), p.Type):
			return fmt.Errorf("there is no entity type %q; there are %s", p.Type, strings.Join(Types(), ", "))
		case seen[p.Type]:
			return fmt.Errorf("the entity type %s comes twice", p.Type)
		case p.Named && p.Name == nil && !hasDefault(p.Type):
			return fmt.Errorf("%s have no default", p.Type)
		}
		if err := p.checkName(); err != nil {
			return err
		}
		seen[p.Type] = true
	}
	if len(t) > 1 && (len(t) > 2 || !seen[Users] || !seen[Clients]) {
		return errors.New("only users and clients go together")
	}
	return nil
}

// checkName refuses names that nobody can have. What is no UTF-8 would be somebody
// else's name once a broker has read it.
func (p Part) checkName() error {
	switch {
	case p.Name == nil:
		return nil
	case !utf8.ValidString(*p.Name):
		return fmt.Errorf("the name %q of %s is not UTF-8", *p.Name, p.Type)
	case p.Type != Brokers && p.Type != BrokerLoggers:
		return nil
	}
	if _, err := strconv.ParseInt(*p.Name, 10, 32); err != nil {
		return fmt.Errorf("the name of a broker is its id, a number; %q is none", *p.Name)
	}
	return nil
}

// Complete returns an error unless every type has a name or is the default.
func (t Target) Complete() error {
	for _, p := range t {
		if !p.Named {
			return fmt.Errorf("which of the %s? add --entity-name, or --entity-default where there is one", p.Type)
		}
	}
	return nil
}

// Of returns the part of a type.
func (t Target) Of(kind string) (Part, bool) {
	i := slices.IndexFunc(t, func(p Part) bool { return p.Type == kind })
	if i < 0 {
		return Part{}, false
	}
	return t[i], true
}

// Head is the part that was given first.
func (t Target) Head() Part { return t[0] }

// OfClients reports whether it is users or clients, whose configurations are quotas
// and dynamic client configurations.
func (t Target) OfClients() bool { return t.Head().Type == Users || t.Head().Type == Clients }

// Parts returns the parts as the protocol has them, the user first. It is for a target
// that is Complete.
func (t Target) Parts() []kcfg.EntityPart {
	out := make([]kcfg.EntityPart, 0, len(t))
	for _, p := range t {
		out = append(out, kcfg.EntityPart{Type: wire[p.Type], Name: p.Name})
	}
	slices.SortFunc(out, func(a, b kcfg.EntityPart) int { return strings.Compare(b.Type, a.Type) })
	return out
}

// Entity returns the entity of dynamic client configurations (KIP-649), and why there
// is none: they belong to a user with a name, or to a client id of one.
func (t Target) Entity() (kcfg.Entity, error) {
	user, ok := t.Of(Users)
	client, narrow := t.Of(Clients)
	switch {
	case !ok:
		return kcfg.Entity{}, errors.New("dynamic client configurations belong to a user, or to a client id of one: name the user too")
	case user.Name == nil, narrow && client.Name == nil:
		return kcfg.Entity{}, errors.New("dynamic client configurations have no default entities; quotas do")
	case narrow:
		return kcfg.User(*user.Name).Client(*client.Name), nil
	}
	return kcfg.User(*user.Name), nil
}

// Matches reports whether an entity is one that the target is about: exactly it, or
// one that has a type of which all are meant.
func (t Target) Matches(parts []kcfg.EntityPart) bool {
	strict := true
	for _, p := range t {
		i := slices.IndexFunc(parts, func(e kcfg.EntityPart) bool { return e.Type == wire[p.Type] })
		if i < 0 || p.Named && !sameName(p.Name, parts[i].Name) {
			return false
		}
		strict = strict && p.Named
	}
	return !strict || len(parts) == len(t)
}

func sameName(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
