package connpatch

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Conn is a connection to a broker that follows the frames passing it and
// applies the overrides of its manager to them.
type Conn struct {
	net.Conn
	m *Manager

	out     scanner // used by the writing goroutine only
	refused bool    // the same: ErrNotProved was returned, and is from now on
	plan    plan    // the same: of the current Write
	parts   [2][]byte
	bufs    net.Buffers
	in      reader // used by the reading goroutine, and by the watcher for a while

	addr string // of the other end; set before the connection is used

	closed    chan struct{}
	closeOnce sync.Once

	held  atomic.Pointer[heldJoin]
	limit deadline // for reads

	reading sync.Mutex     // held while the connection below is read
	watcher sync.WaitGroup // the goroutine that watches while nobody reads

	mu      sync.Mutex
	waiting pending
	used    traffic
	proved  support
	node    int32
	known   bool          // node is set
	raw     bool          // frames were written that are no requests
	opaque  bool          // the bytes of one direction are no frames
	free    chan struct{} // non-nil while a Write waits for the answer to ours
	passed  bool          // a Write waited in vain and went on
	gave    bool          // the connection gave way
	watch   *time.Timer   // runs while requests of the application are behind ours
	locals  corrRange     // Produce requests that were answered here
	zero    bool          // the last one was
	watched bool          // the watcher runs
	gone    bool          // Close was called
}

func newConn(inner net.Conn, m *Manager) *Conn {
	return &Conn{Conn: inner, m: m, closed: make(chan struct{})}
}

// NetConn returns the connection below, as tls.Conn does.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Write writes p, which is not changed: what leaves instead of it is a copy, and
// the length returned is that of p. A request that is answered here, or held
// until a Read, is not written at all. Write fails without writing anything if p
// holds a request of ours that the broker did not prove to mean, and then does
// so for good, or if p starts a request of the application behind one of ours
// that stays unanswered.
func (c *Conn) Write(p []byte) (int, error) {
	if err := c.awaitOurs(p); err != nil {
		return 0, err
	}
	if err := c.sendHeldFirst(); err != nil {
		return 0, err
	}
	c.makePlan(p)
	strange, opaque := c.out.strange, c.out.opaque
	c.out.write(p, c.wrote)
	if n := c.out.strange - strange; n > 0 {
		c.wroteRaw(n)
	}
	if c.out.opaque && !opaque {
		c.noFrames()
	}
	if c.refused {
		return 0, ErrNotProved
	}
	if c.plan.corrupt {
		c.m.droppedCorrupt()
	}
	if c.plan.keep {
		c.m.observed(c.plan.change)
		return len(p), nil
	}
	n, err := c.pass(p)
	if err == nil {
		c.m.observed(c.m.seen.left(&c.plan))
		if d := c.plan.deed; d != nil && d.local != nil {
			c.watchLocals()
		}
	}
	return n, err
}

// pass writes p below as the plan wants it. What is patched is a copy of the
// start of p: p is the caller's.
func (c *Conn) pass(p []byte) (int, error) {
	if c.plan.n == 0 {
		return c.Conn.Write(p)
	}
	buf := c.m.getScratch()
	defer c.m.scratch.Put(buf)
	start := buf[:copy(buf[:], p)]
	for _, e := range c.plan.edits[:c.plan.n] {
		e.apply(start)
	}
	if len(start) == len(p) {
		return c.Conn.Write(start)
	}
	c.parts = [2][]byte{start, p[len(start):]}
	c.bufs = c.parts[:]
	n, err := c.bufs.WriteTo(c.Conn) // one writev where there is such a thing
	c.parts, c.bufs = [2][]byte{}, nil
	return int(n), err
}

// wrote notes a request that is about to be written: its answer may come before
// the Write returns.
func (c *Conn) wrote(r request) {
	kind := classify(r.key)
	r.ours = c.m.ours(r.key)
	r.deed, r.seq = c.plan.deed, c.plan.seq
	if !c.plan.made {
		seq, changed := c.m.noteGroup(r.header, kind, nil)
		r.seq, c.plan.change = seq, c.plan.change || changed
	}
	c.mu.Lock()
	if r.ours && !c.proved.has(c.m.proto, r.key) {
		c.mu.Unlock()
		c.refused = true
		c.m.counts.refused.Add(1)
		return
	}
	c.used |= kind
	if r.answered {
		c.waiting.push(r)
	}
	if r.key == keyProduce {
		if c.zero = r.local(); c.zero {
			c.locals.add(r.corr)
		}
	}
	if c.plan.held != nil {
		c.held.Store(c.plan.held)
	}
	c.mu.Unlock()
	c.m.wrote(r, kind)
}

func (c *Conn) wroteRaw(frames uint64) {
	c.mu.Lock()
	c.raw = true
	c.mu.Unlock()
	c.m.counts.strange.Add(frames)
}

// answered notes that the answer to a request has begun to arrive.
func (c *Conn) answered(corr int32) (request, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, dropped, ok := c.waiting.answer(corr)
	// What answers a raw SASL token has no correlation id.
	token := !ok && c.raw && c.waiting.len() == 0
	if !token && (!ok || dropped > 0) {
		c.m.counts.unmatched.Add(1)
	}
	c.freed()
	c.guard()
	return r, ok
}

// learned notes what the broker's ApiVersions answer proves.
func (c *Conn) learned(s support) {
	c.mu.Lock()
	c.proved = s
	c.mu.Unlock()
}

// noFrames counts the connection as one that is not followed, once.
func (c *Conn) noFrames() {
	c.mu.Lock()
	first := !c.opaque
	c.opaque = true
	c.mu.Unlock()
	if first {
		c.m.counts.opaque.Add(1)
	}
}

// Close closes the connection, wakes what waits on it, and waits for what runs
// for it.
func (c *Conn) Close() error {
	c.closeOnce.Do(c.shut)
	err := c.Conn.Close()
	c.watcher.Wait()
	return err
}

func (c *Conn) shut() {
	close(c.closed)
	c.m.remove(c)
	c.mu.Lock()
	c.gone = true
	if c.watch != nil {
		c.watch.Stop()
	}
	c.mu.Unlock()
}
