package fleet

import (
	"slices"
	"strings"
	"time"

	"github.com/kcfg-go/kcfg"
)

// Query says which clients are meant. All that is set must hold; the zero Query
// means every client. Names are compared exactly.
type Query struct {
	// User is the principal that the client takes itself for, without "User:". A
	// client that does not know its own is nobody's.
	User *string
	// ClientID is its client id.
	ClientID *string
	// Group is the group that it is in; the empty one stands for none.
	Group *string
	// Host is the name of its host; the empty one stands for one that is not told.
	Host *string
	// Software is the name of the library that it is made with, such as "kgo", or
	// name and version as kcfg.Software.String has them.
	Software *string
	// Instance is the beginning of its instance id.
	Instance string
	// Kind are kinds that it has, among others.
	Kind kcfg.Kind
	// State is the state of one of its dynamic configurations, and StateKey says of
	// which. The empty State is any, as is the empty key.
	State    kcfg.OverrideState
	StateKey string
	// Deviates means clients with Deviations.
	Deviates bool
	// Configs are values that are in force at it, an operator's overrides among them. A
	// value that Shown does not show is matched by none: it could be guessed.
	Configs map[string]string
	// NotStale means clients whose record is not Stale at this time, if it is not
	// zero.
	NotStale time.Time
}

// Stale reports whether a record is older than one of a client that lives can be; see
// kcfg.ClientAliveFor. The clock is the client's own, which may be wrong: one that is as
// far ahead would never be stale, and counts as stale now.
func Stale(r kcfg.ClientRecord, now time.Time) bool {
	return now.Sub(r.At).Abs() > kcfg.ClientAliveFor
}

// Select returns the records of the clients that are meant, in the order given. The
// records are not changed.
func (q Query) Select(records []kcfg.ClientRecord) []kcfg.ClientRecord {
	var out []kcfg.ClientRecord
	for _, r := range records {
		if q.Match(r) {
			out = append(out, r)
		}
	}
	return out
}

// Match reports whether a client is meant.
func (q Query) Match(r kcfg.ClientRecord) bool {
	switch {
	case q.User != nil && (r.Principal == nil || *r.Principal != *q.User),
		!same(q.ClientID, r.ClientID),
		!same(q.Group, r.Group),
		!same(q.Host, r.Host),
		!same(q.Software, r.Software.Name) && !same(q.Software, r.Software.String()),
		!strings.HasPrefix(r.Instance, q.Instance),
		!r.Kinds.Has(q.Kind),
		!q.NotStale.IsZero() && Stale(r, q.NotStale),
		(q.State != "" || q.StateKey != "") && !q.inState(r),
		q.Deviates && deviations(r) == 0:
		return false
	}
	return len(q.Configs) == 0 || q.hasConfigs(r)
}

func same(want *string, got string) bool { return want == nil || *want == got }

func (q Query) inState(r kcfg.ClientRecord) bool {
	for s := range onceState(r.Dynamic) {
		if (q.State == "" || q.State == s.State) && (q.StateKey == "" || q.StateKey == s.Key) {
			return true
		}
	}
	return false
}

func (q Query) hasConfigs(r kcfg.ClientRecord) bool {
	found := 0
	for c := range once(r.Configs) {
		want, asked := q.Configs[c.Key]
		if !asked {
			continue
		}
		if c.Value != want || Shown(c) != c.Value {
			return false
		}
		found++
	}
	return found == len(q.Configs)
}

// Named returns the clients that a user may mean by one name: the one with this
// instance id, else all with this client id, else those whose instance id begins with
// it, which may be several that have nothing to do with each other. byInstance says
// whether it was an instance. The empty name is an empty client id.
func Named(records []kcfg.ClientRecord, name string) (found []kcfg.ClientRecord, byInstance bool) {
	if i := slices.IndexFunc(records, func(r kcfg.ClientRecord) bool { return r.Instance == name && name != "" }); i >= 0 {
		return records[i : i+1 : i+1], true
	}
	if found := (Query{ClientID: &name}).Select(records); len(found) > 0 || name == "" {
		return found, false
	}
	found = Query{Instance: name}.Select(records)
	return found, len(found) > 0
}
