package dynconfig

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/internal/worker"
)

// NoNode is the node of a poll for which no request was sent.
const NoNode int32 = -1

// RejoinNever as RejoinDelay leaves a changed session timeout to the next join
// that happens anyway.
const RejoinNever time.Duration = -1

// minInterval is the shortest PollInterval.
const minInterval = time.Second

// Limits are how long a poll takes.
type Limits struct {
	// MinBackoff and MaxBackoff bound the pauses between tries.
	MinBackoff, MaxBackoff time.Duration
	// Timeout bounds one poll, and how long failed ones are repeated before the
	// next interval is waited for.
	Timeout time.Duration
}

// Config is what a Poller works with. Fetch, Apply, Observed, Static and Limits
// are required.
type Config struct {
	// Fetch asks, in one request, for what is set for this client and tells
	// which keys it supports. It asks a node that is none of avoid if it can, and
	// returns that node, or NoNode if nothing was sent.
	Fetch func(ctx context.Context, supported []string, avoid ...int32) (entries []kcfg.Described, node int32, err error)
	// Apply gives the connections what requests are to carry from now on.
	Apply func(connpatch.Patches)
	// Observed returns what requests carried. Call Poller.Changed when it may
	// return something else; else the Poller finds out some time later.
	Observed func() connpatch.Observed
	// Static returns the facts about the client as they are now.
	Static func() Static

	// Rejoin, if not nil, makes the client join its group again.
	Rejoin func()
	// UpdateFetchMaxBytes, if not nil, is that of the client.
	UpdateFetchMaxBytes func(maxBytes, maxPartitionBytes int32)
	// Connect, if not nil, opens a connection. Refresh calls it if none was
	// opened so far.
	Connect func(ctx context.Context) error

	// Limits is called once, on the Poller's goroutine, before the first poll.
	Limits func() Limits

	Rules
	// PollInterval is the time between two polls; less than 1s counts as 1s.
	PollInterval time.Duration
	// RejoinDelay is how long a changed session timeout waits for a join before
	// one is forced. Nil is one PollInterval, and none with an eager balancer; 0
	// forces it at once; see RejoinNever.
	RejoinDelay *time.Duration
	// AuditOnly judges overrides and uses none.
	AuditOnly bool

	// The hooks are called on the Poller's goroutine, one at a time. Their
	// context ends when the Poller is closed.
	OnPolled     func(context.Context, kcfg.Polled)
	OnPollFailed func(context.Context, kcfg.PollFailure)
	OnApplied    func(context.Context, kcfg.Applied)
	OnRejected   func(context.Context, kcfg.Rejected)

	// Log, if not nil, takes log lines. They hold values of dynamic keys only.
	Log func(level kgo.LogLevel, msg string, keyvals ...any)
}

// Poller asks for the overrides of a client and decides what becomes of them,
// from one goroutine, which it starts when there is something to do for the first
// time. Its methods may be called at any time and from any goroutine, and do not
// block but for Refresh, WaitApplied and Close.
type Poller struct {
	cfg    Config
	work   *worker.Worker
	limits func() Limits // Config.Limits, called once

	ready     chan struct{} // closed at the first answer, or when there will be none
	readyOnce sync.Once

	mu      sync.Mutex
	plan    schedule
	wishes  wishes
	status  kcfg.DynamicStatus
	suspend []string // why no override is used, in the order of the calls
	waiters worker.Waiters
	applied []appliedWaiter
	closed  bool
}

// appliedWaiter waits until an override of a key is in force.
type appliedWaiter struct {
	key string
	ch  worker.Waiter
}

// New returns a Poller that lives no longer than ctx. Call Connected to set it to
// work, and Close in the end.
func New(ctx context.Context, cfg Config) *Poller {
	cfg.PollInterval = max(cfg.PollInterval, minInterval)
	p := &Poller{
		cfg:    cfg,
		limits: sync.OnceValue(cfg.Limits),
		ready:  make(chan struct{}),
		status: kcfg.DynamicStatus{State: kcfg.DynamicWaiting, Node: NoNode, AuditOnly: cfg.AuditOnly},
	}
	p.mu.Lock() // the loop begins at once if ctx has ended, and needs p.work once it is over
	p.work = worker.New(ctx, p.loop)
	p.mu.Unlock()
	if cfg.AuditOnly {
		p.setReady()
	}
	return p
}

// Ready is closed when the first answer was applied, or when there is none to
// wait for: no broker speaks the RPC, the principal may not ask, the client has
// no key that could be changed, with AuditOnly, and when the Poller is closed.
// Errors that pass do not close it, so whoever waits needs a limit.
func (p *Poller) Ready() <-chan struct{} { return p.ready }

func (p *Poller) setReady() { p.readyOnce.Do(func() { close(p.ready) }) }

// Connected tells the Poller that a connection was opened, and whether any broker
// of the cluster is known to speak the RPC now. The first time it polls at once;
// where a cluster begins to support the RPC later, as in a rolling upgrade, the
// poll is jittered, since all of its clients see that at the same moment.
func (p *Poller) Connected(supported bool) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	first := !p.plan.seen
	changed := first || p.plan.supported != supported
	if changed {
		p.plan.seen, p.plan.supported = true, supported
		p.plan.spread = supported && !first
	}
	asked := len(p.waiters)+len(p.applied) > 0
	if changed && !supported {
		p.status.State = kcfg.DynamicUnsupported
	}
	p.mu.Unlock()
	if !changed {
		return
	}
	if !supported {
		p.setReady()
	}
	if first && !supported {
		p.log(kgo.LogLevelDebug, "kcfg: no broker seen so far supports dynamic configs (KIP-649); nothing is asked")
	}
	if supported || asked {
		p.work.Wake()
	}
}

// Changed tells the Poller that Observed or Static may return something else.
func (p *Poller) Changed() {
	p.mu.Lock()
	idle := !p.plan.supported && !p.plan.answered
	p.mu.Unlock()
	if !idle {
		p.work.Wake()
	}
}

// Suspend puts the client's own values in force until Resume was called for every
// reason given. The reason shows in Status. Overrides are still asked for.
func (p *Poller) Suspend(reason string) {
	p.suspended(func(reasons []string) []string {
		if slices.Contains(reasons, reason) {
			return reasons
		}
		return append(reasons, reason)
	})
}

// Resume takes back one Suspend. With no reason left overrides are in use again,
// as the last answer had them.
func (p *Poller) Resume(reason string) {
	p.suspended(func(reasons []string) []string {
		return slices.DeleteFunc(reasons, func(r string) bool { return r == reason })
	})
}

func (p *Poller) suspended(change func([]string) []string) {
	p.mu.Lock()
	p.suspend = change(p.suspend)
	p.status.Suspended = strings.Join(p.suspend, "; ")
	work := p.plan.answered && !p.closed
	p.mu.Unlock()
	if work {
		p.work.Wake()
	}
}

// Status returns where the asking and every key stands.
func (p *Poller) Status() kcfg.DynamicStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.status
	s.Keys = slices.Clone(s.Keys)
	if s.Err != nil {
		s.Error = s.Err.Error()
	}
	return s
}

// Stop ends the asking, without waiting for it. Overrides in force stay. Callers of
// Refresh and WaitApplied get the given error from now on; the first call counts.
func (p *Poller) Stop(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.status.State = kcfg.DynamicClosed
	p.work.Stop(why)
	p.setReady()
}

// Done is closed when the Poller was stopped, or its context ended, and its
// goroutine is gone.
func (p *Poller) Done() <-chan struct{} { return p.work.Done() }

// Close is Stop, and waits for the goroutine. Both may be called twice.
func (p *Poller) Close() {
	p.Stop(cfgerrors.ErrClosed)
	<-p.Done()
}

func (p *Poller) log(level kgo.LogLevel, msg string, keyvals ...any) {
	if p.cfg.Log != nil {
		p.cfg.Log(level, msg, keyvals...)
	}
}

// errTimeout is the cause of a poll that ran out of its time.
var errTimeout = errors.New("dynconfig: gave up after the timeout of a poll")
