package transport

import (
	"context"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// Transport is how client configurations get to a cluster and back. Nodes to
// avoid are those that an earlier call was sent to; a transport that has no choice
// ignores them.
type Transport interface {
	// Push tells the cluster what this client is configured with (KIP-1324).
	Push(ctx context.Context, configs []sensitive.Clean, avoid ...int32) (Pushed, error)
	// DescribeSelf asks what is set for this client, and tells which keys it
	// supports (KIP-649). An error is never "nothing is set".
	DescribeSelf(ctx context.Context, clientID string, supported []string, avoid ...int32) (Told, error)
	// Describe asks what is set for the entities of a filter.
	Describe(ctx context.Context, f kcfg.Filter, avoid ...int32) (Told, error)
	// Alter changes what is set. The error is about the call as a whole, and the
	// outcome of each alteration that it concerns.
	Alter(ctx context.Context, validateOnly bool, alterations []kcfg.Alteration, avoid ...int32) (Outcomes, error)
}

var _ Transport = (*RPC)(nil)
