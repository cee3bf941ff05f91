package fakebroker

import (
	"crypto/tls"
	"net"

	"github.com/twmb/franz-go/pkg/kfake"
)

// listener hands taps to kfake.
type listener struct {
	net.Listener
	cluster *Cluster
	node    *node
}

// listen returns the option by which kfake listens through the tap. kfake asks
// for one listener after the other, in the order of the node ids.
//
// TLS ends in front of the tap, which has to see frames.
func (c *Cluster) listen() kfake.Opt {
	next := 0
	return kfake.ListenFn(func(network, address string) (net.Listener, error) {
		inner, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		n := c.nodes[next]
		next++
		n.addr = inner.Addr().String()
		if c.cfg.tls != nil {
			inner = tls.NewListener(inner, c.cfg.tls)
		}
		return &listener{Listener: inner, cluster: c, node: n}, nil
	})
}

// Accept returns the next connection as a tap.
func (l *listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	t, ok := l.cluster.adopt(l.node, inner)
	if !ok {
		_ = inner.Close()
		return nil, net.ErrClosed
	}
	return t, nil
}
