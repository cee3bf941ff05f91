package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/dynconfig"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/internal/retry"
	"github.com/kcfg-go/kcfg/internal/topicstore"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// Admin describes and alters configurations: of topics, brokers, groups and client
// metrics on any Kafka and any client, and what a cluster has set for clients
// (KIP-649). Over the RPCs the latter works on a client that was made with New, or
// with the options of a Plugin, and on no other: there its calls return
// cfgerrors.ErrNotInstrumented and send nothing. Over topics it works on every
// client, whose options it takes for one of its own.
//
// It may be used from several goroutines, has none of its own, and needs no
// Close: closing the client ends its calls with cfgerrors.ErrClosed. Requests
// that got no answer are sent again, to another broker if there is one, until
// AdminTimeout; an alteration that was made twice is as good as one that was made
// once.
type Admin struct {
	cl      *kgo.Client
	plugin  *Plugin // nil if the client has none
	cfg     adminConfig
	rpc     *transport.RPC    // nil if the client has no plugin
	topics  *topicstore.Store // nil unless they were chosen
	configs *dynconfig.Admin
	warned  sync.Map // texts of warnings, if the client has no plugin
}

// AdminOption is an option of NewAdmin.
type AdminOption interface{ applyAdmin(*adminConfig) }

type adminConfig struct {
	timeout    time.Duration
	timeoutSet bool
	places     places

	enforceLimits bool
	policy        kcfg.AlterConfigPolicy // nil for none
}

type adminOption func(*adminConfig)

func (o adminOption) applyAdmin(c *adminConfig) { o(c) }

// AdminTimeout sets how long a call may take with all of its tries, overriding
// the default of the client's own default.api.timeout.ms (kgo.RetryTimeout, 30s
// unless set; 60s where that is unlimited). It must be above zero. The call's
// context may end it sooner.
func AdminTimeout(d time.Duration) AdminOption {
	return adminOption(func(c *adminConfig) { c.timeout, c.timeoutSet = d, true })
}

// NewAdmin returns an Admin that sends through a client. It sends nothing itself.
func NewAdmin(cl *kgo.Client, opts ...AdminOption) (*Admin, error) {
	if cl == nil {
		return nil, errors.New("client: NewAdmin: the client is nil")
	}
	a := &Admin{cl: cl, plugin: pluginOf(cl)}
	for i, o := range opts {
		if o == nil {
			return nil, fmt.Errorf("client: NewAdmin: option %d is nil", i)
		}
		o.applyAdmin(&a.cfg)
	}
	if a.cfg.timeoutSet && a.cfg.timeout <= 0 {
		return nil, fmt.Errorf("client: AdminTimeout(%v): must be above zero", a.cfg.timeout)
	}
	if p := a.plugin; p != nil {
		a.rpc = p.rpc // whose throttle is the client's
		a.cfg.places.inherit(p.cfg.places)
		a.cfg.enforceLimits = a.cfg.enforceLimits || p.cfg.enforceLimits
	}
	if err := a.cfg.places.check(); err != nil {
		return nil, err
	}
	if a.cfg.places.kind != TransportRPC {
		a.topics = a.newStore()
	}
	a.configs = dynconfig.NewAdmin(dynconfig.AdminTransport{Describe: a.describe, Alter: a.alterAllowed})
	return a, nil
}

// pluginOf finds the plugin of a client among its hooks. A plugin that belongs
// to another client knows nothing of this one's connections.
func pluginOf(cl *kgo.Client) *Plugin {
	hooks, _ := cl.OptValue(kgo.WithHooks).([]kgo.Hook)
	for _, hook := range hooks {
		h, ok := hook.(*kgoHooks)
		if !ok {
			continue
		}
		h.p.mu.Lock()
		own := h.p.cl == cl
		h.p.mu.Unlock()
		if own {
			return h.p
		}
	}
	return nil
}

// DescribeClientConfigs is dynconfig.Admin.Describe: what is set for the entities
// that the filter is about, sorted. It needs DescribeConfigs on the cluster.
func (a *Admin) DescribeClientConfigs(ctx context.Context, f kcfg.Filter) ([]kcfg.Described, error) {
	return a.configs.Describe(ctx, f)
}

// AlterClientConfigs is dynconfig.Admin.Alter: it makes the alterations and
// returns the outcome of each. It needs AlterConfigs on the cluster. No
// alteration at all sends nothing.
func (a *Admin) AlterClientConfigs(ctx context.Context, alterations ...kcfg.Alteration) ([]kcfg.Altered, error) {
	return a.configs.Alter(ctx, alterations...)
}

// ValidateAlterClientConfigs is AlterClientConfigs with every check of the
// cluster and no change.
func (a *Admin) ValidateAlterClientConfigs(ctx context.Context, alterations ...kcfg.Alteration) ([]kcfg.Altered, error) {
	return a.configs.ValidateAlter(ctx, alterations...)
}

func (a *Admin) describe(ctx context.Context, f kcfg.Filter) (out []kcfg.Described, err error) {
	if err := a.checkFilter(f); err != nil {
		return nil, err
	}
	err = a.call(ctx, func(p kcfg.Protocol) int16 { return p.DescribeClientConfigsKey }, func(ctx context.Context, via transport.Transport, avoid []int32) (transport.Pushed, error) {
		told, err := via.Describe(ctx, f, avoid...)
		out = told.Entries
		return told.Pushed, err
	})
	return out, err
}

// alter sends the alterations whose names can be sent. The others have their error as
// outcome.
func (a *Admin) alter(ctx context.Context, validateOnly bool, alterations ...kcfg.Alteration) ([]kcfg.Altered, error) {
	out := make([]kcfg.Altered, len(alterations))
	var good []kcfg.Alteration
	var at []int // of those in out
	for i, one := range alterations {
		out[i] = kcfg.Altered{Entity: one.Entity, Err: a.checkEntity(one.Entity)}
		if out[i].Err == nil {
			good, at = append(good, one), append(at, i)
		}
	}
	if len(good) == 0 {
		return out, nil
	}
	got, err := a.sendAlter(ctx, validateOnly, good)
	for j, i := range at {
		if got != nil {
			out[i] = got[j]
		} else { // it was never sent
			out[i].Err = err
		}
	}
	return out, err
}

func (a *Admin) sendAlter(ctx context.Context, validateOnly bool, alterations []kcfg.Alteration) (out []kcfg.Altered, err error) {
	err = a.call(ctx, func(p kcfg.Protocol) int16 { return p.AlterClientConfigsKey }, func(ctx context.Context, via transport.Transport, avoid []int32) (transport.Pushed, error) {
		got, err := via.Alter(ctx, validateOnly, alterations, avoid...)
		out = got.Altered
		return got.Pushed, err
	})
	return out, err
}

// noBrokerPause is how long to wait for a broker that is answering another
// request of this library.
const noBrokerPause = 10 * time.Millisecond

// call runs send until it did what it could: it connects first if no broker is
// known to speak the RPC, and tries again what may go better then, at a broker
// that did not fail yet if there is one.
func (a *Admin) call(ctx context.Context, keyOf func(kcfg.Protocol) int16, send attempt) error {
	if a.cfg.places.kind == TransportTopics {
		return a.overTopics(ctx, send)
	}
	if err := a.ready(); err != nil {
		return err // also with TransportAuto: what brokers speak is not known
	}
	err := a.overRPC(ctx, keyOf(a.plugin.cfg.proto), send)
	if a.topics != nil && errors.Is(err, cfgerrors.ErrUnsupported) {
		return a.overTopics(ctx, send)
	}
	return err
}

// attempt makes one try of a call, at a node that is none of avoid if it can.
type attempt func(ctx context.Context, via transport.Transport, avoid []int32) (transport.Pushed, error)

// bounded bounds a call: by AdminTimeout, and by the life of the client.
func (a *Admin) bounded(ctx context.Context) (_ context.Context, cancel func()) {
	timeout := a.cfg.timeout
	if !a.cfg.timeoutSet {
		timeout = javaAPITimeout
		if a.plugin != nil {
			timeout = duration(a.plugin.source, "default.api.timeout.ms", javaAPITimeout)
		}
	}
	ctx, stop := context.WithTimeout(ctx, timeout)
	ctx, end := context.WithCancelCause(ctx)
	detach := context.AfterFunc(a.cl.Context(), func() { end(cfgerrors.ErrClosed) })
	return ctx, func() { detach(); end(nil); stop() }
}

func (a *Admin) overRPC(ctx context.Context, key int16, send attempt) error {
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	limits := a.plugin.cfg.limits(a.plugin.source)
	way := route{cl: a.cl, conns: a.plugin.conns, key: key}
	waits := retry.NewWaits(limits.MinBackoff, limits.MaxBackoff)
	for {
		var to transport.Pushed
		err := way.find(ctx)
		if err == nil {
			to, err = send(ctx, a.rpc, way.failed)
		}
		if err != nil && to.Sent {
			way.failed = append(way.failed, to.Node)
		}
		pause := noBrokerPause
		switch {
		case err == nil:
			return nil
		case errors.Is(err, kgo.ErrClientClosed):
			return cfgerrors.ErrClosed
		case ctx.Err() != nil:
			return ended(ctx, err)
		case errors.Is(err, transport.ErrNoBroker):
		case again(err):
			pause = waits.Next()
		case !to.Sent || answered(err) || !way.open():
			return err
		}
		if !retry.Sleep(ctx, pause) {
			return ended(ctx, err)
		}
	}
}

// ended returns why the context is over, and what the last try was about.
func ended(ctx context.Context, last error) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, cfgerrors.ErrClosed):
		return cause
	case errors.Is(last, cause):
		return last
	}
	return fmt.Errorf("%w; the last try: %w", cause, last)
}

// ready returns why nothing can be sent through the client at all.
func (a *Admin) ready() error {
	p := a.plugin
	if p == nil {
		return cfgerrors.ErrNotInstrumented
	}
	if p.err != nil {
		return p.err
	}
	if own, _ := a.cl.OptValue(kgo.MaxVersions).(*kversion.Versions); own != p.versions {
		return fmt.Errorf("client: kgo.MaxVersions is among the kgo options; use client.MaxVersions instead: %w", cfgerrors.ErrUnsupported)
	}
	if a.cl.Context().Err() != nil {
		return cfgerrors.ErrClosed
	}
	return nil
}

// again reports whether the same call may go better a little later.
func again(err error) bool {
	return errors.Is(err, connpatch.ErrNotProved) || transport.Passing(err)
}

// answered reports whether a broker's answer is the error. What kgo has to say is
// about one broker, and another one may do better: kgo has, for example, no error
// that we could tell by its type for one that was downgraded.
func answered(err error) bool {
	_, refused := errors.AsType[interface {
		error
		Message() string
	}](err)
	return refused || errors.Is(err, transport.ErrBadAnswer)
}
