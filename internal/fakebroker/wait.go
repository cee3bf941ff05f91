package fakebroker

import (
	"context"
	"errors"
	"fmt"
)

// ErrClosed is returned by a wait that the end of the cluster ended.
var ErrClosed = errors.New("fakebroker: the cluster is closed")

// Wait waits until the condition holds. It is evaluated now, and again after
// everything that the cluster records, without a lock held: it may call the
// cluster. The error is the context's cause or ErrClosed.
func (c *Cluster) Wait(ctx context.Context, condition func() bool) error {
	for {
		changed := c.record.next() // before the condition, so that no change is missed
		if condition() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.done:
			return ErrClosed
		}
	}
}

// WaitPushes waits until n pushes were accepted since the cluster started.
func (c *Cluster) WaitPushes(ctx context.Context, n int) error {
	if err := c.Wait(ctx, func() bool { return len(c.Pushes()) >= n }); err != nil {
		return fmt.Errorf("fakebroker: %d of %d pushes: %w", len(c.Pushes()), n, err)
	}
	return nil
}

// WaitRequests waits until n requests of ours came since the cluster started,
// whatever becomes of them.
func (c *Cluster) WaitRequests(ctx context.Context, n int) error {
	if err := c.Wait(ctx, func() bool { return len(c.Requests()) >= n }); err != nil {
		return fmt.Errorf("fakebroker: %d of %d requests: %w", len(c.Requests()), n, err)
	}
	return nil
}
