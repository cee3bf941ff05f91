package integration_test

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
)

// gate holds up what a client writes while it is closed.
type gate struct {
	mu   sync.Mutex
	open chan struct{} // closed while the gate is open
}

func newGate() *gate {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	return g
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = make(chan struct{})
}

func (g *gate) reopen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

func (g *gate) pass() {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	<-open
}

// dial makes a connection. A dead node is unreachable for it, as with its machine:
// where the machine lives on and refuses, kgo soon gives its partitions up.
func (g *gate) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
	}
	if err != nil {
		return nil, err
	}
	return gatedConn{conn, g}, nil
}

type gatedConn struct {
	net.Conn
	gate *gate
}

func (c gatedConn) Write(b []byte) (int, error) {
	c.gate.pass()
	return c.Conn.Write(b)
}
