package fleet

import (
	"cmp"
	"slices"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/dynconfig"
)

// OutcomeState is what became of a key at one client.
type OutcomeState string

// The states of an outcome. Those of Final do not change by themselves.
const (
	// OutcomeTaken: a request of the client carried the value, or it is the client's own
	// anyway. Of a removal, that the client no longer shows a wish.
	OutcomeTaken OutcomeState = "taken"
	// OutcomeRefused: the client does not use the value, see the reason.
	OutcomeRefused OutcomeState = "refused"
	// OutcomeOverruled: another value is set for the client's own client id, and wins.
	OutcomeOverruled OutcomeState = "overruled"
	// OutcomeUnconcerned: the key means nothing to a client of its kind, such as acks to a
	// consumer.
	OutcomeUnconcerned OutcomeState = "unconcerned"
	// OutcomePending: the client has accepted it, and no request has carried it so far.
	OutcomePending OutcomeState = "pending"
	// OutcomeUnanswered: what the client tells does not show it so far. It asks once every
	// metadata.max.age.ms, by default 5 minutes. A client that ended without a word
	// stays so.
	OutcomeUnanswered OutcomeState = "unanswered"
)

// Final reports whether there is nothing to wait for.
func (s OutcomeState) Final() bool { return s != OutcomePending && s != OutcomeUnanswered }

// Outcome is what became of a key at one client, by what the client tells: a claim.
type Outcome struct {
	Instance  string  `json:"instance"`
	Principal *string `json:"principal"`
	ClientID  string  `json:"clientId"`
	Host      string  `json:"host,omitempty"`
	Key       string  `json:"key"`
	// Wished is what the client is to use, nil if nothing is set for it any more.
	Wished *string `json:"wished"`
	// InForce is what the client's last request carried, nil if it does not tell.
	InForce *string      `json:"inForce"`
	State   OutcomeState `json:"state"`
	// Reason says why it is refused, overruled, or not in force so far.
	Reason string `json:"reason,omitempty"`
	// At is when the client told it.
	At time.Time `json:"at"`
}

// Outcomes says what became of an alteration of keys of an entity: for each client
// that the entity matches, and each key, sorted by instance and key. Described is what
// is set now, after the alteration, for the entity's user and its client ids; records
// are what clients tell, each instance once; leave out those that are Stale.
func Outcomes(records []kcfg.ClientRecord, described []kcfg.Described, entity kcfg.Entity, keys []string) []Outcome {
	var out []Outcome
	for _, r := range records {
		if !Matches(r, entity) {
			continue
		}
		wishes := Wished(described, r.Principal, r.ClientID)
		for _, key := range keys {
			o := Outcome{Instance: r.Instance, Principal: r.Principal, ClientID: r.ClientID, Host: r.Host, Key: key, At: r.At}
			w, wished := wishes[key]
			if wished {
				o.Wished = &w.Value
			}
			told := stateOf(r, key)
			if told != nil {
				o.InForce = told.InForce
			}
			switch {
			case !concerned(r, key):
				o.State = OutcomeUnconcerned
			case wished && narrower(w.Entity, entity):
				o.State, o.Reason = OutcomeOverruled, "it is set for "+w.Entity.String()
			default:
				o.State, o.Reason = judge(r, told, o.Wished)
			}
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// concerned reports whether a key means something to a client of its kind. To share
// consumers the keys of members do: they say where to set these instead.
func concerned(r kcfg.ClientRecord, key string) bool {
	rules := dynconfig.Rules{AcceptOverrides: []string{key}}
	meansTo := func(kinds kcfg.Kind) bool { return len(dynconfig.SupportedKeys(kinds, rules)) > 0 }
	kinds := r.Kinds
	if kinds.Has(kcfg.KindShare) {
		kinds |= kcfg.KindConsumer
	}
	anybody := kcfg.KindProducer | kcfg.KindConsumer | kcfg.KindShare | kcfg.KindAdmin
	return meansTo(kinds) || !meansTo(anybody)
}

func stateOf(r kcfg.ClientRecord, key string) *kcfg.KeyState {
	i := slices.IndexFunc(r.Dynamic, func(s kcfg.KeyState) bool { return s.Key == key })
	if i < 0 {
		return nil
	}
	return &r.Dynamic[i]
}

// noneTaken is why a client refuses everything that is wished.
const noneTaken = "the client takes no dynamic configurations"

func takesNone(r kcfg.ClientRecord) bool { return len(r.Supported) == 0 && len(r.Dynamic) == 0 }

// judge compares what a client tells of a key with what is wished.
func judge(r kcfg.ClientRecord, told *kcfg.KeyState, wished *string) (OutcomeState, string) {
	switch {
	case takesNone(r) && wished != nil:
		return OutcomeRefused, noneTaken
	case wished == nil:
		return judgeRemoval(told)
	case told == nil:
		return OutcomeUnanswered, ""
	case told.State == kcfg.OverrideUnsupported && told.Wished == nil:
		return OutcomeRefused, told.Reason // whatever the value: the client keeps none of what it cannot use
	case told.Wished == nil, *told.Wished != *wished:
		return OutcomeUnanswered, ""
	}
	switch told.State {
	case kcfg.OverrideApplied, kcfg.OverrideStatic:
		return OutcomeTaken, told.Reason
	case kcfg.OverrideRejected, kcfg.OverrideNotApplicable, kcfg.OverrideUnsupported:
		return OutcomeRefused, told.Reason
	case kcfg.OverridePending:
		return OutcomePending, told.Reason
	}
	return OutcomeUnanswered, "" // a state of a later library
}

// judgeRemoval is judge where nothing is wished. A key that a client cannot use is
// told only as long as it is wished.
func judgeRemoval(told *kcfg.KeyState) (OutcomeState, string) {
	switch {
	case told == nil:
		return OutcomeTaken, ""
	case told.Wished != nil, told.State == kcfg.OverrideUnsupported:
		return OutcomeUnanswered, ""
	case told.State == kcfg.OverridePending:
		return OutcomePending, told.Reason
	}
	return OutcomeTaken, ""
}
