package pushconfig

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/sensitive"
)

// NoNode is the node of a push for which no request was sent.
const NoNode int32 = -1

// startDelay lets a new client's first requests go ahead: reading and filtering
// the configurations takes a core for a millisecond, and its first record may be
// waiting for that core.
const startDelay = 20 * time.Millisecond

// silence is how long a broker that does not know what it advertises is left
// alone, and how long a failed set waits for another try, at least.
const silence = time.Hour

// Limits are how long a push takes.
type Limits struct {
	// MinBackoff and MaxBackoff bound the pauses between tries.
	MinBackoff, MaxBackoff time.Duration
	// Timeout bounds a push with all of its tries.
	Timeout time.Duration
}

// Config is what a Pusher works with. Entries, Push and Limits are required.
type Config struct {
	// Entries returns the configurations as they are now, sorted by key and
	// not yet filtered.
	Entries func() []sensitive.Entry
	// Push sends them in one request, to a node that is none of avoid if it
	// can, and returns that node, or NoNode if nothing was sent.
	Push func(ctx context.Context, configs []sensitive.Clean, avoid ...int32) (node int32, err error)

	// Besides, if not nil, returns what the cluster is told together with the
	// configurations. They are pushed again when it is another text.
	Besides func() []byte
	// Refresh, if not zero, is how long what the cluster was told lasts. It is
	// told again before that, at a random moment of the second half.
	Refresh time.Duration
	// Mend tries again an hour after the cluster refused the principal, where
	// that can be mended without the client's doing.
	Mend bool

	// Connect, if not nil, opens a connection. Push calls it if none was opened
	// so far.
	Connect func(ctx context.Context) error

	// Limits is called once, on the Pusher's goroutine, before the first push.
	Limits func() Limits

	// OnPushed and OnFailed are called on the Pusher's goroutine, one at a
	// time. Their context ends when the Pusher is closed.
	OnPushed func(context.Context, kcfg.Pushed)
	OnFailed func(context.Context, kcfg.PushFailure)

	// Log, if not nil, takes log lines. They hold keys and never values.
	Log func(level kgo.LogLevel, msg string, keyvals ...any)
}

// Pusher pushes a client's configurations from one goroutine, which it starts
// when there is something to do for the first time. Its methods may be called at
// any time and from any goroutine, and do not block but for Push and Close.
type Pusher struct {
	cfg    Config
	cancel context.CancelFunc
	over   <-chan struct{} // closed by Stop, and when the client ends
	run    func()          // the loop

	limits func() Limits // Config.Limits, called once

	wake  chan struct{} // capacity 1: something happened
	start sync.Once
	done  chan struct{} // closed when the loop is gone

	mu      sync.Mutex
	mem     memory
	status  kcfg.PushStatus
	held    map[string]sensitive.Held // by key, everything held back so far
	waiters []chan error
	closed  bool
	why     error // given to Stop
}

// New returns a Pusher that lives no longer than ctx. Call Connected to set it
// to work, and Close in the end.
func New(ctx context.Context, cfg Config) *Pusher {
	ctx, cancel := context.WithCancel(ctx)
	p := &Pusher{
		cfg:    cfg,
		cancel: cancel,
		limits: sync.OnceValue(cfg.Limits),
		over:   ctx.Done(),
		wake:   make(chan struct{}, 1),
		done:   make(chan struct{}),
		status: kcfg.PushStatus{State: kcfg.PushWaiting, Node: NoNode},
		held:   make(map[string]sensitive.Held),
	}
	p.run = func() { p.loop(ctx) }
	return p
}

// Connected tells the Pusher that a connection was opened, and whether any
// broker of the cluster is known to speak the RPC now. The first time it may
// start a push after a moment; where a cluster begins to support the RPC later, as in a
// rolling upgrade, the start is jittered, since all of its clients see that at
// the same moment.
func (p *Pusher) Connected(supported bool) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	first := !p.mem.seen
	changed := first || p.mem.supported != supported
	if changed {
		p.mem.seen, p.mem.supported = true, supported
		if supported && first {
			p.mem.notBefore = time.Now().Add(startDelay)
		}
		if supported && !first {
			p.mem.spread = true
			p.mem.failed = nil
		}
		if !supported && p.mem.pushed == nil {
			p.status.State = kcfg.PushUnsupported
		}
	}
	asked := len(p.waiters) > 0
	p.mu.Unlock()
	if !changed {
		return
	}
	if first && !supported {
		p.log(kgo.LogLevelInfo, "kcfg: no broker seen so far supports config push (KIP-1324); nothing is sent")
	}
	if supported || asked {
		p.notify()
	}
}

// Changed tells the Pusher that a configuration may have changed.
func (p *Pusher) Changed() {
	p.mu.Lock()
	idle := !p.mem.supported
	p.mu.Unlock()
	if !idle {
		p.notify()
	}
}

// Retry forgets that pushes failed: what was in the way may be gone.
func (p *Pusher) Retry() {
	p.mu.Lock()
	failed := p.mem.failed != nil || p.mem.ended
	p.mem.failed, p.mem.ended = nil, false
	p.mu.Unlock()
	if failed {
		p.notify()
	}
}

// Push waits until the cluster has the configurations as they are now, or
// returns why it has not. It sends nothing if the cluster has them already. The
// push goes on when ctx ends.
func (p *Pusher) Push(ctx context.Context) error {
	w := make(chan error, 1)
	p.mu.Lock()
	if err := p.refusal(); err != nil {
		p.mu.Unlock()
		return err
	}
	// Before connecting: the push that the connection starts is then the one
	// that answers, and not a first of two.
	p.waiters = append(p.waiters, w)
	connect := !p.mem.seen && p.cfg.Connect != nil
	p.mu.Unlock()
	p.notify()
	if connect {
		if err := p.cfg.Connect(ctx); err != nil {
			select {
			case <-p.over:
				return p.whyOver()
			default:
				p.forget(w)
				return fmt.Errorf("pushconfig: unable to connect: %w", err)
			}
		}
	}
	select {
	case err := <-w:
		return err
	case <-ctx.Done():
		p.forget(w)
		return context.Cause(ctx)
	case <-p.over:
		return p.whyOver()
	}
}

// refusal returns why a Push needs not even try. p.mu is held.
func (p *Pusher) refusal() error {
	switch {
	case p.why != nil:
		return p.why
	case p.closed:
		return cfgerrors.ErrClosed
	case p.mem.seen && !p.mem.supported && p.mem.pushed == nil:
		return cfgerrors.ErrUnsupported
	}
	return nil
}

// whyOver returns why the Pusher has ended.
func (p *Pusher) whyOver() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why != nil {
		return p.why
	}
	return cfgerrors.ErrClosed
}

// forget removes a caller that waits no longer, so that it does not count as one
// who asked.
func (p *Pusher) forget(w chan error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters = slices.DeleteFunc(p.waiters, func(o chan error) bool { return o == w })
}

// Status returns where the push stands.
func (p *Pusher) Status() kcfg.PushStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.status
	if s.Err != nil {
		s.Error = s.Err.Error()
	}
	return s
}

// Held returns what was held back so far, sorted by key.
func (p *Pusher) Held() []sensitive.Held {
	p.mu.Lock()
	defer p.mu.Unlock()
	return sortedHeld(p.held)
}

// Stop ends a push that is under way, without waiting for it. Callers of Push get
// the given error from now on; the first call counts.
func (p *Pusher) Stop(why error) {
	p.mu.Lock()
	if p.why == nil {
		p.why = why
	}
	p.closed = true
	p.status.State = kcfg.PushClosed
	p.mu.Unlock()
	p.cancel()
	p.start.Do(func() { close(p.done) }) // never started: nothing to wait for
}

// Done is closed when the Pusher was stopped, or its context ended, and its
// goroutine is gone.
func (p *Pusher) Done() <-chan struct{} { return p.done }

// Close is Stop, and waits for the goroutine. Both may be called twice.
func (p *Pusher) Close() {
	p.Stop(cfgerrors.ErrClosed)
	<-p.done
}

func (p *Pusher) notify() {
	p.start.Do(func() { go p.run() })
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Pusher) log(level kgo.LogLevel, msg string, keyvals ...any) {
	if p.cfg.Log != nil {
		p.cfg.Log(level, msg, keyvals...)
	}
}

// errTimeout is the cause of a push that ran out of its time.
var errTimeout = errors.New("pushconfig: gave up after the push timeout")
