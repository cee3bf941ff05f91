package client

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// defaultDialTimeout is kgo's. What the application set with kgo.DialTimeout is
// known when the client exists, before its first connection.
const defaultDialTimeout = 10 * time.Second

// dialer makes the connections below ours as kgo would make them.
type dialer struct {
	dial    DialFunc    // nil: the standard one
	tls     *tls.Config // nil: plaintext
	timeout atomic.Int64
}

func newDialer(dial DialFunc, cfg *tls.Config) *dialer {
	d := &dialer{dial: dial, tls: cfg}
	d.timeout.Store(int64(defaultDialTimeout))
	return d
}

// Dial returns errors as they came, since kgo looks at their types.
func (d *dialer) Dial(ctx context.Context, network, host string) (net.Conn, error) {
	if d.tls == nil {
		return d.dialPlain(ctx, network, host)
	}
	cfg := d.tls.Clone()
	if cfg.ServerName == "" {
		server, _, err := net.SplitHostPort(host)
		if err != nil {
			return nil, fmt.Errorf("client: the broker address %q has no port: %w", host, err)
		}
		cfg.ServerName = server
	}
	if d.dial == nil {
		return (&tls.Dialer{NetDialer: d.standard(), Config: cfg}).DialContext(ctx, network, host)
	}
	inner, err := d.dial(ctx, network, host)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(inner, cfg)
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = inner.Close() // the handshake's error is the one to tell
		return nil, err
	}
	return conn, nil
}

func (d *dialer) dialPlain(ctx context.Context, network, host string) (net.Conn, error) {
	if d.dial != nil {
		return d.dial(ctx, network, host)
	}
	return d.standard().DialContext(ctx, network, host)
}

func (d *dialer) standard() *net.Dialer {
	return &net.Dialer{Timeout: time.Duration(d.timeout.Load())}
}

// follow takes over the dial timeout of the client.
func (d *dialer) follow(cl *kgo.Client) {
	if t, ok := cl.OptValue(kgo.DialTimeout).(time.Duration); ok {
		d.timeout.Store(int64(t))
	}
}
