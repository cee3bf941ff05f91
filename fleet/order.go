package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
)

// Order is what clients are sorted by.
type Order string

// The orders. Deviations begins with the client that has the most, all others with
// the smallest or the earliest. A principal that is not known comes first.
const (
	ByInstance   Order = "instance"
	ByPrincipal  Order = "principal"
	ByClient     Order = "client-id"
	ByGroupID    Order = "group"
	ByHost       Order = "host"
	BySoftware   Order = "software"
	BySince      Order = "since"
	ByAt         Order = "at"
	ByDeviations Order = "deviations"
)

// Orders returns the orders.
func Orders() []Order {
	return []Order{ByInstance, ByPrincipal, ByClient, ByGroupID, ByHost, BySoftware, BySince, ByAt, ByDeviations}
}

// ParseOrder returns the order of a name.
func ParseOrder(name string) (Order, error) {
	if o := Order(name); slices.Contains(Orders(), o) {
		return o, nil
	}
	return "", fmt.Errorf("fleet: there is no order %q; there are %s", name, listed(Orders()))
}

func listed[S ~string](all []S) string {
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}

// Sort returns the clients sorted by an order; those that are the same in it are
// sorted by instance. The zero Order, and one that is not known, is ByInstance.
func Sort(records []kcfg.ClientRecord, by Order) []kcfg.ClientRecord {
	out := slices.Clone(records)
	counts := make(map[string]int)
	if by == ByDeviations {
		for _, r := range out {
			counts[r.Instance] = deviations(r)
		}
	}
	slices.SortStableFunc(out, func(a, b kcfg.ClientRecord) int {
		c := 0
		switch by {
		case ByPrincipal:
			c = comparePointers(a.Principal, b.Principal)
		case ByClient:
			c = strings.Compare(a.ClientID, b.ClientID)
		case ByGroupID:
			c = strings.Compare(a.Group, b.Group)
		case ByHost:
			c = strings.Compare(a.Host, b.Host)
		case BySoftware:
			c = strings.Compare(a.Software.String(), b.Software.String())
		case BySince:
			c = a.Since.Compare(b.Since)
		case ByAt:
			c = a.At.Compare(b.At)
		case ByDeviations:
			c = cmp.Compare(counts[b.Instance], counts[a.Instance])
		}
		return cmp.Or(c, strings.Compare(a.Instance, b.Instance))
	})
	return out
}

func comparePointers(a, b *string) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return strings.Compare(*a, *b)
}
