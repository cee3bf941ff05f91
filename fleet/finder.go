package fleet

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// finder collects what clients have, group by group.
type finder struct {
	o        DriftOptions
	only     map[string]bool // keys, nil for all
	skip     map[string]bool
	out      Drift
	groups   map[string]*groupFound
	defaults map[meaning]map[string]defaultTold // what clients say is the default
}

type groupFound struct {
	clients int
	keys    map[meaning]*keyFound
}

// meaning is a key as some kinds of client understand it.
type meaning struct {
	key      string
	share    bool
	producer bool // for keys that mean two things
}

type keyFound struct {
	kinds   kcfg.Kind
	clients int
	own     int // neither a default nor an override
	values  map[string]*valueFound
}

// defaultTold is how many clients say of a value that it is the default, and of what type.
type defaultTold struct {
	clients int
	typ     string
}

// valueFound is a DriftValue whose value is not looked at before it is shown.
type valueFound struct {
	DriftValue

	typ string
}

func newFinder(o DriftOptions) *finder {
	f := &finder{o: o, out: Drift{Groups: []GroupDrift{}}, groups: make(map[string]*groupFound), defaults: make(map[meaning]map[string]defaultTold)}
	if len(o.Keys) > 0 {
		f.only = make(map[string]bool, len(o.Keys))
		for _, k := range o.Keys {
			f.only[k] = true
		}
		return f
	}
	if o.FromDefaults {
		f.skip = names
		return f
	}
	f.skip = map[string]bool{"group.instance.id": true, "transactional.id": true, "client.rack": true, "client.id": o.By == ByGroup}
	return f
}

func meaningOf(key string, kinds kcfg.Kind) meaning {
	m := meaning{key: key, share: kinds.Has(kcfg.KindShare)}
	if key == "request.timeout.ms" || key == "retries" {
		m.producer = kinds.Has(kcfg.KindProducer)
	}
	return m
}

func (f *finder) add(r kcfg.ClientRecord) {
	f.out.Clients++
	name := r.ClientID
	if f.o.By == ByGroup {
		name = r.Group
		if name == "" {
			f.out.Ungrouped++
			return
		}
	}
	g := f.groups[name]
	if g == nil {
		g = &groupFound{keys: make(map[meaning]*keyFound)}
		f.groups[name] = g
	}
	g.clients++
	applied := overrides(r)
	for c := range once(r.Configs) {
		if f.skip[c.Key] || f.only != nil && !f.only[c.Key] {
			continue
		}
		m := meaningOf(c.Key, r.Kinds)
		if c.Default {
			f.tellDefault(m, c)
		}
		g.add(m, c, r, applied[c.Key])
	}
}

// overrides are the values of the overrides that a client says to have applied.
func overrides(r kcfg.ClientRecord) map[string]*string {
	var out map[string]*string
	for s := range onceState(r.Dynamic) {
		if s.State != kcfg.OverrideApplied || s.InForce == nil {
			continue
		}
		if out == nil {
			out = make(map[string]*string)
		}
		out[s.Key] = s.InForce
	}
	return out
}

func (f *finder) tellDefault(m meaning, c kcfg.ClientConfig) {
	if f.defaults[m] == nil {
		f.defaults[m] = make(map[string]defaultTold)
	}
	told, ok := f.defaults[m][c.Value]
	if !ok {
		told.typ = c.Type
	}
	told.typ = stricter(told.typ, c)
	told.clients++
	f.defaults[m][c.Value] = told
}

// stricter returns the type of a configuration if no value of it is shown, and else the
// one that others said: what one client calls a password, another may not.
func stricter(others string, c kcfg.ClientConfig) string {
	if c.Type != others && sensitive.Check(c.Key, typeNamed(c.Type)) != sensitive.NotSensitive {
		return c.Type
	}
	return others
}

func (g *groupFound) add(m meaning, c kcfg.ClientConfig, r kcfg.ClientRecord, override *string) {
	k := g.keys[m]
	if k == nil {
		k = &keyFound{values: make(map[string]*valueFound)}
		g.keys[m] = k
	}
	k.clients++
	k.kinds |= r.Kinds
	value := c.Value
	if override != nil {
		value = *override
	}
	v := k.values[value]
	if v == nil {
		v = &valueFound{typ: c.Type}
		k.values[value] = v
	}
	v.typ = stricter(v.typ, c)
	v.Clients++
	switch {
	case override != nil:
		v.Overrides++
	case c.Default:
		v.Defaults++
	default:
		k.own++
	}
	if len(v.Instances) < MaxExamples {
		v.Instances = append(v.Instances, cut(r.Instance))
	}
}

// cut makes a copy of what is cut: the text may be part of a large record.
func cut(s string) string { return strings.Clone(Cut(s, MaxText)) }

func (f *finder) drift() Drift {
	for _, name := range slices.Sorted(maps.Keys(f.groups)) {
		g := f.groups[name]
		found := make([]meaning, 0, 8)
		for m, k := range g.keys {
			if f.interesting(k) {
				found = append(found, m)
			}
		}
		if len(found) == 0 {
			continue
		}
		out := GroupDrift{By: f.o.By, Name: cut(name), Clients: g.clients}
		slices.SortFunc(found, func(a, b meaning) int {
			return cmp.Or(cmp.Compare(g.keys[b].clients, g.keys[a].clients), a.compare(b))
		})
		if len(found) > MaxKeys {
			out.MoreKeys = len(found) - MaxKeys
			found = found[:MaxKeys]
		}
		slices.SortFunc(found, meaning.compare)
		for _, m := range found {
			out.Keys = append(out.Keys, f.keyDrift(m, g.keys[m]))
		}
		f.out.Groups = append(f.out.Groups, out)
	}
	return f.out
}

func (f *finder) interesting(k *keyFound) bool {
	if f.o.FromDefaults {
		return k.own > 0
	}
	return len(k.values) > 1
}

func (m meaning) compare(o meaning) int {
	return cmp.Or(strings.Compare(m.key, o.key), compareBools(m.share, o.share), compareBools(m.producer, o.producer))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (f *finder) keyDrift(m meaning, k *keyFound) KeyDrift {
	out := KeyDrift{Key: cut(m.key), Kinds: k.kinds, Clients: k.clients, Default: f.defaultOf(m, k)}
	byValue := slices.Sorted(maps.Keys(k.values))
	slices.SortStableFunc(byValue, func(a, b string) int { return cmp.Compare(k.values[b].Clients, k.values[a].Clients) })
	for i, value := range byValue {
		v := k.values[value]
		if i < MaxValues {
			v.Value = cut(Shown(kcfg.ClientConfig{Key: m.key, Value: value, Type: v.typ}))
			out.Values = append(out.Values, v.DriftValue)
			continue
		}
		out.MoreValues++
		out.MoreClients += v.Clients
	}
	return out
}

// defaultOf is what clients say is the default: those that are compared, unless they
// say several things, and if they say nothing, most of all.
func (f *finder) defaultOf(m meaning, k *keyFound) *string {
	told := f.defaults[m]
	if own := k.defaults(); len(own) == 1 {
		told = own
	} else if len(own) > 1 {
		return nil
	}
	best := kcfg.ClientConfig{Key: m.key}
	most := 0
	for value, d := range told {
		if d.clients > most || d.clients == most && value < best.Value {
			best.Value, best.Type, most = value, d.typ, d.clients
		}
	}
	if most == 0 {
		if f.o.Default == nil {
			return nil
		}
		value, ok := f.o.Default(m.key, k.kinds)
		if !ok {
			return nil
		}
		best.Value, best.Type = value, sensitive.String.String()
	}
	return new(cut(Shown(best)))
}

// defaults are what clients say is the default.
func (k *keyFound) defaults() map[string]defaultTold {
	out := make(map[string]defaultTold)
	for value, v := range k.values {
		if v.Defaults > 0 {
			out[value] = defaultTold{v.Defaults, v.typ}
		}
	}
	return out
}
