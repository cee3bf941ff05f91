package integration_test

import (
	"context"
	"errors"
	"net"
	"sync"
)

// link is what a client reaches the cluster over. It can be cut: the client lives
// on, and the cluster does not hear of it any more, as if it was killed.
type link struct {
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

var errCut = errors.New("the link is cut")

// dial makes a connection, if the link is not cut.
func (l *link) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		_ = conn.Close()
		return nil, errCut
	}
	l.conns = append(l.conns, conn)
	return conn, nil
}

func (l *link) sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}

func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}
