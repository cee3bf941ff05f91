package fleet

import (
	"cmp"
	"slices"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/dynconfig"
)

// Prospect is what would become of a key at one client, by what it last told: a claim,
// and a guess (see dynconfig.Foresee). What the client says of the value in the end
// only the client knows.
type Prospect struct {
	Instance  string  `json:"instance"`
	Principal *string `json:"principal"`
	ClientID  string  `json:"clientId"`
	Host      string  `json:"host,omitempty"`
	Key       string  `json:"key"`
	// Wished is what would be set for the client, nil for nothing.
	Wished *string `json:"wished"`
	// Own is the client's own value, and InForce what its last request carried; nil
	// if it does not tell.
	Own     *string `json:"own"`
	InForce *string `json:"inForce"`
	// State is that of an outcome which is final, and Reason why it is refused or
	// overruled.
	State  OutcomeState `json:"state"`
	Reason string       `json:"reason,omitempty"`
	// At is when the client told it.
	At time.Time `json:"at"`
}

// Prospects says what would become of an alteration: for each client that its entity
// matches, and each of its keys, sorted by instance and key. Described is what is set
// now for the entity's user and its client ids; records are what clients tell, each
// instance once; leave out those that are Stale. What is set and is not altered
// counts too: a heartbeat interval is judged together with the session timeout.
func Prospects(records []kcfg.ClientRecord, described []kcfg.Described, alteration kcfg.Alteration) []Prospect {
	after := altered(described, alteration)
	var out []Prospect
	for _, r := range records {
		if !Matches(r, alteration.Entity) {
			continue
		}
		wishes := Wished(after, r.Principal, r.ClientID)
		verdicts := foreseen(r, wishes)
		for _, op := range alteration.Ops {
			p := Prospect{
				Instance: r.Instance, Principal: r.Principal, ClientID: r.ClientID, Host: r.Host, Key: op.Key, At: r.At,
				State: OutcomeTaken,
			}
			if told := stateOf(r, op.Key); told != nil {
				p.Own, p.InForce = told.Static, told.InForce
			}
			w, wished := wishes[op.Key]
			if wished {
				p.Wished = &w.Value
			}
			switch v := verdicts[op.Key]; {
			case !concerned(r, op.Key):
				p.State = OutcomeUnconcerned
			case wished && narrower(w.Entity, alteration.Entity):
				p.State, p.Reason = OutcomeOverruled, "it is set for "+w.Entity.String()
			case wished && takesNone(r):
				p.State, p.Reason = OutcomeRefused, noneTaken
			case wished && v.Outcome != dynconfig.Accepted && v.Outcome != dynconfig.NoChange:
				p.State, p.Reason = OutcomeRefused, v.Reason
			}
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Prospect) int {
		return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Key, b.Key))
	})
	return out
}

func foreseen(r kcfg.ClientRecord, wishes map[string]Wish) map[string]dynconfig.Verdict {
	values := make(map[string]string, len(wishes))
	for key, w := range wishes {
		values[key] = w.Value
	}
	out := make(map[string]dynconfig.Verdict, len(values))
	for _, v := range dynconfig.Foresee(r, values) {
		out[v.Key] = v
	}
	return out
}

// altered is what is set after an alteration.
func altered(described []kcfg.Described, alteration kcfg.Alteration) []kcfg.Described {
	mine := kcfg.Described{Entity: alteration.Entity}
	out := make([]kcfg.Described, 0, len(described)+1)
	for _, d := range described {
		if d.Entity == alteration.Entity {
			mine.Values = append(mine.Values, d.Values...)
		} else {
			out = append(out, d)
		}
	}
	for _, op := range alteration.Ops {
		mine.Values = slices.DeleteFunc(mine.Values, func(v kcfg.KeyValue) bool { return v.Key == op.Key })
		if !op.Remove {
			mine.Values = append(mine.Values, kcfg.KeyValue{Key: op.Key, Value: op.Value})
		}
	}
	return append(out, mine)
}
