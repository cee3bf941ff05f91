package kcfg

import "time"

// OverrideState is where the override of one key stands.
type OverrideState string

// The states of a key.
const (
	OverrideStatic        OverrideState = "static"         // the client's own value, and nothing else is wished
	OverridePending       OverrideState = "pending"        // accepted; no request has carried it so far
	OverrideApplied       OverrideState = "applied"        // a request that carried it left the process
	OverrideRejected      OverrideState = "rejected"       // not used, see the reason
	OverrideNotApplicable OverrideState = "not-applicable" // fine, but this client cannot use it, see the reason
	OverrideUnsupported   OverrideState = "unsupported"    // no key that can be changed
)

// KeyState is where one dynamic configuration of a client stands (KIP-649). The
// values are nil where there is none; dynamic configurations are no secrets.
type KeyState struct {
	Key string `json:"key"`
	// Wished is what the cluster wants, as it wrote it. It is nil for keys that
	// cannot be changed too: their values are not kept.
	Wished *string `json:"wished,omitempty"`
	// InForce is what the client's last request of the kind carried, or its own
	// value before there was one.
	InForce *string `json:"inForce,omitempty"`
	// Static is the client's own value.
	Static *string       `json:"static,omitempty"`
	State  OverrideState `json:"state"`
	// Reason says why Wished and InForce differ, or what is special.
	Reason string `json:"reason,omitempty"`
}

// DynamicState is where the asking for overrides stands.
type DynamicState string

// The states of dynamic configurations.
const (
	DynamicWaiting     DynamicState = "waiting"     // for the first connection, or the first answer
	DynamicPolled      DynamicState = "polled"      // the last answer was one
	DynamicNothing     DynamicState = "nothing"     // the client has no key that can be changed
	DynamicUnsupported DynamicState = "unsupported" // no broker seen so far speaks the RPC
	DynamicFailed      DynamicState = "failed"      // see Err; what is in force stays
	DynamicDisabled    DynamicState = "disabled"    // by the application's options
	DynamicClosed      DynamicState = "closed"      // the client is closed
)

// DynamicStatus is the state of dynamic configurations (KIP-649).
type DynamicStatus struct {
	State DynamicState `json:"state"`
	// Reason explains a state that needs it, such as disabled.
	Reason string `json:"reason,omitempty"`
	// Err is why the last poll failed, nil after one that did not.
	Err error `json:"-"`
	// Error is the text of Err.
	Error string `json:"error,omitempty"`
	// Keys are the keys that can be changed and all that are wished, sorted.
	Keys []KeyState `json:"keys,omitempty"`
	// AuditOnly is set if overrides are judged and none is used.
	AuditOnly bool `json:"auditOnly,omitempty"`
	// Suspended says why no override is used for now, empty if they are.
	Suspended string `json:"suspended,omitempty"`
	// Node is the broker that answered last, -1 if none did. Seeds have kgo's
	// ids, which are below -1.
	Node int32 `json:"node"`
	// At is when it did, zero if none did.
	At time.Time `json:"at,omitzero"`
	// Polls counts polls that succeeded, Requests all requests sent, and Rejoins
	// the joins that were forced for a session timeout.
	Polls    int `json:"polls"`
	Requests int `json:"requests"`
	Rejoins  int `json:"rejoins"`
}

// Polled is the event of a poll that was answered.
type Polled struct {
	// Node is the broker. Seeds have kgo's negative ids.
	Node int32
	// Overrides are the dynamic configurations that are wished, sorted by key.
	Overrides []KeyValue
	// Requests counts the requests that it took.
	Requests int
	// Took is the time from the start of the poll to the answer.
	Took time.Duration
}

// PollFailure is the event of a poll that failed. What is in force stays.
type PollFailure struct {
	// Err is the error; match it with errors.Is and errors.AsType.
	Err error
	// Requests counts the requests that were sent.
	Requests int
	// Took is the time from the start of the poll to its end.
	Took time.Duration
}

// Applied is the event of a value that came into force: an override, another
// one, or the client's own again.
type Applied struct {
	Key      string
	Old, New string
	// Override is false if New is the client's own value and no override of the
	// key is wished.
	Override bool
}

// Rejected is the event of an override that is not used. It comes once, until
// the override or the reason is another one.
type Rejected struct {
	Key string
	// Value is empty for keys that cannot be changed.
	Value string
	// State is OverrideRejected, OverrideNotApplicable or OverrideUnsupported.
	State  OverrideState
	Reason string
}
