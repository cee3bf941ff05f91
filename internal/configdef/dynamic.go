package configdef

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

// Dynamic is how a key is changed at run time. Its values are numbers, as on the
// wire.
type Dynamic struct {
	// Kinds are those of client that can change it, which may be fewer than
	// have it: request.timeout.ms is only that of Produce.
	Kinds kcfg.Kind
	// Listed is set for the three keys of KIP-649, which clients accept unless
	// they are told otherwise. The others are ours.
	Listed bool
	// Request is the one that carries it.
	Request kmsg.Key

	number func(value string) (int32, bool)
	want   string // what a value is that number does not take
	text   func(int32) string

	// patch sets what a value becomes on the wire, and seen reads what requests
	// carried last. Both are nil for a key that kgo has a function for.
	patch func(*connpatch.Patches, int32)
	seen  func(connpatch.Observed) *int32
}

// DynamicOf returns how a key is changed at run time, and false for one that is
// not.
func DynamicOf(key string) (Dynamic, bool) {
	r := find(key)
	if r == nil || r.dynamic == nil {
		return Dynamic{}, false
	}
	return *r.dynamic, true
}

// DynamicKeys returns every key that can be changed at run time, sorted.
func DynamicKeys() []string {
	var out []string
	for _, r := range table {
		if r.dynamic != nil {
			out = append(out, r.key)
		}
	}
	return out
}

// Number returns what a value is on the wire. It is parsed as in a static
// configuration. What a certain client makes of it, and whether two values go
// together, is not asked here. The error never holds the value.
func (d Dynamic) Number(value string) (int32, error) {
	n, ok := d.number(value)
	if !ok {
		return 0, errors.New("it is " + d.want)
	}
	return n, nil
}

// Text returns the one way to write a number.
func (d Dynamic) Text(n int32) string { return d.text(n) }

// Patch makes a number a patch. It does nothing for a key that kgo has a
// function for.
func (d Dynamic) Patch(p *connpatch.Patches, n int32) {
	if d.patch != nil {
		d.patch(p, n)
	}
}

// Patched reports whether the key becomes a patch.
func (d Dynamic) Patched() bool { return d.patch != nil }

// Seen returns what the last request carried, nil before there was one and for a
// key that kgo has a function for.
func (d Dynamic) Seen(o connpatch.Observed) *int32 {
	if d.seen == nil {
		return nil
	}
	return d.seen(o)
}

// ValidateDynamic returns why a value is none that an operator may set for
// clients, and nil if it is one; see Number.
//
// The error names the key, quoted if it is not known, and never holds the value.
func ValidateDynamic(key, value string) error {
	d, ok := DynamicOf(key)
	if !ok {
		return fmt.Errorf("configdef: %s is no dynamic configuration", shownKey(key))
	}
	if _, err := d.Number(value); err != nil {
		return fmt.Errorf("configdef: %s: %w", key, err)
	}
	return nil
}

// shownKey makes a key that somebody else chose fit for a message.
func shownKey(key string) string {
	const limit = 256
	if len(key) > limit {
		return strconv.QuoteToASCII(key[:limit]) + " (cut)"
	}
	return strconv.QuoteToASCII(key)
}
