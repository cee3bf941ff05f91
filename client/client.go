package client

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// Client is a *kgo.Client whose configuration the cluster knows. All of kgo's
// methods are there, and the embedded client may be handed to any code that
// takes one.
type Client struct {
	*kgo.Client
	plugin *Plugin
}

// New returns a client made with the kgo options, as kgo.NewClient would, and
// the library in it. No connection is made before the application makes one.
//
// An error is either all that is wrong with the options of this package, an
// *OptionConflictError for a kgo option that the library must set itself
// (kgo.Dialer, kgo.DialTLSConfig, kgo.DialTLS), or kgo's own, or a
// *cfgerrors.IdentifierTooLargeError for each name among the kgo options that is too
// long (see EnforceIdentifierLimits). Of the last one the application's hooks see a
// client that is closed again without a connection; of the others nothing.
//
// The connections that kgo's hooks get are this library's; NetConn of them returns
// the *net.TCPConn or *tls.Conn below, as that of tls.Conn does.
func New(kopts []kgo.Opt, opts ...Option) (*Client, error) {
	p := NewPlugin(opts...)
	if p.err != nil {
		return nil, p.err
	}
	if err := checkKgoOpts(kopts); err != nil {
		return nil, err
	}
	p.checked = true
	// The dialer comes last, where a kgo.Dialer(nil), which nothing can detect,
	// does not replace it; the versions come first, where the application's are
	// seen to replace them.
	own := p.Opts()
	all := append(own[1:len(own):len(own)], kopts...)
	cl, err := kgo.NewClient(append(all, own[0])...)
	if err != nil {
		return nil, whyNot(kopts, err)
	}
	if p.names != nil { // they can be read from a client only
		cl.Close()
		return nil, p.names
	}
	return &Client{Client: cl, plugin: p}, nil
}

// NewProducer is New for a client that produces.
func NewProducer(kopts []kgo.Opt, opts ...Option) (*Client, error) {
	return newKind(kcfg.KindProducer, kopts, opts)
}

// NewConsumer is New for a client that consumes.
func NewConsumer(kopts []kgo.Opt, opts ...Option) (*Client, error) {
	return newKind(kcfg.KindConsumer, kopts, opts)
}

func newKind(k kcfg.Kind, kopts []kgo.Opt, opts []Option) (*Client, error) {
	return New(kopts, append(slices.Clip(opts), WithKind(k))...)
}

// PushConfig waits until the cluster has the configurations of the client as
// they are now, or returns why it has not: one of package errors. It connects if
// the client did not so far, and sends nothing if the cluster has them already.
// The push goes on when ctx ends.
func (c *Client) PushConfig(ctx context.Context) error { return c.plugin.PushConfig(ctx) }

// RefreshConfigs asks the cluster for overrides now, and waits until they are in
// use, which does not mean in force: see WaitApplied. It connects if the client
// did not so far. It returns one of package errors, or why nobody could be asked.
func (c *Client) RefreshConfigs(ctx context.Context) error { return c.plugin.RefreshConfigs(ctx) }

// WaitApplied waits until an override of the key is in force: a request that
// carried it left, or the group joined with it. It returns a
// *dynconfig.NotAppliedError if the override that is wished will not be, and waits
// on while none is wished, or overrides are suspended. It asks for nothing: call
// RefreshConfigs before.
func (c *Client) WaitApplied(ctx context.Context, key string) error {
	return c.plugin.WaitApplied(ctx, key)
}

// SuspendOverrides puts the client's own values in force until ResumeOverrides.
// Overrides are still asked for, and Status says that they are suspended.
func (c *Client) SuspendOverrides() { c.plugin.SuspendOverrides() }

// ResumeOverrides takes SuspendOverrides back.
func (c *Client) ResumeOverrides() { c.plugin.ResumeOverrides() }

// Status returns the state of the library in this client.
func (c *Client) Status() kcfg.Status { return c.plugin.Status() }

// ClientInstanceID returns the random UUID by which this client is told from
// others with the same client id, for as long as it lives.
func (c *Client) ClientInstanceID() string { return c.plugin.instance }

// UpdateFetchMaxBytes is kgo's, and pushes the new limits.
//
// That of the embedded client is not noticed: kgo does not tell anybody.
func (c *Client) UpdateFetchMaxBytes(maxBytes, maxPartBytes int32) {
	c.plugin.UpdateFetchMaxBytes(maxBytes, maxPartBytes)
}

// UpdateSeedBrokers is kgo's, and has the transport over topics, which connects by
// itself, use the new seeds too, from its next call on. bootstrap.servers, where it is
// pushed, is pushed again. It returns kgo's error for an address that is none, and
// changes nothing then.
//
// That of the embedded client is not noticed: kgo does not tell anybody.
func (c *Client) UpdateSeedBrokers(addrs ...string) error {
	return c.plugin.UpdateSeedBrokers(addrs...)
}

// Close ends what the library does and closes the client, as kgo's Close does.
// It may be called twice. Closing the embedded client does the same.
func (c *Client) Close() {
	c.plugin.stop()
	c.Client.Close()
}

// CloseAllowingRebalance is kgo's, with what Close does besides.
func (c *Client) CloseAllowingRebalance() {
	c.plugin.stop()
	c.Client.CloseAllowingRebalance()
}

// PushConfig is Client.PushConfig for a client that was made with Opts. It
// returns cfgerrors.ErrNotInstrumented if none was.
func (p *Plugin) PushConfig(ctx context.Context) error {
	p.mu.Lock()
	attached, push, off := p.cl != nil, p.push, p.off
	p.mu.Unlock()
	switch {
	case p.err != nil:
		return p.err
	case !attached:
		return cfgerrors.ErrNotInstrumented
	case push == nil:
		return fmt.Errorf("client: config push is off because of %s: %w", off, cfgerrors.ErrUnsupported)
	}
	return push.Push(ctx)
}

// UpdateFetchMaxBytes is Client.UpdateFetchMaxBytes for a client that was made
// with Opts. Without one it does nothing.
func (p *Plugin) UpdateFetchMaxBytes(maxBytes, maxPartBytes int32) {
	p.mu.Lock()
	cl, source := p.cl, p.source
	p.mu.Unlock()
	if cl == nil {
		return
	}
	p.updates.Lock()
	cl.UpdateFetchMaxBytes(maxBytes, maxPartBytes)
	source.SetFetchLimits(maxBytes, maxPartBytes)
	p.updates.Unlock()
	p.changed()
}

// UpdateSeedBrokers is Client.UpdateSeedBrokers for a client that was made with Opts.
// Without one it returns cfgerrors.ErrNotInstrumented.
func (p *Plugin) UpdateSeedBrokers(addrs ...string) error {
	p.mu.Lock()
	cl, source := p.cl, p.source
	p.mu.Unlock()
	if cl == nil {
		return cfgerrors.ErrNotInstrumented
	}
	p.updates.Lock()
	err := cl.UpdateSeedBrokers(addrs...)
	if err == nil && len(addrs) > 0 {
		source.SetSeeds(slices.Clone(addrs))
	}
	p.updates.Unlock()
	if err != nil || len(addrs) == 0 {
		return err
	}
	p.changed()
	return nil
}
