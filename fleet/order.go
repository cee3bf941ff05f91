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

// The orders. OrderDeviations begins with the client that has the most, all others with
// the smallest or the earliest. A principal that is not known comes first.
const (
	OrderInstance   Order = "instance"
	OrderPrincipal  Order = "principal"
	OrderClientID   Order = "client-id"
	OrderGroup      Order = "group"
	OrderHost       Order = "host"
	OrderSoftware   Order = "software"
	OrderSince      Order = "since"
	OrderAt         Order = "at"
	OrderDeviations Order = "deviations"
)

// Orders returns the orders.
func Orders() []Order {
	return []Order{OrderInstance, OrderPrincipal, OrderClientID, OrderGroup, OrderHost, OrderSoftware, OrderSince, OrderAt, OrderDeviations}
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
	if by == OrderDeviations {
		for _, r := range out {
			counts[r.Instance] = deviations(r)
		}
	}
	slices.SortStableFunc(out, func(a, b kcfg.ClientRecord) int {
		c := 0
		switch by {
		case OrderPrincipal:
			c = comparePointers(a.Principal, b.Principal)
		case OrderClientID:
			c = strings.Compare(a.ClientID, b.ClientID)
		case OrderGroup:
			c = strings.Compare(a.Group, b.Group)
		case OrderHost:
			c = strings.Compare(a.Host, b.Host)
		case OrderSoftware:
			c = strings.Compare(a.Software.String(), b.Software.String())
		case OrderSince:
			c = a.Since.Compare(b.Since)
		case OrderAt:
			c = a.At.Compare(b.At)
		case OrderDeviations:
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
