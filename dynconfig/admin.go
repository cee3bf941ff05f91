package dynconfig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// ErrBadAnswer is returned for an answer of a broker that makes no sense: without
// an outcome for an entity, with one entity twice, or with something under
// supported.configs that is not what it should be. Ask another broker, or the
// same one in another way; what an alteration did is not known.
var ErrBadAnswer = transport.ErrBadAnswer

// AdminTransport is how an Admin reaches a cluster. Both functions are required.
type AdminTransport struct {
	// Describe returns what is set for the entities of a filter, in any order.
	// What clients said to support may still be among the values, as JSON.
	Describe func(ctx context.Context, f kcfg.Filter) ([]kcfg.Described, error)
	// Alter returns the outcomes in the order of the alterations. It has an
	// error if the request as a whole failed.
	Alter func(ctx context.Context, validateOnly bool, alterations ...kcfg.Alteration) ([]kcfg.Altered, error)
}

// Admin describes and alters the configurations that an operator sets for
// clients (KIP-649). It may be used from several goroutines.
type Admin struct{ t AdminTransport }

// NewAdmin returns an Admin over a transport. Applications use client.NewAdmin.
func NewAdmin(t AdminTransport) *Admin { return &Admin{t} }

// Describe returns what is set for the entities that the filter is about, sorted
// by entity and key, and what their clients said to support.
//
// If it is only supported.configs of some entities that makes no sense, the error
// names them, is ErrBadAnswer, and the result has all the rest.
func (a *Admin) Describe(ctx context.Context, f kcfg.Filter) ([]kcfg.Described, error) {
	got, err := a.t.Describe(ctx, f)
	if err != nil {
		return nil, err
	}
	out := make([]kcfg.Described, 0, len(got))
	var errs []error
	for _, d := range got {
		d, err := lift(d)
		if err != nil {
			errs = append(errs, fmt.Errorf("dynconfig: %s of %s: %w: %w", kcfg.SupportedConfigs, d.Entity, err, ErrBadAnswer))
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(x, y kcfg.Described) int { return compareEntities(x.Entity, y.Entity) })
	return out, errors.Join(errs...)
}

// Alter makes the alterations, each entity's as a whole or not at all, and
// returns the outcome of each in their order; AlterError makes one error of them.
// None at all sends nothing.
//
// The returned error is about the request as a whole. It is the outcome of those
// that were sent too, and leaves open whether they were made; making them again
// does no harm.
func (a *Admin) Alter(ctx context.Context, alterations ...kcfg.Alteration) ([]kcfg.Altered, error) {
	return a.alter(ctx, false, alterations)
}

// ValidateAlter is Alter with every check of the cluster, its policy among them,
// and no change.
func (a *Admin) ValidateAlter(ctx context.Context, alterations ...kcfg.Alteration) ([]kcfg.Altered, error) {
	return a.alter(ctx, true, alterations)
}

func (a *Admin) alter(ctx context.Context, validateOnly bool, alterations []kcfg.Alteration) ([]kcfg.Altered, error) {
	if len(alterations) == 0 {
		return nil, nil
	}
	return a.t.Alter(ctx, validateOnly, alterations...)
}

// AlterError returns the errors of all outcomes, each with its entity, and nil if
// there is none.
func AlterError(outcomes []kcfg.Altered) error {
	var errs []error
	for _, o := range outcomes {
		if o.Err != nil {
			errs = append(errs, fmt.Errorf("dynconfig: alter %s: %w", o.Entity, o.Err))
		}
	}
	return errors.Join(errs...)
}

// lift moves supported.configs out of the values, which it sorts. With an error
// the rest is as it should be.
func lift(d kcfg.Described) (kcfg.Described, error) {
	var err error
	values := make([]kcfg.KeyValue, 0, len(d.Values))
	for _, v := range d.Values {
		if v.Key != kcfg.SupportedConfigs {
			values = append(values, v)
			continue
		}
		d.Supported, err = parseSupported(v.Value)
	}
	slices.SortFunc(values, func(x, y kcfg.KeyValue) int { return strings.Compare(x.Key, y.Key) })
	d.Values = values
	return d, err
}

var errNotSupportedJSON = errors.New("not a JSON map from software to lists of keys")

// parseSupported reads the JSON of supported.configs. Its error says nothing of
// the text, which somebody else wrote.
func parseSupported(text string) (map[string][]string, error) {
	var out map[string][]string
	if err := json.Unmarshal([]byte(text), &out); err != nil || out == nil {
		return nil, errNotSupportedJSON
	}
	for _, keys := range out {
		slices.Sort(keys)
	}
	return out, nil
}

// compareEntities orders by user and then by client id; absent comes before
// default, and default before every name.
func compareEntities(a, b kcfg.Entity) int {
	if c := compareComponents(a.UserName())(b.UserName()); c != 0 {
		return c
	}
	return compareComponents(a.ClientID())(b.ClientID())
}

func compareComponents(a *string, aok bool) func(b *string, bok bool) int {
	return func(b *string, bok bool) int {
		if ra, rb := rankComponent(a, aok), rankComponent(b, bok); ra != rb || ra < 2 {
			return ra - rb
		}
		return strings.Compare(*a, *b)
	}
}

func rankComponent(name *string, ok bool) int {
	switch {
	case !ok:
		return 0
	case name == nil:
		return 1
	}
	return 2
}
