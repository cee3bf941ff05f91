package kcfg

// Op is one change of a client configuration: setting a key to a value, or
// removing it, whatever it is.
type Op struct {
	Key    string
	Value  string
	Remove bool
}

// Set returns the change that sets a key.
func Set(key, value string) Op { return Op{Key: key, Value: value} }

// Remove returns the change that removes a key. Removing what is not set
// succeeds.
func Remove(key string) Op { return Op{Key: key, Remove: true} }

// Alteration is a list of changes to the client configurations of one entity,
// which a broker makes together or not at all (KIP-649).
type Alteration struct {
	Entity Entity
	Ops    []Op
}

// Alter returns an alteration.
func Alter(e Entity, ops ...Op) Alteration { return Alteration{Entity: e, Ops: ops} }

// Described is what a Describe tells of one entity.
type Described struct {
	Entity Entity `json:"entity"`
	// Values are the configurations that are set, sorted by key. The
	// pseudo-configuration SupportedConfigs is not among them.
	Values []KeyValue `json:"values"`
	// Supported lists, by software name and version ("kgo/v1.22.3"), the
	// dynamic configurations that clients of the entity said to support.
	Supported map[string][]string `json:"supported,omitempty"`
}

// KeyValue is a configuration as a Describe tells it.
type KeyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// SupportedConfigs is the key under which a broker tells, as JSON, what clients
// said to support (KIP-649). It is never an override; it can only be removed.
const SupportedConfigs = "supported.configs"

// Altered is the outcome of one alteration.
type Altered struct {
	Entity Entity
	// Err is nil if the alteration was made, or would have been with validation
	// only; else one of package errors.
	Err error
}
