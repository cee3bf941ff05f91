package client

import (
	"context"
	"fmt"

	"github.com/kcfg-go/kcfg"
)

// Hook is a value that implements at least one of the hook interfaces of this
// package. A hook runs on a goroutine of the library, one at a time per client
// and in order. It may block, which holds up the library and never the kgo
// client, until its context ends, which Close does. It must not call Close, which
// waits for it, nor PushConfig or RefreshConfigs, which would wait for themselves.
type Hook any

// HookPushed is called after a broker took the client's configurations.
type HookPushed interface {
	OnPushed(ctx context.Context, ev kcfg.Pushed)
}

// HookPushFailed is called after a push ended without success. The client works
// on; the library tries again when the configurations change, or after an hour.
type HookPushFailed interface {
	OnPushFailed(ctx context.Context, ev kcfg.PushFailure)
}

// HookPolled is called after the cluster answered which overrides it has for the
// client.
type HookPolled interface {
	OnPolled(ctx context.Context, ev kcfg.Polled)
}

// HookPollFailed is called after asking for overrides failed. What is in force
// stays.
type HookPollFailed interface {
	OnPollFailed(ctx context.Context, ev kcfg.PollFailure)
}

// HookApplied is called after a value came into force: an override, or the
// client's own again.
type HookApplied interface {
	OnApplied(ctx context.Context, ev kcfg.Applied)
}

// HookRejected is called after an override was found that is not used.
type HookRejected interface {
	OnRejected(ctx context.Context, ev kcfg.Rejected)
}

func checkHooks(hooks []Hook) error {
	for _, h := range hooks {
		switch h.(type) {
		case HookPushed, HookPushFailed, HookPolled, HookPollFailed, HookApplied, HookRejected:
		default:
			return fmt.Errorf("client: WithHooks: a %T implements no hook interface", h)
		}
	}
	return nil
}

// each calls fn with every hook that implements an interface, and no other hook
// meanwhile.
func each[H any](c *config, fn func(H)) {
	c.hooking.Lock()
	defer c.hooking.Unlock()
	for _, h := range c.hooks {
		if h, ok := h.(H); ok {
			fn(h)
		}
	}
}

func (c *config) onPushed(ctx context.Context, ev kcfg.Pushed) {
	each(c, func(h HookPushed) { h.OnPushed(ctx, ev) })
}

func (c *config) onPushFailed(ctx context.Context, ev kcfg.PushFailure) {
	each(c, func(h HookPushFailed) { h.OnPushFailed(ctx, ev) })
}

func (c *config) onPolled(ctx context.Context, ev kcfg.Polled) {
	each(c, func(h HookPolled) { h.OnPolled(ctx, ev) })
}

func (c *config) onPollFailed(ctx context.Context, ev kcfg.PollFailure) {
	each(c, func(h HookPollFailed) { h.OnPollFailed(ctx, ev) })
}

func (c *config) onApplied(ctx context.Context, ev kcfg.Applied) {
	each(c, func(h HookApplied) { h.OnApplied(ctx, ev) })
}

func (c *config) onRejected(ctx context.Context, ev kcfg.Rejected) {
	each(c, func(h HookRejected) { h.OnRejected(ctx, ev) })
}
