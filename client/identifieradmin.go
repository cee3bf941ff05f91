package client

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

// checkName judges a name that the Admin was given. what is what it is the name of.
func (a *Admin) checkName(what string, t IdentifierType, name string) error {
	warn, err := judgeName(t, name, a.cfg.enforceLimits)
	if err != nil {
		return fmt.Errorf("client: the name of the %s: %w", what, err)
	}
	if warn {
		a.warn("an Admin was given the name of a " + what + " that is longer than KIP-1233 allows, and brokers from Kafka 5.0 on are to refuse it")
	}
	return nil
}

// checkPart judges a component of an entity: a user is a principal, which has its
// limit without "User:".
func (a *Admin) checkPart(typ string, name *string) error {
	switch {
	case name == nil:
		return nil
	case typ == kcfg.EntityUser:
		return a.checkName(typ, IdentifierACLPrincipal, *name)
	}
	return a.checkName(typ, IdentifierClientID, *name)
}

func (a *Admin) checkFilter(f kcfg.Filter) error {
	for _, c := range f.Components {
		if c.Match != kcfg.MatchExact {
			continue
		}
		if err := a.checkPart(c.Type, &c.Name); err != nil {
			return err
		}
	}
	return nil
}

func (a *Admin) checkEntity(e kcfg.Entity) error {
	for _, p := range e.Parts() {
		if err := a.checkPart(p.Type, p.Name); err != nil {
			return err
		}
	}
	return nil
}

func (a *Admin) checkSetup(s kcfg.TopicSetup) error {
	for _, principals := range [][]string{s.Applications, s.Operators} {
		for _, p := range principals {
			if err := a.checkName("principal", IdentifierACLPrincipal, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// warn is Plugin.warn. On a client without one it logs, each text once.
func (a *Admin) warn(text string) {
	if a.plugin != nil {
		a.plugin.warn(text)
		return
	}
	if _, again := a.warned.LoadOrStore(text, true); again {
		return
	}
	if l := optOf[kgo.Logger](a.cl, kgo.WithLogger); l != nil && l.Level() >= kgo.LogLevelWarn {
		l.Log(kgo.LogLevelWarn, "kcfg: "+text)
	}
}
