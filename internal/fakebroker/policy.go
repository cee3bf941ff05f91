package fakebroker

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// ClientConfigPolicy is the client.config.policy of KIP-1324: it sees what
// clients push.
//
// Process is called on the connection's own goroutine, for several connections
// at a time, and must not block: its connection is muted until it returns. Its
// context ends when the connection or the cluster is closed, and Close of the
// cluster waits for it to return. A returned error refuses the push with
// INVALID_CONFIG and the error's text, unless it is a *PolicyError; nil accepts
// it. A panic becomes UNKNOWN_SERVER_ERROR.
//
// A policy that is also Reconfigurable is configured before the first call. One
// that is an io.Closer is closed with the cluster.
type ClientConfigPolicy interface {
	Process(ctx context.Context, rc RequestContext, configs ClientConfigs) error
}

// Reconfigurable is a policy that takes configurations: those of PolicyConfigs
// when the cluster starts, and those of Cluster.Reconfigure later, then while
// Process may be running.
type Reconfigurable interface {
	Configure(configs map[string]string) error
}

// RequestContext says who sent a request, and where it arrived.
type RequestContext = kcfg.RequestContext

// ClientConfigs is one push, checked and parsed.
type ClientConfigs struct {
	// BrokerTimestamp is when the broker got the push.
	BrokerTimestamp time.Time
	// Entries are in the client's order. Their keys differ.
	Entries []Entry
}

// Get returns the entry of a key.
func (c ClientConfigs) Get(key string) (Entry, bool) {
	for _, e := range c.Entries {
		if e.Key == key {
			return e, true
		}
	}
	return Entry{}, false
}

// Entry is one pushed configuration. Like sensitive.Entry it prints and logs
// without its value.
type Entry struct {
	Key string
	// Value has the Go type of Type: bool, string, int32, int16, int64,
	// float64, or []string.
	Value any
	// Text is the value as the client wrote it.
	Text      string
	Type      sensitive.Type
	IsDefault bool
}

// String returns the entry without its value.
func (e Entry) String() string { return e.wire().String() }

// GoString is String, so that %#v does not print the value either.
func (e Entry) GoString() string { return e.String() }

// Format prints String for every verb.
func (e Entry) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, e.String()) }

// LogValue keeps the value out of slog records.
func (e Entry) LogValue() slog.Value { return slog.StringValue(e.String()) }

func (e Entry) wire() sensitive.Entry {
	return sensitive.Entry{Key: e.Key, Value: e.Text, Type: e.Type, IsDefault: e.IsDefault}
}

// PolicyError is the error of a policy that chooses the error code itself, such
// as POLICY_VIOLATION.
type PolicyError struct {
	// Code is the error code as it goes on the wire; 0 would say that all is
	// well and counts as INVALID_CONFIG for a push, and as POLICY_VIOLATION for
	// an alteration.
	Code int16
	// Message is the answer's error message; it is null when empty.
	Message string
}

func (e *PolicyError) Error() string {
	return fmt.Sprintf("fakebroker: the policy refused the request (code %d): %s", e.Code, e.Message)
}
