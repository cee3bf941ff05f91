package configdef

import (
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// The sets of kinds that the table uses.
const (
	producer = kcfg.KindProducer
	consumer = kcfg.KindConsumer
	share    = kcfg.KindShare
	admin    = kcfg.KindAdmin

	readers = consumer | share
	every   = producer | consumer | share | admin

	// A share consumer reports a short list of its own, so many keys can be
	// told for it and are in no default set.
	notShare = every &^ share
)

// A row is one Kafka key.
type row struct {
	key string
	typ sensitive.Type

	kinds kcfg.Kind // has this key, as far as Kafka's clients go
	told  kcfg.Kind // of those, the ones for which kgo can tell a value
	push  kcfg.Kind // of those, the ones that have it in their default set

	reader reader // the zero reader where told is empty

	// dynamic is how the key is changed at run time (KIP-649), nil for one that
	// is not.
	dynamic *Dynamic
}

// find returns the row of a key, or nil.
func find(key string) *row {
	i, ok := slices.BinarySearchFunc(table, key, func(r row, key string) int {
		return strings.Compare(r.key, key)
	})
	if !ok {
		return nil
	}
	return &table[i]
}

// KindsOf returns the kinds of client that have a key in Kafka, whether or not
// kgo can tell its value, and none for a key that no client has.
func KindsOf(key string) kcfg.Kind {
	r := find(key)
	if r == nil {
		return 0
	}
	return r.kinds
}

// TypeOf returns the ConfigDef.Type of a Kafka client key, or
// [sensitive.Unknown] for a key that no client of Kafka has. Keys are compared
// exactly, as Kafka does.
func TypeOf(key string) sensitive.Type {
	r := find(key)
	if r == nil {
		return sensitive.Unknown
	}
	return r.typ
}
