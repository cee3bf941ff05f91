package wire

import (
	cfgerrors "github.com/kcfg-go/kcfg/errors"

	"github.com/kcfg-go/kcfg"
)

// Check returns an error for the first string that no Kafka string can hold. It
// must be nil before the request is sent: what is written is cut, and a name that
// was cut is another one's.
func (r *DescribeClientConfigsRequest) Check() error {
	for _, c := range r.Components {
		if err := checkLen("entity type", c.EntityType); err != nil {
			return err
		}
		if c.Match == nil {
			continue
		}
		if err := checkLen(c.EntityType, *c.Match); err != nil {
			return err
		}
	}
	for _, k := range r.SupportedConfigs {
		if err := checkLen("config key", k); err != nil {
			return err
		}
	}
	return nil
}

// CheckAlteration returns an error for the first string of an alteration that no
// Kafka string can hold. A request must not have an entry for which it is not
// nil.
func CheckAlteration(a kcfg.Alteration) error {
	for _, p := range a.Entity.Parts() {
		if p.Name == nil {
			continue
		}
		if err := checkLen(p.Type, *p.Name); err != nil {
			return err
		}
	}
	for _, op := range a.Ops {
		if err := checkLen("config key", op.Key); err != nil {
			return err
		}
		if err := checkLen("config value", op.Value); err != nil {
			return err
		}
	}
	return nil
}

func checkLen(what, s string) error {
	if len(s) <= MaxStringLen {
		return nil
	}
	return &cfgerrors.IdentifierTooLargeError{Type: what, Length: len(s), Limit: MaxStringLen}
}
