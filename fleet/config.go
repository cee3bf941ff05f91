package fleet

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// Redacted is what is shown in the place of a value that is nobody's business.
const Redacted = "[redacted]"

// Shown returns the value of a client's configuration, and Redacted if package
// sensitive would have held it back: then it should not be in a record at all, and
// whoever wrote it there is no client of this library. For a key that Kafka does not
// have the type is what the record says.
func Shown(c kcfg.ClientConfig) string {
	if sensitive.Check(c.Key, typeNamed(c.Type)) != sensitive.NotSensitive || sensitive.CheckValue(c.Value) != sensitive.NotSensitive {
		return Redacted
	}
	return c.Value
}

// ShownState returns the state of a dynamic configuration with its values as Shown
// would have them. What it returns shares nothing that was changed.
func ShownState(s kcfg.KeyState) kcfg.KeyState {
	for _, v := range []**string{&s.Wished, &s.InForce, &s.Static} {
		if *v != nil && Shown(kcfg.ClientConfig{Key: s.Key, Value: **v, Type: sensitive.String.String()}) == Redacted {
			*v = new(Redacted)
		}
	}
	if sensitive.CheckValue(s.Reason) == sensitive.ReasonValue {
		s.Reason = Redacted
	}
	return s
}

// Cut returns a text with so many bytes at most, in whole characters. One that was
// longer ends in "...", as far as there is room.
func Cut(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	more := "..."[:min(max(0, bytes), len("..."))]
	n := max(0, bytes-len(more))
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + more
}

func typeNamed(name string) sensitive.Type {
	for t := sensitive.Boolean; t <= sensitive.Password; t++ {
		if t.String() == name {
			return t
		}
	}
	return sensitive.Unknown
}

// names are the keys that say what a client is called, or where it is. They have no
// default that is worth a word, and differ from client to client by nature.
var names = map[string]bool{
	"bootstrap.servers": true,
	"client.id":         true,
	"client.rack":       true,
	"group.id":          true,
	"group.instance.id": true,
	"transactional.id":  true,
}

// Deviations returns the configurations of a client whose values its application
// chose and that are not the default, sorted by key. Names are left out (client.id,
// group.id, group.instance.id, transactional.id, client.rack and bootstrap.servers):
// every client that is worth looking at has some. An override is no deviation, and hides
// one while it is in force: of the value beneath it a client does not tell whether it is
// the default.
func Deviations(r kcfg.ClientRecord) []kcfg.ClientConfig {
	var out []kcfg.ClientConfig
	for c := range deviating(r) {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b kcfg.ClientConfig) int { return strings.Compare(a.Key, b.Key) })
	return out
}

func deviations(r kcfg.ClientRecord) int {
	n := 0
	for range deviating(r) {
		n++
	}
	return n
}

// deviating yields the deviations. Clients tell the value in force, as no default where
// it is an override, which is not what the application chose.
func deviating(r kcfg.ClientRecord) iter.Seq[kcfg.ClientConfig] {
	return func(yield func(kcfg.ClientConfig) bool) {
		applied := overrides(r)
		for c := range once(r.Configs) {
			override := applied[c.Key]
			if c.Default || names[c.Key] || override != nil && *override == c.Value {
				continue
			}
			if !yield(c) {
				return
			}
		}
	}
}

// once yields every key's first configuration.
func once(configs []kcfg.ClientConfig) iter.Seq[kcfg.ClientConfig] {
	return firsts(configs, func(c kcfg.ClientConfig) string { return c.Key })
}

// firsts yields the first of all that have the same key. Our clients sort what they
// tell, and then it needs no memory.
func firsts[T any](all []T, key func(T) string) iter.Seq[T] {
	return func(yield func(T) bool) {
		var seen map[string]bool
		last := ""
		for i, one := range all {
			k := key(one)
			if seen == nil && i > 0 && k <= last {
				seen = make(map[string]bool, len(all))
				for _, before := range all[:i] {
					seen[key(before)] = true
				}
			}
			if seen[k] {
				continue
			}
			if seen != nil {
				seen[k] = true
			}
			last = k
			if !yield(one) {
				return
			}
		}
	}
}

// StateCount says how many keys of a client are in a state.
type StateCount struct {
	State kcfg.OverrideState `json:"state"`
	Keys  int                `json:"keys"`
}

// States counts the dynamic configurations of a client of which something is wished
// or was, by their state: applied, pending, rejected, not-applicable and unsupported
// in this order, those that there are. Keys that are static are not counted, nor are
// states that this library does not know.
func States(r kcfg.ClientRecord) []StateCount {
	counts := make(map[kcfg.OverrideState]int, len(states))
	for s := range onceState(r.Dynamic) {
		counts[s.State]++
	}
	var out []StateCount
	for _, s := range states {
		if counts[s] > 0 {
			out = append(out, StateCount{s, counts[s]})
		}
	}
	return out
}

// states are those that say something, the good ones first.
var states = []kcfg.OverrideState{
	kcfg.OverrideApplied, kcfg.OverridePending, kcfg.OverrideRejected, kcfg.OverrideNotApplicable, kcfg.OverrideUnsupported,
}

// onceState is once, for states.
func onceState(all []kcfg.KeyState) iter.Seq[kcfg.KeyState] {
	return firsts(all, func(s kcfg.KeyState) string { return s.Key })
}
