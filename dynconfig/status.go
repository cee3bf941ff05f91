package dynconfig

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

// situation is all that the states of the keys depend on.
type situation struct {
	static   Static
	rules    Rules
	verdicts []Verdict
	use      map[string]string // the overrides in use, by merge
	bytes    fetchBytes        // what kgo was told
	observed connpatch.Observed

	auditOnly bool
	suspended string // why no override is used for now
}

// keyStates says of every key that can be changed, and of every one that is
// wished, where it stands, sorted by key. A key is applied only if a request that
// carried its value left the process.
func keyStates(in *situation) []kcfg.KeyState {
	verdicts := make(map[string]Verdict, len(in.verdicts))
	for _, v := range in.verdicts {
		verdicts[v.Key] = v
	}
	keys := make(map[string]bool)
	for key := range verdicts {
		keys[key] = true
	}
	for _, key := range SupportedKeys(in.static.Kinds, in.rules) {
		keys[key] = true
	}
	var out []kcfg.KeyState
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		v, wished := verdicts[key]
		out = append(out, in.keyState(key, v, wished))
	}
	return out
}

func (in *situation) keyState(key string, v Verdict, wished bool) kcfg.KeyState {
	s := kcfg.KeyState{Key: key}
	if kindsOf(key) == 0 {
		s.State, s.Reason = kcfg.OverrideUnsupported, v.Reason
		return s
	}
	if in.has(key) {
		s.Static = new(in.static.value(key))
		s.InForce = new(in.inForce(key))
	}
	if !wished {
		s.State, s.Reason = in.unwished(key)
		return s
	}
	s.Wished = new(v.Value)
	switch v.Outcome {
	case Rejected:
		s.State, s.Reason = kcfg.OverrideRejected, v.Reason
	case NotApplicable:
		s.State, s.Reason = kcfg.OverrideNotApplicable, v.Reason
	case Unsupported:
		s.State, s.Reason = kcfg.OverrideUnsupported, v.Reason
	case NoChange:
		s.State, s.Reason = kcfg.OverrideStatic, v.Reason
	case Accepted:
		s.State, s.Reason = in.accepted(key, v)
	}
	return s
}

// has reports whether the client has the key at all, so that its own value means
// something.
func (in *situation) has(key string) bool {
	switch key {
	case keySession, keyHeartbeat:
		return in.static.Group && !in.static.NewGroup && in.static.Kinds.Has(kcfg.KindConsumer)
	}
	return kindsOf(key).Overlaps(in.static.Kinds)
}

// unwished is the state of a key of which nothing is wished.
func (in *situation) unwished(key string) (kcfg.OverrideState, string) {
	switch _, inUse := in.use[key]; {
	case inUse:
		return kcfg.OverridePending, "one answer was without the override; it stays until another one is too"
	case in.has(key) && in.inForce(key) != in.static.value(key):
		return kcfg.OverridePending, "the override was removed; " + waitsFor(key)
	}
	return kcfg.OverrideStatic, ""
}

// accepted is the state of an override that Validate accepted.
func (in *situation) accepted(key string, v Verdict) (kcfg.OverrideState, string) {
	value, inUse := in.use[key]
	switch {
	case in.auditOnly:
		return kcfg.OverrideNotApplicable, "AuditOnly: it is accepted and not used"
	case in.suspended != "":
		return kcfg.OverridePending, "overrides are suspended: " + in.suspended
	case !inUse || !sameValue(key, value, v.Value):
		return kcfg.OverridePending, "it does not go with the override that it replaces, of which one answer said that it was removed; it waits for another one"
	case in.newer(key) != "":
		return kcfg.OverrideNotApplicable, in.newer(key)
	case in.carried(key, value):
		return kcfg.OverrideApplied, ""
	case key == keyHeartbeat && in.aboveSession(value):
		return kcfg.OverridePending, "it must stay below the session timeout in force, and waits for the next JoinGroup"
	}
	return kcfg.OverridePending, waitsFor(key)
}

// aboveSession reports whether a heartbeat interval would be too long for the
// session timeout that the coordinator has.
func (in *situation) aboveSession(value string) bool {
	n, ok := number(keyHeartbeat, value)
	session := in.observed.SessionTimeout
	return ok && session != nil && n >= *session
}

// sameValue compares the way to write a value with that of an operator.
func sameValue(key, value, wished string) bool {
	n, ok := number(key, wished)
	return ok && text(key, n) == value
}

func waitsFor(key string) string {
	if key == keySession {
		// A coordinator takes no timeout from a JoinGroup that changes nothing.
		return "it waits for the next rebalance of the group"
	}
	d, _ := configdef.DynamicOf(key)
	return "it waits for the next " + d.Request.Name()
}

// newer says that a key is not in force since its request is newer than we know,
// and nothing if it is not so.
func (in *situation) newer(key string) string {
	d, _ := configdef.DynamicOf(key)
	version, ok := in.observed.Newer[d.Request.Int16()]
	if !ok || !d.Patched() || in.use[key] == in.static.value(key) {
		return ""
	}
	return fmt.Sprintf("the client sends %s v%d, which is newer than this library knows", d.Request.Name(), version)
}

// carried reports whether a request that carried the value left the process.
func (in *situation) carried(key, value string) bool {
	seen := in.seen(key)
	if key == keyHeartbeat && seen == nil && value == in.static.value(key) {
		return in.observed.Joins > 0 // the client beats at its own pace, which is this one
	}
	return seen != nil && *seen == value
}

// inForce is what the last request of the kind carried, else the client's own
// value.
func (in *situation) inForce(key string) string {
	if seen := in.seen(key); seen != nil {
		return *seen
	}
	return in.static.value(key)
}

// seen is the value that the last request of the kind carried, nil before there
// was one.
func (in *situation) seen(key string) *string {
	var n *int32
	switch key {
	case keyFetchMaxBytes:
		n = &in.bytes.all
	case keyPartitionMaxBytes:
		n = &in.bytes.partition
	default:
		d, _ := configdef.DynamicOf(key)
		n = d.Seen(in.observed)
	}
	if n == nil {
		return nil
	}
	return new(text(key, *n))
}
