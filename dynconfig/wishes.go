package dynconfig

import (
	"maps"
	"slices"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

// wishes is what the cluster wants and what became of it.
type wishes struct {
	last map[string]wish   // of the last answer
	gone map[string]bool   // what two answers were without
	use  map[string]string // the overrides in use

	good    pair  // the last session timeout and heartbeat that a coordinator took
	refused int32 // the session timeout that one refused, 0 for none

	given connpatch.Patches // what the connections were told
	bytes *fetchBytes       // what kgo was told, nil if nothing
	join  rejoin

	states  map[string]kcfg.KeyState // by key, as told last
	inForce map[string]string        // by key, as told last
}

// take takes over an answer.
func (w *wishes) take(got map[string]wish, gone map[string]bool) {
	w.last, w.gone = got, gone
	if gone[keySession] {
		w.refused = 0 // the operator took it back, and may try again
	}
}

// missing are the keys in use that an answer is without, sorted.
func (w *wishes) missing(got map[string]wish) []string {
	keys := make(map[string]bool)
	for key := range w.use {
		keys[key] = true
	}
	if w.refused != 0 {
		keys[keySession] = true
	}
	for key := range got {
		delete(keys, key)
	}
	return slices.Sorted(maps.Keys(keys))
}

// change is an override in use that became another one.
type change struct {
	key, old, value, source string
}

// todo is what a look at the situation asks for.
type todo struct {
	patches   *connpatch.Patches // to give to the connections, nil for no change
	bytes     *fetchBytes        // to give to kgo, nil for no change
	force     bool               // a join
	until     time.Time          // when to look again, zero for no such moment
	changes   []change
	states    []kcfg.KeyState
	applied   []kcfg.Applied
	rejected  []kcfg.Rejected
	isPending bool
}

// settings are those of a Poller that the wishes depend on.
type settings struct {
	rules     Rules
	auditOnly bool
	suspended string
	delay     *time.Duration
	interval  time.Duration
}

// look judges the last answer by what is known now, and says what to do. Looking
// twice asks for nothing twice.
func (w *wishes) look(s Static, obs connpatch.Observed, set settings, now time.Time) todo {
	var out todo
	w.heed(s, obs)
	s.RefusedSessionTimeout = time.Duration(w.refused) * time.Millisecond

	values := make(map[string]string, len(w.last))
	for key, wish := range w.last {
		values[key] = wish.value
	}
	accepted, verdicts := Validate(s, set.rules, values)
	use := merge(s, w.use, accepted, verdicts, w.gone)
	out.changes = w.changes(s, use, accepted)
	w.use = use

	w.give(s, set, &out)
	if !set.auditOnly && mayRejoin(s, set.delay) {
		target := millis(s.SessionTimeout)
		if w.given.SessionTimeout != nil {
			target = *w.given.SessionTimeout
		}
		delay := set.interval
		if set.delay != nil {
			delay = *set.delay
		}
		out.force, out.until = w.join.plan(target, obs.SessionTimeout, delay, now)
	}

	out.states = keyStates(&situation{
		static: s, rules: set.rules, verdicts: verdicts, use: use, bytes: w.told(s), observed: obs,
		auditOnly: set.auditOnly, suspended: set.suspended,
	})
	w.tell(&out)
	return out
}

// heed takes note of what a coordinator made of the session timeout: one that it
// took is what to go back to, and one that it refused is not tried again as long
// as it is wished.
func (w *wishes) heed(s Static, obs connpatch.Observed) {
	if wish, ok := w.last[keySession]; ok {
		if n, ok := number(keySession, wish.value); ok && n != w.refused {
			w.refused = 0
		}
	}
	session := effective(s, w.use, keySession)
	if obs.SessionTimeout != nil && *obs.SessionTimeout == session {
		w.good = pairOf(w.use)
	}
	if w.given.SessionTimeout == nil || *w.given.SessionTimeout != session || !slices.Contains(obs.Refused, session) {
		return
	}
	if n, ok := number(keySession, w.last[keySession].value); ok && n == session {
		w.refused = session
	}
	if w.good.session == w.use[keySession] { // what was good once is so no more
		w.good = pair{}
	}
	takePair(w.use, w.good)
	if !pairFits(s, w.use) {
		takePair(w.use, pair{})
	}
}

// changes are the differences between the overrides in use and new ones, by key.
func (w *wishes) changes(s Static, use, accepted map[string]string) []change {
	keys := make(map[string]bool)
	for _, m := range []map[string]string{w.use, use} {
		for key := range m {
			keys[key] = true
		}
	}
	var out []change
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		c := change{key: key, old: s.value(key), value: s.value(key), source: "the client's own"}
		if v, ok := w.use[key]; ok {
			c.old = v
		}
		if v, ok := use[key]; ok {
			c.value, c.source = v, "kept"
			if accepted[key] == v {
				c.source = w.last[key].source.String()
			}
		}
		if w.use[key] != use[key] {
			out = append(out, c)
		}
	}
	return out
}

// give says what the connections and kgo are to be told.
func (w *wishes) give(s Static, set settings, out *todo) {
	use := w.use
	if set.auditOnly || set.suspended != "" {
		use = nil
	}
	if p := patches(s, use); !samePatches(p, w.given) {
		w.given, out.patches = p, &p
	}
	_, all := use[keyFetchMaxBytes]
	_, partition := use[keyPartitionMaxBytes]
	b := fetchBytesOf(s, use)
	if told := w.told(s); told == b || w.bytes == nil && !all && !partition {
		return
	}
	w.bytes, out.bytes = &b, &b
}

// told is what kgo has for the two values that it has a function for.
func (w *wishes) told(s Static) fetchBytes {
	if w.bytes == nil {
		return fetchBytesOf(s, nil)
	}
	return *w.bytes
}

// tell says which states are news.
func (w *wishes) tell(out *todo) {
	if w.inForce == nil {
		w.inForce = make(map[string]string)
	}
	states := make(map[string]kcfg.KeyState, len(out.states))
	for _, st := range out.states {
		states[st.Key] = st
		if st.State == kcfg.OverridePending {
			out.isPending = true
		}
		if st.InForce != nil {
			w.tellInForce(st, out)
		}
		switch st.State {
		case kcfg.OverrideRejected, kcfg.OverrideNotApplicable, kcfg.OverrideUnsupported:
		default:
			continue
		}
		old, known := w.states[st.Key]
		if known && old.State == st.State && old.Reason == st.Reason && same(old.Wished, st.Wished) {
			continue
		}
		r := kcfg.Rejected{Key: st.Key, State: st.State, Reason: st.Reason}
		if st.Wished != nil {
			r.Value = *st.Wished
		}
		out.rejected = append(out.rejected, r)
	}
	w.states = states
}

func (w *wishes) tellInForce(st kcfg.KeyState, out *todo) {
	old, known := w.inForce[st.Key]
	if !known {
		old = *st.Static
	}
	w.inForce[st.Key] = *st.InForce
	if old == *st.InForce {
		return
	}
	out.applied = append(out.applied, kcfg.Applied{
		Key: st.Key, Old: old, New: *st.InForce,
		Override: *st.InForce != *st.Static || st.State == kcfg.OverrideApplied,
	})
}
