package pushconfig

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/worker"
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
	work   *worker.Worker
	limits func() Limits // Config.Limits, called once

	mu      sync.Mutex
	mem     memory
	status  kcfg.PushStatus
	held    map[string]sensitive.Held // by key, everything held back so far
	waiters worker.Waiters
	closed  bool
}

// New returns a Pusher that lives no longer than ctx. Call Connected to set it
// to work, and Close in the end.
func New(ctx context.Context, cfg Config) *Pusher {
	p := &Pusher{
		cfg:    cfg,
		limits: sync.OnceValue(cfg.Limits),
		status: kcfg.PushStatus{State: kcfg.PushWaiting, Node: NoNode},
		held:   make(map[string]sensitive.Held),
	}
	p.mu.Lock() // the loop begins at once if ctx has ended, and needs p.work once it is over
	p.work = worker.New(ctx, p.loop)
	p.mu.Unlock()
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
		p.work.Wake()
	}
}

// Changed tells the Pusher that a configuration may have changed.
func (p *Pusher) Changed() {
	p.mu.Lock()
	idle := !p.mem.supported
	p.mu.Unlock()
	if !idle {
		p.work.Wake()
	}
}

// Retry forgets that pushes failed: what was in the way may be gone.
func (p *Pusher) Retry() {
	p.mu.Lock()
	failed := p.mem.failed != nil || p.mem.ended
	p.mem.failed, p.mem.ended = nil, false
	p.mu.Unlock()
	if failed {
		p.work.Wake()
	}
}

// Push waits until the cluster has the configurations as they are now, or
// returns why it has not. It sends nothing if the cluster has them already. The
// push goes on when ctx ends.
func (p *Pusher) Push(ctx context.Context) error {
	p.mu.Lock()
	if err := p.refusal(); err != nil {
		p.mu.Unlock()
		return err
	}
	// Before connecting: the push that the connection starts is then the one
	// that answers, and not a first of two.
	w := p.waiters.Add()
	connect := !p.mem.seen && p.cfg.Connect != nil
	p.mu.Unlock()
	// Who waits no longer does not count as one who asked.
	defer p.forget(w)
	p.work.Wake()
	if connect {
		if err := p.cfg.Connect(ctx); err != nil {
			return p.work.Or(fmt.Errorf("pushconfig: unable to connect: %w", err))
		}
	}
	return p.work.Await(ctx, w)
}

// refusal returns why a Push needs not even try. p.mu is held.
func (p *Pusher) refusal() error {
	switch {
	case p.closed:
		return p.work.Why()
	case p.mem.seen && !p.mem.supported && p.mem.pushed == nil:
		return cfgerrors.ErrUnsupported
	}
	return nil
}

func (p *Pusher) forget(w worker.Waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters.Remove(w)
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
	defer p.mu.Unlock()
	p.closed = true
	p.status.State = kcfg.PushClosed
	p.work.Stop(why)
}

// Done is closed when the Pusher was stopped, or its context ended, and its
// goroutine is gone.
func (p *Pusher) Done() <-chan struct{} { return p.work.Done() }

// Close is Stop, and waits for the goroutine. Both may be called twice.
func (p *Pusher) Close() {
	p.Stop(cfgerrors.ErrClosed)
	<-p.Done()
}

func (p *Pusher) log(level kgo.LogLevel, msg string, keyvals ...any) {
	if p.cfg.Log != nil {
		p.cfg.Log(level, msg, keyvals...)
	}
}

// errTimeout is the cause of a push that ran out of its time.
var errTimeout = errors.New("pushconfig: gave up after the push timeout")
