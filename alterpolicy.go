package kcfg

import "context"

// AlterConfigPolicy is the alter.config.policy of KIP-133: an organisation's rules
// for what may be altered. An Admin can have one, which is asked before anything is
// sent, and so can the reference broker.
//
// Validate is asked about each resource of an alteration, also about one that is
// only to be validated, from several goroutines at a time. It must not block. A
// returned error refuses this resource, and no other, with POLICY_VIOLATION and the
// error's text. The text is shown to whoever asked, without the values that were to
// be set.
type AlterConfigPolicy interface {
	Validate(ctx context.Context, m AlterConfigMetadata) error
}

// AlterConfigPolicyFunc is a function as a policy.
type AlterConfigPolicyFunc func(ctx context.Context, m AlterConfigMetadata) error

var _ AlterConfigPolicy = AlterConfigPolicyFunc(nil)

// Validate calls the function.
func (f AlterConfigPolicyFunc) Validate(ctx context.Context, m AlterConfigMetadata) error {
	return f(ctx, m)
}

// AlterConfigMetadata is an alteration as a policy sees it. It is plain: tests of a
// policy make their own. Its operations print without their values.
type AlterConfigMetadata struct {
	// Context says who sent the request. On the side of an Admin, which is before
	// it is sent, only the ClientID is known.
	Context RequestContext
	// Resource is whose configurations are altered. That of dynamic client
	// configurations (KIP-649) is a ClientResource.
	Resource Resource
	// Ops are the changes, in the request's order.
	Ops []ConfigOp
	// ReplaceAll is set if everything that Ops do not set is removed.
	ReplaceAll bool
	// ValidateOnly is set if nothing is to be changed.
	ValidateOnly bool
}

// Configs returns the configurations that are set, by key.
func (m AlterConfigMetadata) Configs() map[string]string {
	out := make(map[string]string)
	for _, op := range m.Ops {
		if op.Kind == OpSet {
			out[op.Key] = op.Value
		}
	}
	return out
}

// Removed returns the keys that are removed, in the request's order.
func (m AlterConfigMetadata) Removed() []string {
	var out []string
	for _, op := range m.Ops {
		if op.Kind == OpDelete {
			out = append(out, op.Key)
		}
	}
	return out
}

// RequestContext says who sent a request, and where it arrived.
type RequestContext struct {
	// Principal is the name of the authenticated user, without "User:": the
	// SASL user, else the subject of the client's certificate, else ANONYMOUS.
	Principal string
	// ClientID is the request's client id; a null one is empty.
	ClientID string
	// SoftwareName and SoftwareVersion come from the last ApiVersions request
	// of version 3 or later that was answered on the connection.
	SoftwareName, SoftwareVersion string
	// ClientAddress is the client's host and port.
	ClientAddress string
	// Listener is the listener's name, by default its security protocol.
	Listener string
	// Security is PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.
	Security string
	// NodeID is the broker that got the request.
	NodeID int32
	// APIVersion is the version of the request.
	APIVersion int16
}
