package fakebroker

import (
	"context"

	"github.com/kcfg-go/kcfg"
)

// AlterConfigPolicy is the alter.config.policy of KIP-133: it sees every
// alteration of client configurations that passed all other checks, those that
// are only to be validated too.
//
// Validate is called for several connections at a time and must not block; its
// context ends when the connection or the cluster is closed. A returned error
// refuses the alteration of this entity, and of no other, with POLICY_VIOLATION
// and the error's text, unless it is a *PolicyError. A panic becomes
// UNKNOWN_SERVER_ERROR.
//
// A policy that is also Reconfigurable is configured before the first call. One
// that is an io.Closer is closed with the cluster.
type AlterConfigPolicy interface {
	Validate(ctx context.Context, m AlterMetadata) error
}

// AlterMetadata is an alteration as a policy sees it.
type AlterMetadata struct {
	// Context says who sent the request.
	Context RequestContext
	// Entity is whose configurations are altered.
	Entity kcfg.Entity
	// Configs are the configurations that are set, by key.
	Configs map[string]string
	// Removed are the keys that are removed, in the request's order.
	Removed []string
	// ValidateOnly is set if nothing is to be changed.
	ValidateOnly bool
}

// AlterPolicyFunc is a function as a policy.
type AlterPolicyFunc func(ctx context.Context, m AlterMetadata) error

var _ AlterConfigPolicy = AlterPolicyFunc(nil)

// Validate calls the function.
func (f AlterPolicyFunc) Validate(ctx context.Context, m AlterMetadata) error { return f(ctx, m) }

// validateAlter asks the policy. A panic becomes a *panicError.
func validateAlter(ctx context.Context, policy AlterConfigPolicy, m AlterMetadata) (err error) {
	if policy == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v}
		}
	}()
	return policy.Validate(ctx, m)
}
