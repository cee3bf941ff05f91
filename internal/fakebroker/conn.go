package fakebroker

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

var errNotOneFrame = errors.New("fakebroker: kfake wrote something other than one whole answer")

// conn is the tap: the connection that kfake gets. kfake reads requests from it
// with one goroutine and writes answers to it with another.
type conn struct {
	net.Conn
	cluster *Cluster
	node    *node
	number  int

	// Of the reading goroutine only.
	in   *bufio.Reader
	head bytes.Buffer // the beginning of the current frame, not handed out yet
	rest int          // bytes of the current frame that are still in front of in

	writing sync.Mutex // one whole frame at a time

	mu       sync.Mutex
	idle     *sync.Cond // waiting became empty, or closed became true
	waiting  []forwarded
	auth     auth
	software [2]string
	stop     context.CancelCauseFunc // of the request of ours that is being served
	closed   bool

	done  chan struct{} // closed with the connection
	close func() error
}

func newConn(c *Cluster, n *node, inner net.Conn) *conn {
	t := &conn{
		Conn:    inner,
		cluster: c,
		node:    n,
		number:  c.record.connection(n.id),
		auth:    auth{required: c.cfg.sasl},
		done:    make(chan struct{}),
	}
	in := io.Reader(inner)
	if c.cfg.capture {
		in = c.record.capture(inner, t.number)
	}
	t.in = bufio.NewReader(in)
	t.idle = sync.NewCond(&t.mu)
	t.close = sync.OnceValue(t.shut)
	return t
}

// Close closes the connection and ends whatever waits on it. kfake calls it
// from both of its goroutines, and it is all that kfake says of a user whom it does
// not let in.
func (t *conn) Close() error {
	t.refuseUser()
	return t.close()
}

func (t *conn) shut() error {
	t.mu.Lock()
	t.closed = true
	if t.stop != nil {
		t.stop(net.ErrClosed)
	}
	t.idle.Broadcast()
	t.mu.Unlock()
	close(t.done)
	t.cluster.forget(t)
	return t.Conn.Close()
}

// enter begins a call of kfake. Cluster.Close waits until leave ends it, which
// it can because a call never begins on a closed connection.
func (t *conn) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.cluster.calls.Add(1)
	return true
}

func (t *conn) leave() { t.cluster.calls.Done() }

// Read hands out the frames that are not ours, byte for byte, and serves those
// that are.
func (t *conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if !t.enter() {
		return 0, net.ErrClosed
	}
	defer t.leave()
	for t.head.Len() == 0 && t.rest == 0 {
		if err := t.next(); err != nil {
			return 0, err
		}
	}
	if t.head.Len() > 0 {
		return t.head.Read(p)
	}
	n, err := t.in.Read(p[:min(len(p), t.rest)])
	t.rest -= n
	return n, err
}

// Write takes exactly one answer frame: that is how kfake writes, and what the
// order of answers rests on.
func (t *conn) Write(p []byte) (int, error) {
	if !t.enter() {
		return 0, net.ErrClosed
	}
	defer t.leave()
	if !wholeFrame(p) {
		_ = t.Close()
		return 0, errNotOneFrame
	}
	f, ok := t.oldest(correlation(p))
	if !ok {
		// A kfake control function answered what has no answer.
		if err := t.write(p); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	frame := t.returning(f, p)
	if err := t.answer(frame, f.fault, nil); err != nil {
		return 0, err
	}
	t.answered()
	return len(p), nil
}

// write writes a frame or, if it was damaged so, a part of one.
func (t *conn) write(b []byte) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	_, err := t.Conn.Write(b)
	return err
}

// answer writes an answer as the fault wants it. It calls written, which may be
// nil, right before the client can see the answer.
func (t *conn) answer(frame []byte, f *Fault, written func()) error {
	if f != nil {
		if err := t.hold(f); err != nil {
			return err
		}
		if f.Close == CloseBeforeAnswer {
			_ = t.Close()
			return net.ErrClosed
		}
	}
	if written != nil {
		written()
	}
	if err := t.write(f.damage(frame)); err != nil {
		return err
	}
	switch {
	case f == nil:
	case f.Close == CloseAfterAnswer:
		_ = t.Close()
	case f.Truncate > 0:
		<-t.done
		return net.ErrClosed
	}
	return nil
}

// hold waits as long as the fault wants the answer to be held back.
func (t *conn) hold(f *Fault) error {
	if f.Never {
		<-t.done
		return net.ErrClosed
	}
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-t.done:
			return net.ErrClosed
		}
	}
	if f.Hold != nil {
		select {
		case <-f.Hold:
		case <-t.done:
			return net.ErrClosed
		}
	}
	return nil
}

// certificateName returns the subject of the client's certificate, if it showed
// one: Kafka's principal of a TLS client without SASL.
func (t *conn) certificateName() string {
	c, ok := t.Conn.(*tls.Conn)
	if !ok {
		return ""
	}
	if certs := c.ConnectionState().PeerCertificates; len(certs) > 0 {
		return certs[0].Subject.String()
	}
	return ""
}
