package dynconfig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/retry"
	"github.com/kcfg-go/kcfg/internal/worker"
)

// How often the Poller looks whether a value came into force that it waits for:
// ever more seldom, since Changed should tell.
const (
	firstLook = 100 * time.Millisecond
	lastLook  = 30 * time.Second
)

// loop does one thing after the other until the Poller is closed.
func (p *Poller) loop(ctx context.Context) {
	defer p.shut()
	look := firstLook
	for ctx.Err() == nil {
		p.spread()
		st, ok := p.step()
		if !ok {
			continue
		}
		if st.poll {
			p.poll(ctx)
			look = firstLook
			continue
		}
		until, pending := p.review(ctx)
		p.settle(st)
		if pending {
			until = earlier(until, time.Now().Add(look))
			look = min(2*look, lastLook)
		}
		woken, ok := p.work.Sleep(earlier(until, st.until))
		if !ok {
			return
		}
		if woken || !pending {
			look = firstLook
		}
	}
}

// spread picks the moment of a poll that a whole fleet may begin at once.
func (p *Poller) spread() {
	p.mu.Lock()
	due := p.plan.spread
	p.plan.spread = false
	p.mu.Unlock()
	if !due {
		return
	}
	at := time.Now().Add(retry.UpTo(p.limits().MaxBackoff))
	p.mu.Lock()
	p.plan.next = at
	p.mu.Unlock()
}

// step decides what to do. ok is false if a broker showed its support since spread
// looked: its moment is to be picked first.
func (p *Poller) step() (_ step, ok bool) {
	nothing := len(SupportedKeys(p.cfg.Static().Kinds, p.cfg.Rules)) == 0
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plan.spread {
		return step{}, false
	}
	st := p.plan.decide(nothing, time.Now())
	if !st.poll && !p.closed {
		p.status.State = st.state
	}
	return st, true
}

// settle answers those who wait where nothing can be asked.
func (p *Poller) settle(st step) {
	var err error
	switch st.state {
	case kcfg.DynamicNothing:
		p.nothingApplies()
	case kcfg.DynamicUnsupported:
		// What failed while some broker spoke the RPC is not why none does.
		if err = p.Status().Err; !errors.Is(err, errors.ErrUnsupported) {
			err = cfgerrors.ErrUnsupported
		}
	default:
		return
	}
	p.setReady()
	p.mu.Lock()
	waiters := p.waiters.Take(p.waiters)
	p.plan.asked = false
	if err != nil {
		waiters = append(waiters, p.takeApplied()...)
	}
	p.mu.Unlock()
	waiters.Answer(err)
}

// nothingApplies answers those of WaitApplied on a client that has no key which
// could be changed.
func (p *Poller) nothingApplies() {
	p.mu.Lock()
	applied := p.applied
	p.applied = nil
	p.mu.Unlock()
	for _, a := range applied {
		a.ch <- &NotAppliedError{Key: a.key, State: kcfg.OverrideNotApplicable, Reason: "the client has no configuration that it lets be changed"}
	}
}

// poll asks once, and once more if an override is missing.
func (p *Poller) poll(life context.Context) {
	limits := p.limits()
	ctx, cancel := context.WithTimeoutCause(life, limits.Timeout, errTimeout)
	defer cancel()
	start := time.Now()
	p.mu.Lock()
	covered := p.waiters.Now()
	p.plan.asked = false
	p.mu.Unlock()

	a, err := p.ask(ctx)
	act := classify(err)
	if life.Err() != nil || act == actStop {
		p.work.End() // the loop ends, and with it the waiters
		return
	}
	if a.wishes != nil {
		p.mu.Lock()
		p.wishes.take(a.wishes, a.gone)
		p.plan.answered = true
		p.status.Node, p.status.At = a.node, time.Now()
		p.mu.Unlock()
		p.review(life)
		p.setReady()
	}
	p.finish(life, outcome{act, explain(ctx, err), a, covered, time.Since(start)})
}

// outcome is how a poll ended.
type outcome struct {
	act     action
	err     error
	answer  answerOf
	covered worker.Waiters // who came before it, and so is answered
	took    time.Duration
}

// explain adds that a poll ran out of its time, without losing why.
func explain(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errTimeout) || !errors.Is(context.Cause(ctx), errTimeout) {
		return err
	}
	return fmt.Errorf("%w: %w", errTimeout, err)
}

// finish notes how a poll ended and tells whom it concerns.
func (p *Poller) finish(ctx context.Context, o outcome) {
	limits := p.limits()
	p.mu.Lock()
	known := p.status.Err != nil && p.plan.act == o.act // it fails as before
	p.plan.act = o.act
	final := p.plan.note(o.act, o.err, p.cfg.PollInterval, limits, time.Now())
	p.status.Err = o.err
	p.status.Requests += o.answer.requests
	if o.act == actDone {
		p.status.Polls++
	}
	// Before who waits for the answer can look.
	if st := p.plan.decide(false, time.Now()); !st.poll && !p.closed {
		p.status.State = st.state
	}
	var waiters worker.Waiters
	if final {
		waiters = p.waiters.Take(o.covered)
	}
	p.mu.Unlock()

	if final && o.act != actDone {
		p.setReady() // there is no answer that would come soon
	}
	p.tell(ctx, o, known)
	waiters.Answer(o.err)
}

// tell logs the outcome, a failure once, and calls the hook for it.
func (p *Poller) tell(ctx context.Context, o outcome, known bool) {
	if o.act == actDone {
		if p.cfg.OnPolled != nil {
			p.cfg.OnPolled(ctx, kcfg.Polled{
				Node: o.answer.node, Overrides: shown(o.answer.wishes), Requests: o.answer.requests, Took: o.took,
			})
		}
		return
	}
	if !known {
		p.log(kgo.LogLevelWarn, "kcfg: unable to ask for dynamic configs; what is in force stays", "err", o.err)
	}
	if p.cfg.OnPollFailed != nil {
		p.cfg.OnPollFailed(ctx, kcfg.PollFailure{Err: o.err, Requests: o.answer.requests, Took: o.took})
	}
}

// earlier returns the earlier of two moments, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.IsZero() {
		return cmp.Or(a, b)
	}
	if b.Before(a) {
		return b
	}
	return a
}

// shut answers those who still wait when the loop ends.
func (p *Poller) shut() {
	p.setReady()
	p.mu.Lock()
	p.closed = true
	p.status.State = kcfg.DynamicClosed
	waiters := append(p.waiters.Take(p.waiters), p.takeApplied()...)
	p.mu.Unlock()
	waiters.Answer(p.work.Why())
}

// takeApplied removes who waits for an override, and returns them. p.mu is held.
func (p *Poller) takeApplied() (out worker.Waiters) {
	for _, a := range p.applied {
		out = append(out, a.ch)
	}
	p.applied = nil
	return out
}
