package client

import (
	"context"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/internal/transport"
	"github.com/kcfg-go/kcfg/pushconfig"
	"github.com/kcfg-go/kcfg/sensitive"
)

var (
	_ kgo.HookNewClient      = (*kgoHooks)(nil)
	_ kgo.HookClientClosed   = (*kgoHooks)(nil)
	_ kgo.HookBrokerConnect  = (*kgoHooks)(nil)
	_ configdef.SourceHolder = (*kgoHooks)(nil)
)

// kgoHooks is what the kgo client tells the plugin. It is a type of its own to
// keep these methods out of the plugin's.
type kgoHooks struct{ p *Plugin }

// OnNewClient runs before the client's goroutines do.
func (h *kgoHooks) OnNewClient(cl *kgo.Client) { h.p.attach(cl) }

// OnBrokerConnect runs on the broker's own goroutine in kgo, where a request to
// that broker would wait for itself: it only passes on what it sees.
func (h *kgoHooks) OnBrokerConnect(meta kgo.BrokerMetadata, _ time.Duration, conn net.Conn, err error) {
	if err != nil {
		return
	}
	p := h.p
	if !p.conns.Connected(meta.NodeID, conn) {
		p.bypassed()
		return
	}
	if push := p.pusher(); push != nil {
		push.Connected(p.reachable(p.cfg.proto.PushConfigKey))
	}
	if dyn := p.poller(); dyn != nil {
		dyn.Connected(p.reachable(p.cfg.proto.DescribeClientConfigsKey))
	}
}

// OnClientClosed runs at the end of kgo's Close, whoever called it.
func (h *kgoHooks) OnClientClosed(cl *kgo.Client) {
	h.p.mu.Lock()
	own := cl == h.p.cl
	h.p.mu.Unlock()
	if own {
		h.p.stop()
	}
}

// ConfigSource lets pushconfig.Collect find the numbers that were read while it
// was safe.
func (h *kgoHooks) ConfigSource() *configdef.Source {
	h.p.mu.Lock()
	defer h.p.mu.Unlock()
	return h.p.source
}

// stopWait bounds how long Close waits for a hook of the application that does
// not heed the end of its context.
const stopWait = time.Second

// forgetWait bounds how long Close tries to take back the client's record.
const forgetWait = time.Second

// stop ends what the plugin does, and releases a JoinGroup that is held, before
// kgo's Close, which waits for it. It may be called more than once.
func (p *Plugin) stop() {
	p.mu.Lock()
	push, dyn := p.push, p.dyn
	p.mu.Unlock()
	var ends []<-chan struct{}
	if dyn != nil {
		dyn.Stop(cfgerrors.ErrClosed)
		ends = append(ends, dyn.Done())
	}
	if push != nil {
		push.Stop(cfgerrors.ErrClosed)
		ends = append(ends, push.Done())
	}
	p.conns.Close()
	p.stopOnce.Do(func() {
		if p.await(ends) {
			p.forget()
		}
	})
}

// await waits for goroutines to end, once: a second Close does not wait for a hook
// again. It reports whether they did.
func (p *Plugin) await(ends []<-chan struct{}) bool {
	t := time.NewTimer(stopWait)
	defer t.Stop()
	for _, end := range ends {
		select {
		case <-end:
		case <-t.C:
			p.warn("a hook still runs a second after Close ended its context")
			return false
		}
	}
	return true
}

// sender sends to one broker, without the retries that kgo has elsewhere.
func sender(cl *kgo.Client) transport.Sender {
	return func(ctx context.Context, node int32, req kmsg.Request) (kmsg.Response, error) {
		return cl.Broker(int(node)).Request(ctx, req)
	}
}

// pushOnce makes one try of a push. A record in the topics tells where the dynamic
// configs stand, so it waits for the first answer about them, or for its failure.
func (p *Plugin) pushOnce(ctx context.Context, configs []sensitive.Clean, avoid ...int32) (int32, error) {
	via := p.via(p.cfg.proto.PushConfigKey)
	if dyn := p.poller(); dyn != nil && via != p.rpc {
		wait, cancel := context.WithTimeout(ctx, defaultFirstFetch)
		defer cancel()
		select {
		case <-dyn.Ready():
		case <-wait.Done():
		}
	}
	to, err := via.Push(ctx, configs, avoid...)
	if via == p.rpc && p.gone(err) {
		to, err = p.topics.Push(ctx, configs)
	}
	if !to.Sent {
		return pushconfig.NoNode, err
	}
	return to.Node, err
}
