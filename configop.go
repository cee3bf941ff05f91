package kcfg

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// ConfigOpKind is what a ConfigOp does, by Kafka's numbers in
// IncrementalAlterConfigs.
type ConfigOpKind int8

// The kinds of operations.
const (
	OpSet      ConfigOpKind = 0
	OpDelete   ConfigOpKind = 1
	OpAppend   ConfigOpKind = 2
	OpSubtract ConfigOpKind = 3
)

// String returns "set", "delete", "append" or "subtract".
func (k ConfigOpKind) String() string {
	switch k {
	case OpSet:
		return "set"
	case OpDelete:
		return "delete"
	case OpAppend:
		return "append"
	case OpSubtract:
		return "subtract"
	}
	return unknown(int8(k))
}

// MarshalText returns String.
func (k ConfigOpKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ConfigOp is one change of a configuration. Its value may be a secret, such as a
// broker's ssl.keystore.password, so it prints, logs and marshals without it.
type ConfigOp struct {
	Kind ConfigOpKind
	Key  string
	// Value is not used by OpDelete.
	Value string
}

// SetConfig returns the change that sets a key.
func SetConfig(key, value string) ConfigOp { return ConfigOp{Kind: OpSet, Key: key, Value: value} }

// DeleteConfig returns the change that takes a key back to what it is when nobody
// sets it. Deleting what is not set succeeds.
func DeleteConfig(key string) ConfigOp { return ConfigOp{Kind: OpDelete, Key: key} }

// AppendConfig returns the change that adds an element to a list.
func AppendConfig(key, value string) ConfigOp {
	return ConfigOp{Kind: OpAppend, Key: key, Value: value}
}

// SubtractConfig returns the change that takes an element out of a list.
func SubtractConfig(key, value string) ConfigOp {
	return ConfigOp{Kind: OpSubtract, Key: key, Value: value}
}

// String returns the kind and the key, without the value.
func (o ConfigOp) String() string { return o.Kind.String() + " " + o.Key }

// GoString is String, so that %#v does not print the value either.
func (o ConfigOp) GoString() string { return o.String() }

// Format prints String for every verb.
func (o ConfigOp) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, o.String()) }

// LogValue keeps the value out of slog records.
func (o ConfigOp) LogValue() slog.Value { return slog.StringValue(o.String()) }

// MarshalJSON returns the kind and the key, without the value.
func (o ConfigOp) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind ConfigOpKind `json:"kind"`
		Key  string       `json:"key"`
	}{o.Kind, o.Key})
}

// ConfigAlteration is a list of changes to one resource, which are made together or
// not at all.
type ConfigAlteration struct {
	Resource Resource
	Ops      []ConfigOp
}

// AlterConfig returns an alteration of a resource.
func AlterConfig(r Resource, ops ...ConfigOp) ConfigAlteration {
	return ConfigAlteration{Resource: r, Ops: ops}
}

// AlteredConfigs is the outcome of one alteration.
type AlteredConfigs struct {
	Resource Resource
	// Err is nil if the alteration was made, or would have been with validation
	// only; else one of package errors, or kgo's.
	Err error
}

// AlterResults is the outcome of alterations, in their order.
type AlterResults []AlteredConfigs

// Err returns the errors of all alterations, each with its resource, and nil if
// there is none.
func (rs AlterResults) Err() error {
	var errs []error
	for _, r := range rs {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("kcfg: alter %s: %w", r.Resource, r.Err))
		}
	}
	return errors.Join(errs...)
}

// On returns the outcome of a resource. Of several it is the first.
func (rs AlterResults) On(r Resource) (AlteredConfigs, bool) {
	for _, one := range rs {
		if one.Resource == r {
			return one, true
		}
	}
	return AlteredConfigs{}, false
}
