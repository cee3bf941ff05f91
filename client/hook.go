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
// waits for it, nor PushConfig, which would wait for itself.
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

func checkHooks(hooks []Hook) error {
	for _, h := range hooks {
		switch h.(type) {
		case HookPushed, HookPushFailed:
		default:
			return fmt.Errorf("client: WithHooks: a %T implements no hook interface", h)
		}
	}
	return nil
}

func (c *config) onPushed(ctx context.Context, ev kcfg.Pushed) {
	for _, h := range c.hooks {
		if h, ok := h.(HookPushed); ok {
			h.OnPushed(ctx, ev)
		}
	}
}

func (c *config) onPushFailed(ctx context.Context, ev kcfg.PushFailure) {
	for _, h := range c.hooks {
		if h, ok := h.(HookPushFailed); ok {
			h.OnPushFailed(ctx, ev)
		}
	}
}
