package fakebroker

import (
	"context"

	"github.com/kcfg-go/kcfg"
)

// AlterConfigPolicy is the alter.config.policy of KIP-133: it sees every
// alteration of configurations, those that are only to be validated too. Of client
// configurations it sees what passed all other checks; of Kafka's own resources
// what is authorized and not read-only, before kfake looks at it.
//
// Validate is called for several connections at a time and must not block; its
// context ends when the connection or the cluster is closed. A returned error
// refuses the alteration of this resource, and of no other, with POLICY_VIOLATION
// and the error's text, unless it is a *PolicyError. A panic becomes
// UNKNOWN_SERVER_ERROR.
//
// A policy that is also Reconfigurable is configured before the first call. One
// that is an io.Closer is closed with the cluster.
type AlterConfigPolicy = kcfg.AlterConfigPolicy

// AlterMetadata is an alteration as a policy sees it.
type AlterMetadata = kcfg.AlterConfigMetadata

// AlterPolicyFunc is a function as a policy.
type AlterPolicyFunc = kcfg.AlterConfigPolicyFunc

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
