// Package identifier has the limits of KIP-1233: how long the names may be that a
// request carries. It decides and does nothing: what becomes of a name that is too
// long is its caller's business. No error of it holds the name.
package identifier

import (
	"fmt"
	"math"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// Type says what kind of name an identifier is.
type Type uint8

// The types.
const (
	Topic Type = iota + 1
	Group
	Member
	GroupInstance
	ClientID
	TransactionalID
	OffsetMetadata
	Rack
	ConfigResource
	ACLResource
	ACLPrincipal
	ACLHost
)

// The limits.
const (
	// MaxWire is the longest string, in bytes, that requests without the flexible
	// encoding can hold. kmsg writes a corrupt length for a longer one.
	MaxWire = math.MaxInt16

	// MaxOffsetMetadata is Kafka's default of offset.metadata.max.bytes.
	MaxOffsetMetadata = 4096

	maxName   = 249 // characters
	maxMember = 36  // characters: a UUID
)

type limit struct {
	name   string
	max    int
	bytes  bool // else characters
	length func(string) int
}

func limitOf(t Type) (limit, bool) {
	l := limit{max: maxName, length: Characters}
	switch t {
	case Topic:
		l.name = "topic"
	case Group:
		l.name = "group"
	case Member:
		l.name, l.max = "member", maxMember
	case GroupInstance:
		l.name = "group instance"
	case ClientID:
		l.name = "client id"
	case TransactionalID:
		l.name = "transactional id"
	case OffsetMetadata:
		l.name, l.max, l.bytes, l.length = "offset metadata", MaxOffsetMetadata, true, countBytes
	case Rack:
		l.name = "rack"
	case ConfigResource:
		l.name = "config resource"
	case ACLResource:
		l.name = "ACL resource"
	case ACLPrincipal:
		l.name = "ACL principal"
	case ACLHost:
		l.name = "ACL host"
	default:
		return limit{}, false
	}
	return l, true
}

// String returns the name of the type, as errors have it.
func (t Type) String() string {
	if l, ok := limitOf(t); ok {
		return l.name
	}
	return fmt.Sprintf("identifier type %d", uint8(t))
}

// Limit returns the limit of the proposal, and whether it is one of bytes; else it
// is one of characters. ok is false for a type that there is not.
func (t Type) Limit() (longest int, bytes, ok bool) {
	l, ok := limitOf(t)
	return l.max, l.bytes, ok
}

// Check returns the *cfgerrors.IdentifierTooLargeError of a name that is too long
// for the wire format or for the limit of the proposal, in this order, and nil for
// any other. A type that there is not has the limit of the wire format alone.
func Check(t Type, value string) error {
	if err := CheckWire(t, value); err != nil {
		return err
	}
	l, ok := limitOf(t)
	if !ok {
		return nil
	}
	return l.check(value, l.max)
}

// CheckWire is Check without the limit of the proposal.
func CheckWire(t Type, value string) error {
	return limit{name: t.String(), length: countBytes}.check(value, MaxWire)
}

// CheckMetadata checks the metadata of an offset against a limit in bytes other
// than the default one.
func CheckMetadata(value string, longest int) error {
	l, _ := limitOf(OffsetMetadata)
	return l.check(value, longest)
}

func (l limit) check(value string, longest int) error {
	if len(value) <= longest { // a character takes at least one byte
		return nil
	}
	if n := l.length(value); n > longest {
		return &cfgerrors.IdentifierTooLargeError{Type: l.name, Length: n, Limit: longest}
	}
	return nil
}

func countBytes(s string) int { return len(s) }

// Characters returns the length of a string as Java counts it: in UTF-16 units, of
// which a character beyond the basic plane has two. A byte that is not UTF-8 counts
// as one.
func Characters(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
