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
	refused atomic.Pointer[error] // why no connection is to be made
}

func newDialer(dial DialFunc, cfg *tls.Config) *dialer {
	d := &dialer{dial: dial, tls: cfg}
	d.timeout.Store(int64(defaultDialTimeout))
	return d
}

// refuse fails every dial from now on. Connecting in another way than the
// application asked for, without its TLS perhaps, would be worse.
func (d *dialer) refuse(err error) { d.refused.Store(&err) }

// Dial returns errors as they came, since kgo looks at their types.
func (d *dialer) Dial(ctx context.Context, network, host string) (net.Conn, error) {
	if err := d.refused.Load(); err != nil {
		return nil, *err
	}
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
	// The timeout of the dial is the dialer's business, that of the handshake
	// is ours.
	if t := time.Duration(d.timeout.Load()); t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t)
		defer cancel()
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
