package connpatch

import (
	"net"
	"sync"
	"time"
)

// Conn is a connection to a broker that follows the frames passing it.
type Conn struct {
	net.Conn
	m *Manager

	out     scanner // used by the writing goroutine only
	refused bool    // the same: ErrNotProved was returned, and is from now on
	in      reader  // used by the reading goroutine only

	addr string // of the other end; set before the connection is used

	closed    chan struct{}
	closeOnce sync.Once

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
}

func newConn(inner net.Conn, m *Manager) *Conn {
	return &Conn{Conn: inner, m: m, closed: make(chan struct{})}
}

// NetConn returns the connection below, as tls.Conn does.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Write writes p, which is not changed. It fails without writing anything if p
// holds a request of ours that the broker did not prove to mean, and then does
// so for good, or if p starts a request of the application behind one of ours
// that stays unanswered.
func (c *Conn) Write(p []byte) (int, error) {
	if err := c.awaitOurs(p); err != nil {
		return 0, err
	}
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
	return c.Conn.Write(p)
}

// wrote notes a request that is about to be written: its answer may come before
// the Write returns.
func (c *Conn) wrote(r request) {
	kind := classify(r.key)
	r.ours = c.m.ours(r.key)
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

// Close closes the connection and wakes a Write that waits.
func (c *Conn) Close() error {
	c.closeOnce.Do(func() {
		close(c.closed)
		c.m.remove(c)
		c.mu.Lock()
		if c.watch != nil {
			c.watch.Stop()
		}
		c.mu.Unlock()
	})
	return c.Conn.Close()
}
