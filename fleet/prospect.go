package fleet

import (
	"cmp"
	"slices"
	"time"

	"github.com/kcfg-go/kcfg"
)

// Prospect is how a client would stand to an alteration of a key, by what it last
// told: a claim. What the client would say of the value only the client knows.
type Prospect struct {
	Instance  string  `json:"instance"`
	Principal *string `json:"principal"`
	ClientID  string  `json:"clientId"`
	Host      string  `json:"host,omitempty"`
	Key       string  `json:"key"`
	// Supported is set if the client accepts overrides of the key.
	Supported bool `json:"supported"`
	// Own is the client's own value, and InForce what its last request carried; nil
	// if it does not tell.
	Own     *string `json:"own"`
	InForce *string `json:"inForce"`
	// Overruled is set if a value is set for the client's own client id, which wins
	// over what is set for the user.
	Overruled bool `json:"overruled"`
	// At is when the client told it.
	At time.Time `json:"at"`
}

// Prospects says whom an alteration of keys of an entity would reach: each client that
// the entity matches, and each key, sorted by instance and key. Described is what is
// set now for the entity's user and its client ids.
func Prospects(records []kcfg.ClientRecord, described []kcfg.Described, entity kcfg.Entity, keys []string) []Prospect {
	var out []Prospect
	for _, r := range records {
		if !Matches(r, entity) {
			continue
		}
		wishes := Wished(described, r.Principal, r.ClientID)
		for _, key := range keys {
			w, wished := wishes[key]
			p := Prospect{
				Instance: r.Instance, Principal: r.Principal, ClientID: r.ClientID, Host: r.Host, Key: key, At: r.At,
				Supported: slices.Contains(r.Supported, key),
				Overruled: wished && narrower(w.Entity, entity),
			}
			if told := stateOf(r, key); told != nil {
				p.Own, p.InForce = told.Static, told.InForce
			}
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Prospect) int {
		return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Key, b.Key))
	})
	return out
}
