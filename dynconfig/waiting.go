package dynconfig

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/worker"
)

// Refresh asks now, and waits until overrides as they are now are in use, which
// does not mean in force: see WaitApplied. Errors that pass are waited out as
// long as Limits say; other ones are returned. The asking goes on when ctx ends.
func (p *Poller) Refresh(ctx context.Context) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return p.work.Why()
	}
	// Before connecting: the poll that the connection starts is then the one
	// that answers, and not a first of two.
	w := p.waiters.Add()
	p.plan.asked = true
	connect := !p.plan.seen && p.cfg.Connect != nil
	p.mu.Unlock()
	defer p.forget(w)
	p.work.Wake()
	if connect {
		if err := p.cfg.Connect(ctx); err != nil {
			return p.work.Or(fmt.Errorf("dynconfig: unable to connect: %w", err))
		}
	}
	return p.work.Await(ctx, w)
}

// WaitApplied waits until an override of the key is in force. It returns a
// *NotAppliedError if the one that is wished will not be, and waits for one if
// none is wished. It asks for nothing: call Refresh before.
func (p *Poller) WaitApplied(ctx context.Context, key string) error {
	if kindsOf(key) == 0 {
		return &NotAppliedError{Key: key, State: kcfg.OverrideUnsupported, Reason: "it is no configuration that can be changed at run time"}
	}
	w := make(worker.Waiter, 1)
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return p.work.Why()
	}
	p.applied = append(p.applied, appliedWaiter{key, w})
	p.mu.Unlock()
	defer p.forget(w)
	p.work.Wake()
	return p.work.Await(ctx, w)
}

// forget removes a caller that waits no longer.
func (p *Poller) forget(w worker.Waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters.Remove(w)
	p.applied = slices.DeleteFunc(p.applied, func(a appliedWaiter) bool { return a.ch == w })
}

// NotAppliedError is returned by WaitApplied for an override that will not come
// into force. Change the override, or what the reason names.
type NotAppliedError struct {
	Key    string
	State  kcfg.OverrideState
	Reason string
}

func (e *NotAppliedError) Error() string {
	return fmt.Sprintf("dynconfig: the override of %q is %s: %s", e.Key, e.State, e.Reason)
}

// release answers those of WaitApplied whose override came to an end of either
// kind, and reports whether some are left.
func (p *Poller) release() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.applied = slices.DeleteFunc(p.applied, func(a appliedWaiter) bool {
		i := slices.IndexFunc(p.status.Keys, func(s kcfg.KeyState) bool { return s.Key == a.key })
		if i < 0 {
			return false
		}
		done, err := verdictOn(p.status.Keys[i])
		if done {
			a.ch <- err // has room for one, and gets one
		}
		return done
	})
	return len(p.applied) > 0
}

// verdictOn says whether the override of a key came to an end, and to which.
func verdictOn(s kcfg.KeyState) (done bool, err error) {
	switch s.State {
	case kcfg.OverrideApplied:
		return true, nil
	case kcfg.OverrideStatic:
		return s.Wished != nil, nil // it is what the client does anyway
	case kcfg.OverridePending:
		return false, nil
	}
	return true, &NotAppliedError{Key: s.Key, State: s.State, Reason: s.Reason}
}
