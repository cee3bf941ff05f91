package fleet

import (
	"fmt"
	"slices"

	"github.com/kcfg-go/kcfg"
)

// By is what clients have in common that should be alike.
type By string

// What clients can have in common.
const (
	ByClientID By = "client-id"
	ByGroup    By = "group"
)

// Bys returns them, the default first.
func Bys() []By { return []By{ByClientID, ByGroup} }

// ParseBy returns the By of a name.
func ParseBy(name string) (By, error) {
	if b := By(name); slices.Contains(Bys(), b) {
		return b, nil
	}
	return "", fmt.Errorf("fleet: clients cannot be compared by %q; there are %s", name, listed(Bys()))
}

// DriftOptions say what FindDrift looks for.
type DriftOptions struct {
	// By is what clients have in common, ByClientID by default.
	By By
	// Keys are those to look at. By default it is all but those that differ by
	// nature: group.instance.id, transactional.id and client.rack, and with ByGroup
	// client.id.
	Keys []string
	// FromDefaults looks for values that are not the default, instead of values
	// that differ, and so for groups of one client too. Names (see Deviations) have
	// no default and are left out unless they are among Keys.
	FromDefaults bool
	// Default returns the default of a key for clients of some kinds, if no record
	// tells it. It may be nil.
	Default func(key string, kinds kcfg.Kind) (value string, ok bool)
}

// Bounds of a Drift. What they leave out is counted.
const (
	MaxKeys     = 256 // of a group: those that the most clients have
	MaxValues   = 10  // of a key: those that the most clients have
	MaxExamples = 3   // of a value: the first by instance
	MaxText     = 256 // bytes of a name, a key or a value, which ends in "..." if it was longer
)

// Drift is what differs in a fleet.
type Drift struct {
	// Clients counts the clients that were looked at. Ungrouped are those among them
	// that are in no group, with ByGroup.
	Clients   int `json:"clients"`
	Ungrouped int `json:"ungrouped"`
	// Groups are those in which something was found, sorted by name.
	Groups []GroupDrift `json:"groups"`
}

// GroupDrift is what differs among clients that have something in common.
type GroupDrift struct {
	By By `json:"by"`
	// Name is the client id or the group.
	Name    string `json:"name"`
	Clients int    `json:"clients"`
	// Keys are sorted by key, and for one key by kinds.
	Keys []KeyDrift `json:"keys"`
	// MoreKeys counts the keys beyond MaxKeys.
	MoreKeys int `json:"moreKeys"`
}

// KeyDrift is what clients have as one key.
type KeyDrift struct {
	Key string `json:"key"`
	// Kinds are those of the clients that have it, taken together.
	Kinds kcfg.Kind `json:"kinds"`
	// Clients counts them. The others of the group do not have the key, or do not
	// tell it, which is no drift.
	Clients int `json:"clients"`
	// Default is the default, nil if it is not known, or not the same for all of them.
	Default *string `json:"default"`
	// Values are those in force, of which the most clients have one first, and
	// those of as many sorted.
	Values []DriftValue `json:"values"`
	// MoreValues counts the values beyond MaxValues, and MoreClients those who
	// have them.
	MoreValues  int `json:"moreValues"`
	MoreClients int `json:"moreClients"`
}

// DriftValue is a value, and who has it.
type DriftValue struct {
	// Value is Redacted where Shown says so.
	Value   string `json:"value"`
	Clients int    `json:"clients"`
	// Defaults counts those of the clients for which it is the default, and
	// Overrides those for which it is an operator's override.
	Defaults  int `json:"defaults"`
	Overrides int `json:"overrides"`
	// Instances are the first of the clients.
	Instances []string `json:"instances"`
}

// FindDrift returns what differs among clients that have a client id or a group in
// common. The time that it takes grows with the number of clients and of their keys.
//
// What is compared is the value in force: the operator's override where the client
// says that it applied one, else its own. An override that all clients of a group have
// is thus no drift, and one that some of them have not is. As the default it counts
// never, whatever its value.
//
// Only clients to which a key means the same are compared: share consumers have other
// defaults than the rest, and for request.timeout.ms and retries so have producers. For
// such a key there may be two KeyDrifts.
func FindDrift(records []kcfg.ClientRecord, o DriftOptions) Drift {
	if o.By == "" {
		o.By = ByClientID
	}
	f := newFinder(o)
	for _, r := range Sort(records, OrderInstance) {
		f.add(r)
	}
	return f.drift()
}
