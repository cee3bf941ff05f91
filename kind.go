package kcfg

import (
	"fmt"
	"strings"
)

// Kind is what a client is used as, and so which of Kafka's configurations
// describe it. It is a set: a transactional consume-produce client is both
// KindProducer and KindConsumer.
type Kind uint8

// The kinds of client that the proposals know and that exist in Go. There is no
// Streams client.
const (
	KindProducer Kind = 1 << iota
	KindConsumer
	KindShare
	KindAdmin

	kindEnd
)

var kindNames = [...]struct {
	kind Kind
	name string
}{
	{KindProducer, "producer"},
	{KindConsumer, "consumer"},
	{KindShare, "share"},
	{KindAdmin, "admin"},
}

// Has reports whether every kind of o is in k.
func (k Kind) Has(o Kind) bool { return k&o == o }

// Overlaps reports whether k and o have a kind in common.
func (k Kind) Overlaps(o Kind) bool { return k&o != 0 }

// Valid reports whether k is a non-empty set of known kinds.
func (k Kind) Valid() bool { return k != 0 && k < kindEnd }

// String returns the names of the kinds, joined by a comma, in a fixed order:
// "none" for the empty set, and, in a set that is not Valid, the bits that are
// no kind as "unknown(0x10)".
func (k Kind) String() string {
	var names []string
	for _, n := range kindNames {
		if k&n.kind != 0 {
			names = append(names, n.name)
			k &^= n.kind
		}
	}
	if k != 0 {
		names = append(names, fmt.Sprintf("unknown(%#x)", uint8(k)))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ",")
}

// MarshalText returns String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (k *Kind) UnmarshalText(text []byte) error {
	var got Kind
	if s := string(text); s != "none" {
		for name := range strings.SplitSeq(s, ",") {
			one := kindOf(name)
			if one == 0 {
				return fmt.Errorf("kcfg: unknown kind %q", name)
			}
			got |= one
		}
	}
	*k = got
	return nil
}

func kindOf(name string) Kind {
	for _, n := range kindNames {
		if n.name == name {
			return n.kind
		}
	}
	return 0
}
