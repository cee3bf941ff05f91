package configdef

import (
	"slices"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// Defaults returns the default set of the kinds as a client has it that was given
// nothing but a group, sorted by key. What has no default is left out.
func Defaults(kind kcfg.Kind) []sensitive.Entry {
	cl, err := newReference(mode{share: kind.Has(share), group: kind.Has(consumer) && !kind.Has(share)}, refuse)
	if err != nil {
		return nil // a kgo that refuses its own defaults has none
	}
	return slices.DeleteFunc(NewSource(cl).Collect(kind), func(e sensitive.Entry) bool { return !e.IsDefault })
}
