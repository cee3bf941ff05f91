package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

// route finds brokers for one call of an Admin.
type route struct {
	cl     *kgo.Client
	conns  *connpatch.Manager
	key    int16
	failed []int32 // nodes to avoid
	looked bool    // rest was filled
	rest   []*kgo.Broker
}

// find connects until a broker is known that speaks the RPC and did not fail: to
// any broker first, which also tells what others there are, and then, once a call
// and only as far as needed, to each of those. Of brokers that all failed any will
// do. Nothing of this is a request of ours.
func (r *route) find(ctx context.Context) error {
	if !r.conns.Supported(r.key) {
		if err := r.cl.Ping(ctx); err != nil {
			return fmt.Errorf("client: connect: %w", err)
		}
	}
	err := r.look(ctx)
	switch {
	case r.conns.Supported(r.key):
		return nil
	case err != nil:
		return fmt.Errorf("%w (of the brokers that could be asked; %w)", cfgerrors.ErrUnsupported, err)
	}
	return cfgerrors.ErrUnsupported
}

// open reports whether a node is left that did not fail, or none can be told now.
func (r *route) open() bool {
	node, ok := r.conns.Target(r.key, r.failed...)
	return !ok || !slices.Contains(r.failed, node)
}

// look connects to one broker after the other until one will do.
func (r *route) look(ctx context.Context) error {
	var errs []error
	for !r.conns.Supported(r.key) || !r.open() {
		if !r.looked {
			r.looked, r.rest = true, r.cl.DiscoveredBrokers()
		}
		if len(r.rest) == 0 {
			break
		}
		req := kmsg.NewPtrMetadataRequest()
		req.Topics = []kmsg.MetadataRequestTopic{} // null would be all of them
		if _, err := r.rest[0].Request(ctx, req); err != nil {
			errs = append(errs, err)
		}
		r.rest = r.rest[1:]
	}
	return errors.Join(errs...)
}
