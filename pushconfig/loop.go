package pushconfig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/retry"
	"github.com/kcfg-go/kcfg/internal/worker"
	"github.com/kcfg-go/kcfg/sensitive"
)

// loop does one thing after the other until the Pusher is closed.
func (p *Pusher) loop(ctx context.Context) {
	defer p.shut()
	for ctx.Err() == nil {
		p.spread()
		if until, ok := p.early(); ok {
			if _, ok := p.work.Sleep(until); !ok {
				return
			}
			continue
		}
		covered := p.asked()
		s := p.collect()
		st, waiters, ok := p.step(s, covered)
		if !ok {
			continue
		}
		if st.push {
			p.push(ctx)
			continue
		}
		p.settle(st, waiters)
		if _, ok := p.work.Sleep(st.until); !ok {
			return
		}
	}
}

// spread picks the moment of a push that a whole fleet may begin at once.
func (p *Pusher) spread() {
	p.mu.Lock()
	due := p.mem.spread
	p.mem.spread = false
	p.mu.Unlock()
	if !due {
		return
	}
	at := time.Now().Add(retry.UpTo(p.limits().MaxBackoff))
	p.mu.Lock()
	p.mem.notBefore = at
	p.mu.Unlock()
}

// early reports whether it is too early to read the configurations, and until
// when.
func (p *Pusher) early() (until time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mem.notBefore, len(p.waiters) == 0 && time.Now().Before(p.mem.notBefore)
}

// collect reads the configurations and notes which are held back. It tells of
// them only where they would have been sent: on a cluster without support there
// is nothing to warn of.
func (p *Pusher) collect() set {
	var besides []byte
	if p.cfg.Besides != nil {
		besides = p.cfg.Besides()
	}
	s := newSet(p.cfg.Entries(), besides)
	for _, h := range s.held {
		p.mu.Lock()
		_, known := p.held[h.Key]
		tell := p.mem.supported && !known
		if tell {
			p.held[h.Key] = h
		}
		p.mu.Unlock()
		if tell {
			p.log(kgo.LogLevelWarn, "kcfg: a configuration key is held back and not pushed", heldLine(h)...)
		}
	}
	return s
}

// heldLine is what a log line says of a key. The length of a value is told only
// where it is the reason: that of a password tells something about it.
func heldLine(h sensitive.Held) []any {
	line := []any{"key", h.Key, "reason", h.Reason.String()}
	if h.Reason == sensitive.ReasonTooLong {
		line = append(line, "length", h.Length)
	}
	return line
}

// step decides what to do, and takes over the waiters that the decision answers:
// those that came before the set was read. One that came later may have changed
// a configuration just before, which the set does not show; its wake-up is still
// there and makes the next turn of the loop.
//
// ok is false if a broker showed its support since spread looked: its moment is to be
// picked first.
func (p *Pusher) step(s set, covered worker.Waiters) (_ step, waiters worker.Waiters, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mem.spread {
		return step{}, nil, false
	}
	st := p.mem.decide(s, len(covered) > 0, time.Now())
	if st.push {
		p.status.State = kcfg.PushPushing
		return st, nil, true
	}
	p.status.State = st.state
	if st.state == kcfg.PushWaiting {
		return st, nil, true // for a connection, and so do they
	}
	return st, p.waiters.Take(covered), true
}

// settle answers waiters for whom nothing had to be sent.
func (p *Pusher) settle(st step, waiters worker.Waiters) {
	var err error
	switch st.state {
	case kcfg.PushUnsupported:
		// What failed while some broker spoke the RPC is not why none does.
		if err = p.Status().Err; !errors.Is(err, errors.ErrUnsupported) {
			err = cfgerrors.ErrUnsupported
		}
	case kcfg.PushFailed:
		err = p.Status().Err
	}
	waiters.Answer(err)
}

// push sends the configurations, with all the tries that this takes.
func (p *Pusher) push(life context.Context) {
	limits := p.limits()
	ctx, cancel := context.WithTimeoutCause(life, limits.Timeout, errTimeout)
	defer cancel()
	var (
		start    = time.Now()
		pauses   = retry.NewWaits(limits.MinBackoff, limits.MaxBackoff)
		requests int
		avoid    []int32
	)
	for {
		covered := p.asked()
		s := p.collect() // again before every try: it may have changed
		if s.empty() {
			return
		}
		node, err := p.cfg.Push(ctx, s.clean, avoid...)
		if node != NoNode {
			requests++
			avoid = []int32{node}
		}
		act := classify(err)
		if act == actRetry && retry.Sleep(ctx, pauses.Next()) {
			continue
		}
		p.finish(life, outcome{
			act: final(life, act), err: explain(ctx, err), set: s,
			node: node, requests: requests, covered: covered, took: time.Since(start),
		})
		return
	}
}

// final is the action that ends a push: what would be retried has run out of
// time, unless the client was closed meanwhile.
func final(life context.Context, act action) action {
	switch {
	case life.Err() != nil && act != actDone:
		return actStop
	case act == actRetry:
		return actFail
	}
	return act
}

// explain adds that a push ran out of its time, without losing why.
func explain(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errTimeout) {
		return err
	}
	return fmt.Errorf("%w: %w", errTimeout, err)
}

// outcome is how a push ended.
type outcome struct {
	act      action
	err      error
	set      set
	node     int32
	requests int
	covered  worker.Waiters // who came before the set was read, and so is answered
	took     time.Duration
}

// asked returns who waits for an outcome now.
func (p *Pusher) asked() worker.Waiters {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiters.Now()
}

// finish notes how a push ended and tells whom it concerns.
func (p *Pusher) finish(ctx context.Context, o outcome) {
	if o.act == actStop {
		p.work.End() // the loop ends, and with it the waiters
		return
	}
	p.mu.Lock()
	known := p.status.Err != nil && o.err != nil && p.status.Err.Error() == o.err.Error()
	if o.act == actEnd && p.cfg.Mend {
		o.act = actFail
	}
	p.mem.note(o, time.Now())
	if o.act == actDone && p.cfg.Refresh > 0 {
		p.mem.stale = time.Now().Add(p.cfg.Refresh/2 + retry.UpTo(p.cfg.Refresh/2))
	}
	p.status.Err = o.err
	p.status.Requests += o.requests
	if o.act == actDone {
		p.status.Pushes++
		p.status.Keys, p.status.Node, p.status.At = o.set.keys(), o.node, time.Now()
	}
	p.status.State = p.mem.decide(o.set, false, time.Now()).state
	waiters := p.waiters.Take(o.covered)
	p.mu.Unlock()

	p.tell(ctx, o, known)
	waiters.Answer(o.err)
}

// note remembers how a push ended.
func (m *memory) note(o outcome, now time.Time) {
	switch o.act {
	case actDone:
		m.pushed, m.failed, m.ended = &o.set.sum, nil, false
	case actSilent:
		m.silent = now.Add(silence + retry.UpTo(silence/2))
	case actEnd:
		m.ended = true
	case actUnsupported:
		m.supported = false
	case actFail, actRetry, actStop:
		m.failed, m.retryAt = &o.set.sum, now.Add(silence+retry.UpTo(silence/2))
	}
}

// tell logs the outcome, a failure that is known already at debug, and calls the
// hook for it.
func (p *Pusher) tell(ctx context.Context, o outcome, known bool) {
	if o.act == actDone {
		p.log(kgo.LogLevelDebug, "kcfg: pushed the client's configurations", "broker", o.node, "keys", len(o.set.clean), "requests", o.requests)
		if p.cfg.OnPushed != nil {
			p.cfg.OnPushed(ctx, kcfg.Pushed{Node: o.node, Configs: o.set.entries(), Requests: o.requests, Took: o.took})
		}
		return
	}
	level := kgo.LogLevelWarn
	if known {
		level = kgo.LogLevelDebug
	}
	p.log(level, "kcfg: unable to push the client's configurations; the client works on without", "err", o.err, "requests", o.requests)
	if p.cfg.OnFailed != nil {
		p.cfg.OnFailed(ctx, kcfg.PushFailure{Err: o.err, Requests: o.requests, Took: o.took})
	}
}

// shut answers those who still wait when the loop ends.
func (p *Pusher) shut() {
	p.mu.Lock()
	p.closed = true
	p.status.State = kcfg.PushClosed
	waiters := p.waiters.Take(p.waiters)
	p.mu.Unlock()
	waiters.Answer(p.work.Why())
}

func sortedHeld(held map[string]sensitive.Held) []sensitive.Held {
	return slices.SortedFunc(maps.Values(held), func(a, b sensitive.Held) int { return cmp.Compare(a.Key, b.Key) })
}
