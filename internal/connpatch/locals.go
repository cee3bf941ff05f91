package connpatch

import "encoding/binary"

// corrRange spans the correlation ids of the requests of a connection that were
// answered here. Others lie between them; those are told apart by being waited
// for. A set would grow for as long as the broker does not answer them, which
// is for good with most.
type corrRange struct {
	first, last int32
	any         bool
}

func (r *corrRange) add(corr int32) {
	if !r.any {
		r.first, r.any = corr, true
	}
	r.last = corr
}

func (r *corrRange) has(corr int32) bool { return r.any && r.first <= corr && corr <= r.last }

// stray reports whether an answer is one to a request that was answered here, as
// some brokers give it to a Produce with acks 0.
func (c *Conn) stray(corr int32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.locals.has(corr) && !c.waiting.awaits(corr)
}

// next looks at what a Read at the start of a frame will give. It waits for a
// JoinGroup that is held and takes an answer that is given here.
func (c *Conn) next() error {
	for {
		c.mu.Lock()
		r, ok := c.waiting.front()
		c.in.careful = c.locals.any || ok && r.key == keyJoinGroup
		if !ok || r.deed == nil {
			c.mu.Unlock()
			return nil
		}
		if r.deed.local != nil {
			c.waiting.answer(r.corr)
			c.in.local = r.deed.local
			c.freed()
			c.guard()
			c.mu.Unlock()
			return nil
		}
		h := c.held.Load()
		c.mu.Unlock()
		if h == nil || h.deed != r.deed {
			return nil
		}
		if err := c.awaitHeld(h); err != nil {
			return err
		}
	}
}

// watchLocals starts the watcher if the broker owes no answer, so that nobody
// reads: it must be seen when the broker closes the connection, as it does where
// a Produce with acks 0 fails, and an answer that nobody wants must not fill it.
func (c *Conn) watchLocals() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched || c.gone || !c.zero || c.opaque || c.waiting.owed() {
		return
	}
	c.watched = true
	c.watcher.Go(c.watchFrames)
}

func (c *Conn) watchFrames() {
	for c.watchFrame() {
	}
}

// watchFrame reads one frame and throws it away if its request was answered
// here. It returns false if it was not, which leaves the frame to a Read, or if
// the connection ended.
//
// A Read that needs the connection waits for it, and with reason: the watcher
// ends with the first byte that the Read could have got, or with its deadline.
func (c *Conn) watchFrame() bool {
	c.reading.Lock()
	defer c.reading.Unlock()
	more, err := c.discard()
	if more {
		return true
	}
	c.mu.Lock()
	c.watched = false
	c.mu.Unlock()
	if err == nil || isTimeout(err) {
		return false
	}
	c.in.opaque, c.in.failed = true, err
	c.closeOnce.Do(c.shut)
	_ = c.Conn.Close() // kgo sees it with its next Write
	return false
}

// discard throws away one frame whose request was answered here. c.reading is
// held.
func (c *Conn) discard() (bool, error) {
	in := &c.in
	if in.opaque || in.rest > 0 {
		return false, nil
	}
	c.buffer()
	if err := in.dropRest(); err != nil {
		return false, err
	}
	b, err := in.br.Peek(sizeLen)
	if err != nil {
		return false, err
	}
	size := int32(binary.BigEndian.Uint32(b))
	if size < corrLen || size > maxFrame {
		return false, nil // nothing that a request was answered with
	}
	if b, err = in.br.Peek(sizeLen + corrLen); err != nil {
		return false, err
	}
	if !c.stray(int32(binary.BigEndian.Uint32(b[sizeLen:]))) {
		return false, nil
	}
	in.drop = sizeLen + int(size)
	return true, in.dropRest()
}
