package connpatch

import (
	"bytes"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// joinHold holds JoinGroup requests until it is released.
type joinHold struct {
	release <-chan struct{}
	bound   time.Duration
	begin   sync.Once
	until   time.Time // set by begin, with the first one
}

// HoldJoins keeps JoinGroup requests that are written from now on until release
// is closed, so that the first one can carry a session timeout that is yet to be
// learned, but no longer than bound after the first was written. The bound does
// not begin again if kgo repeats it on another connection.
//
// Write is never held up: kgo writes other requests to the broker from the same
// goroutine. The request leaves from the Read that kgo makes for its answer.
func (m *Manager) HoldJoins(release <-chan struct{}, bound time.Duration) {
	m.hold.Store(&joinHold{release: release, bound: bound})
}

// holding returns what holds a JoinGroup request that is written now, if any.
func (m *Manager) holding() *joinHold {
	h := m.hold.Load()
	if h == nil {
		return nil
	}
	select {
	case <-h.release:
	case <-m.closed:
	default:
		return h
	}
	m.hold.CompareAndSwap(h, nil)
	return nil
}

// heldJoin is a JoinGroup request that was written by kgo and is yet to leave.
type heldJoin struct {
	frame []byte
	deed  *deed
	hold  *joinHold

	claimed atomic.Bool
	sent    chan struct{} // closed when it has left or failed
	err     error         // of that
}

func newHeldJoin(frame []byte, d *deed, hold *joinHold) *heldJoin {
	hold.begin.Do(func() { hold.until = time.Now().Add(hold.bound) })
	return &heldJoin{frame: bytes.Clone(frame), deed: d, hold: hold, sent: make(chan struct{})}
}

// sendHeldFirst sends what is held before another request is written behind it.
func (c *Conn) sendHeldFirst() error {
	h := c.held.Load()
	if h == nil {
		return nil
	}
	return c.sendHeld(h)
}

// awaitHeld waits until a JoinGroup request may leave and sends it.
func (c *Conn) awaitHeld(h *heldJoin) error {
	bound := time.NewTimer(time.Until(h.hold.until))
	defer bound.Stop()
	for {
		changed, over := c.limit.watch()
		select {
		case <-h.hold.release:
		case <-c.m.closed:
		case <-bound.C:
			c.m.hold.CompareAndSwap(h.hold, nil)
		case <-h.sent: // by a Write
		case <-c.closed:
			return net.ErrClosed
		case <-over:
			return os.ErrDeadlineExceeded
		case <-changed:
			continue
		}
		return c.sendHeld(h)
	}
}

// sendHeld sends a JoinGroup request, once.
func (c *Conn) sendHeld(h *heldJoin) error {
	if !h.claimed.CompareAndSwap(false, true) {
		<-h.sent
		return h.err
	}
	defer close(h.sent)
	defer c.held.Store(nil)
	f, ok := findJoin(parseHeader(h.frame).version, h.frame)
	if ok {
		session := c.m.session(f.session)
		c.mu.Lock() // an answer is read under it
		e, patch := h.deed.join(f, session)
		c.mu.Unlock()
		if patch {
			e.apply(h.frame)
		}
	}
	_, h.err = c.Conn.Write(h.frame)
	return h.err
}

// deadline is the one for reads. Waits of ours look at it, as the connection
// below does in its own.
type deadline struct {
	mu      sync.Mutex
	at      time.Time
	changed chan struct{} // non-nil while somebody waits
}

func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	d.at = t
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
	d.mu.Unlock()
}

// watch returns what is closed when the deadline changes, and what fires when it
// has passed.
func (d *deadline) watch() (changed <-chan struct{}, over <-chan time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	if !d.at.IsZero() {
		over = time.After(time.Until(d.at))
	}
	return d.changed, over
}

// SetDeadline sets the deadlines for reads and writes.
func (c *Conn) SetDeadline(t time.Time) error {
	c.limit.set(t)
	return c.Conn.SetDeadline(t)
}

// SetReadDeadline sets the deadline for reads.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.limit.set(t)
	return c.Conn.SetReadDeadline(t)
}

func isTimeout(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}
