package client

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// AlterPolicy sets rules that every alteration of an Admin must pass before anything
// is sent, those that are only to be validated too, overriding the default of none.
// What they refuse has a *cfgerrors.PolicyViolationError; the rest is sent. The
// Admin neither configures nor closes the policy.
//
// It binds who uses this Admin. What binds everybody is the alter.config.policy of
// the brokers.
func AlterPolicy(p kcfg.AlterConfigPolicy) AdminOption {
	return adminOption(func(c *adminConfig) { c.policy = p })
}

// refusal asks the policy about an alteration.
func (a *Admin) refusal(ctx context.Context, alteration kcfg.ConfigAlteration, how alterMode) error {
	if a.cfg.policy == nil {
		return nil
	}
	err := a.cfg.policy.Validate(ctx, kcfg.AlterConfigMetadata{
		Context:      kcfg.RequestContext{ClientID: optOf[string](a.cl, kgo.ClientID)},
		Resource:     alteration.Resource,
		Ops:          slices.Clone(alteration.Ops), // what is sent is what was judged
		ReplaceAll:   how.replaceAll,
		ValidateOnly: how.validateOnly,
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()): // the policy gave up, and judged nothing
		return context.Cause(ctx)
	}
	return cfgerrors.Refused(kerr.PolicyViolation.Code, err.Error(), valuesOf(alteration.Ops)...)
}

// alterAllowed is alter without what the policy refuses.
func (a *Admin) alterAllowed(ctx context.Context, validateOnly bool, alterations ...kcfg.Alteration) ([]kcfg.Altered, error) {
	if a.cfg.policy == nil {
		return a.alter(ctx, validateOnly, alterations...)
	}
	out := make([]kcfg.Altered, len(alterations))
	var rest []kcfg.Alteration
	var at []int
	for i, one := range alterations {
		err := a.refusal(ctx, asConfigAlteration(one), alterMode{validateOnly: validateOnly})
		out[i] = kcfg.Altered{Entity: one.Entity, Err: err}
		if err == nil {
			rest, at = append(rest, one), append(at, i)
		}
	}
	if len(rest) == 0 {
		return out, nil
	}
	got, err := a.alter(ctx, validateOnly, rest...)
	for i, o := range got {
		out[at[i]] = o
	}
	return out, err
}

// asConfigAlteration is an alteration of client configurations as one of any
// resource.
func asConfigAlteration(alteration kcfg.Alteration) kcfg.ConfigAlteration {
	out := kcfg.ConfigAlteration{Resource: kcfg.ClientResource(alteration.Entity)}
	for _, op := range alteration.Ops {
		if op.Remove {
			out.Ops = append(out.Ops, kcfg.DeleteConfig(op.Key))
		} else {
			out.Ops = append(out.Ops, kcfg.SetConfig(op.Key, op.Value))
		}
	}
	return out
}
