package connpatch

import (
	"net"
	"time"
)

// giveWayAfter is how long a request of the application may wait for the answer
// to one of ours on the same connection. Brokers answer ours at once, so the
// application almost never waits; where one does not, this bounds the delay.
const giveWayAfter = 100 * time.Millisecond

// awaitOurs waits until nothing of ours is unanswered, at most giveWayAfter, if
// p is about to start a request of the application.
//
// It holds up the one goroutine in which kgo writes to this broker, so it must
// be short. kgo's write deadline is not looked at: the least that kgo takes is
// as long, and a Write after it writes nothing, which is like giving way.
func (c *Conn) awaitOurs(p []byte) error {
	c.mu.Lock()
	if !c.mustWait(p) {
		c.mu.Unlock()
		return nil
	}
	free := make(chan struct{})
	c.free = free
	c.mu.Unlock()

	t := time.NewTimer(giveWayAfter)
	defer t.Stop()
	select {
	case <-free:
		return nil
	case <-c.closed:
		return net.ErrClosed
	case <-t.C:
		return c.giveWay()
	}
}

func (c *Conn) mustWait(p []byte) bool {
	switch {
	case c.waiting.ours == 0, len(p) == 0, !c.out.atStart():
		return false
	case len(p) >= headerLen && c.m.ours(parseHeader(p).key):
		return false // it is ours, too
	case c.passed && !c.waiting.blocked():
		return false // nothing changed since: do not hold up every request
	}
	return true
}

// giveWay ends the wait for the answer to ours. The connection is given up only
// if ours is what the broker owes first. Behind a request of the application
// ours may be waiting as well, and giving up would fail a request that the
// broker is working on.
func (c *Conn) giveWay() error {
	c.mu.Lock()
	c.free = nil
	blocked := c.waiting.blocked()
	c.passed = !blocked && c.waiting.ours > 0
	c.mu.Unlock()
	if !blocked {
		return nil
	}
	c.gaveUp()
	return errGaveWay
}

// gaveUp counts the connection as one that gave way, once. c.mu is not held.
func (c *Conn) gaveUp() {
	c.mu.Lock()
	first := !c.gave
	c.gave = true
	c.mu.Unlock()
	if first {
		c.m.counts.gaveWay.Add(1)
	}
}

// guard looks after requests of the application that were written behind one of
// ours, when ours becomes what the broker owes first: if it still is after
// giveWayAfter, the connection is closed, and kgo sends them again elsewhere.
// Without this they would wait for kgo's read timeout, since no later Write need
// come that could give way. c.mu is held.
func (c *Conn) guard() {
	if c.watch != nil || !c.waiting.blocked() || c.waiting.len() == c.waiting.ours {
		return
	}
	first := c.waiting.first()
	c.watch = time.AfterFunc(giveWayAfter, func() {
		c.mu.Lock()
		c.watch = nil
		stuck := c.waiting.blocked() && c.waiting.first() == first
		if !stuck {
			c.guard() // another one of ours may be in front by now
		}
		c.mu.Unlock()
		if stuck {
			c.gaveUp()
			_ = c.Conn.Close() // kgo reads the error and closes us
		}
	})
}

// freed wakes a Write that waits, if nothing of ours is unanswered any more. As
// for mustWait, c.mu is held.
func (c *Conn) freed() {
	if c.waiting.ours > 0 {
		return
	}
	c.passed = false
	if c.free != nil {
		close(c.free)
		c.free = nil
	}
}
