package dynconfig

import (
	"slices"
	"strconv"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
)

// The three keys of KIP-649, which every client accepts unless it is told
// otherwise.
const (
	keyAcks      = "acks"
	keySession   = "session.timeout.ms"
	keyHeartbeat = "heartbeat.interval.ms"
)

// Further keys, off unless named in AcceptOverrides.
const (
	keyFetchMaxWait      = "fetch.max.wait.ms"
	keyFetchMinBytes     = "fetch.min.bytes"
	keyFetchMaxBytes     = "fetch.max.bytes"
	keyPartitionMaxBytes = "max.partition.fetch.bytes"
	keyProduceTimeout    = "request.timeout.ms"
)

// kindsOf returns which kinds of client can change a key, none for one that
// cannot be changed.
func kindsOf(key string) kcfg.Kind {
	d, _ := configdef.DynamicOf(key)
	return d.Kinds
}

// number returns what a value is on the wire, and false if it is none that the
// key can have.
func number(key, value string) (int32, bool) {
	d, ok := configdef.DynamicOf(key)
	if !ok {
		return 0, false
	}
	n, err := d.Number(value)
	return n, err == nil
}

// text returns the one way to write a number of a key.
func text(key string, n int32) string {
	d, ok := configdef.DynamicOf(key)
	if !ok {
		return ""
	}
	return d.Text(n)
}

// DefaultKeys returns the keys that are accepted by default, sorted.
func DefaultKeys() []string {
	return slices.DeleteFunc(Keys(), func(key string) bool {
		d, _ := configdef.DynamicOf(key)
		return !d.Listed
	})
}

// Keys returns every key that can be accepted, sorted.
func Keys() []string { return configdef.DynamicKeys() }

// SupportedKeys returns the keys that a client of the given kinds tells the
// cluster that it supports: those that it has and accepts, sorted.
func SupportedKeys(kinds kcfg.Kind, r Rules) []string {
	var out []string
	for _, key := range Keys() {
		if kindsOf(key).Overlaps(kinds) && r.accepts(key) {
			out = append(out, key)
		}
	}
	return out
}

// Acks is how many acknowledgements a producer waits for, as the protocol has
// it.
type Acks int16

// The values of acks.
const (
	NoAck     Acks = 0
	LeaderAck Acks = 1
	AllAcks   Acks = -1
)

// String returns "all", "1" or "0", and of what is no acks the number.
func (a Acks) String() string {
	if a == AllAcks {
		return "all"
	}
	return strconv.Itoa(int(a))
}

// below reports whether a waits for less than b.
func (a Acks) below(b Acks) bool {
	rank := []Acks{NoAck, LeaderAck, AllAcks}
	return slices.Index(rank, a) < slices.Index(rank, b)
}
