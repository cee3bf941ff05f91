package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/dynconfig"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

// newPoller makes the Poller of the client and connects it with the connections
// on which its overrides take effect. It runs in OnNewClient.
func (p *Plugin) newPoller(cl *kgo.Client) *dynconfig.Poller {
	poller := dynconfig.New(cl.Context(), dynconfig.Config{
		Fetch:               p.fetchOverrides,
		Apply:               func(ps connpatch.Patches) { p.conns.SetPatches(&ps) },
		Observed:            p.conns.Observe,
		Static:              p.static,
		Rejoin:              cl.ForceRebalance,
		UpdateFetchMaxBytes: p.setFetchLimits,
		Connect:             cl.Ping,
		Limits:              func() dynconfig.Limits { return p.pollLimits() },
		Rules:               p.cfg.rules,
		PollInterval:        p.interval(cl),
		RejoinDelay:         p.cfg.rejoinDelay,
		AuditOnly:           p.cfg.auditOnly,
		OnPolled:            p.onPolled,
		OnPollFailed:        p.cfg.onPollFailed,
		OnApplied:           p.onApplied,
		OnRejected:          p.onRejected,
		Log:                 p.log,
	})
	p.conns.OnObserve(poller.Changed)
	p.conns.SetGroup(connpatch.Group{
		HeartbeatInterval: optOf[time.Duration](cl, kgo.HeartbeatInterval),
		Transactional:     optOf[string](cl, kgo.TransactionalID) != "",
		SendHeartbeat:     heartbeater(cl),
		ForceRebalance:    cl.ForceRebalance,
	})
	first := defaultFirstFetch
	if p.cfg.firstFetchSet {
		first = p.cfg.firstFetch
	}
	if first > 0 && !p.cfg.auditOnly {
		p.conns.HoldJoins(poller.Ready(), first)
	}
	return poller
}

func (p *Plugin) poller() *dynconfig.Poller {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dyn
}

// fetchOverrides asks one broker what is set for this client. If that is to be
// another one than before, it may have to be met first: asking the same broker
// twice proves nothing.
func (p *Plugin) fetchOverrides(ctx context.Context, supported []string, avoid ...int32) ([]kcfg.Described, int32, error) {
	key := p.cfg.proto.DescribeClientConfigsKey
	if len(avoid) > 0 && p.via(key) == p.rpc {
		others := route{cl: p.cl, conns: p.conns, key: key, failed: avoid}
		_ = others.look(ctx) // then there is no other, and the same one is asked
	}
	told, err := p.via(key).DescribeSelf(ctx, optOf[string](p.cl, kgo.ClientID), supported, avoid...)
	if p.gone(err) {
		told, err = p.topics.DescribeSelf(ctx, optOf[string](p.cl, kgo.ClientID), supported)
	}
	if !told.Sent {
		return told.Entries, dynconfig.NoNode, err
	}
	return told.Entries, told.Node, err
}

// static tells what the client was built with.
func (p *Plugin) static() dynconfig.Static {
	cl := p.cl
	s := dynconfig.Static{
		ClientID:               optOf[string](cl, kgo.ClientID),
		Kinds:                  p.kinds(),
		Idempotent:             !optOf[bool](cl, kgo.DisableIdempotentWrite),
		Transactional:          optOf[string](cl, kgo.TransactionalID) != "",
		Group:                  optOf[string](cl, kgo.ConsumerGroup) != "",
		NewGroup:               optOf[string](cl, kgo.ShareGroup) != "",
		SessionTimeout:         optOf[time.Duration](cl, kgo.SessionTimeout),
		HeartbeatInterval:      optOf[time.Duration](cl, kgo.HeartbeatInterval),
		RebalanceTimeout:       optOf[time.Duration](cl, kgo.RebalanceTimeout),
		FetchMaxWait:           optOf[time.Duration](cl, kgo.FetchMaxWait),
		ProduceTimeout:         optOf[time.Duration](cl, kgo.ProduceRequestTimeout),
		RequestTimeoutOverhead: optOf[time.Duration](cl, kgo.RequestTimeoutOverhead),
		FetchMinBytes:          optOf[int32](cl, kgo.FetchMinBytes),
		FetchMaxBytes:          p.builtMax,
		MaxPartitionFetchBytes: p.builtPartitionMax,
		MaxReadBytes:           optOf[int32](cl, kgo.BrokerMaxReadBytes),
	}
	switch optOf[kgo.Acks](cl, kgo.RequiredAcks) {
	case kgo.AllISRAcks():
		s.Acks = dynconfig.AllAcks
	case kgo.LeaderAck():
		s.Acks = dynconfig.LeaderAck
	default:
		s.Acks = dynconfig.NoAck
	}
	for _, b := range optOf[[]kgo.GroupBalancer](cl, kgo.Balancers) {
		s.Eager = s.Eager || !b.IsCooperative()
	}
	return s
}

// optOf returns an option of a client, the zero value if a kgo that we do not
// know has it as another type.
func optOf[T any](cl *kgo.Client, opt any) T {
	var v T
	if vs := cl.OptValues(opt); len(vs) > 0 {
		v, _ = vs[0].(T)
	}
	return v
}

// setFetchLimits applies overrides of the fetch limits.
func (p *Plugin) setFetchLimits(maxBytes, maxPartitionBytes int32) {
	p.cl.UpdateFetchMaxBytes(maxBytes, maxPartitionBytes)
	p.source.SetFetchLimits(maxBytes, maxPartitionBytes)
	p.changed()
}

// onApplied pushes what is in force now, and tells the application.
func (p *Plugin) onApplied(ctx context.Context, ev kcfg.Applied) {
	p.changed()
	p.cfg.onApplied(ctx, ev)
}

// onPolled tells the application. Over topics, what was in the way of the answer
// may have been in the way of a push too, and the states of the keys are pushed.
func (p *Plugin) onPolled(ctx context.Context, ev kcfg.Polled) {
	if p.topics != nil {
		if p.topics.Skipped() > 0 {
			p.warn("the topic " + p.cfg.places.names.Dynamic + " has records that are not of its schema, which are skipped")
		}
		if push := p.pusher(); push != nil && !refusedPrincipal(push.Status().Err) {
			push.Retry()
		}
		p.changed()
	}
	p.cfg.onPolled(ctx, ev)
}

// refusedPrincipal reports whether a failure is a right that is missing. That the
// topics can be read says nothing about it.
func refusedPrincipal(err error) bool {
	_, ok := errors.AsType[*cfgerrors.AuthorizationError](err)
	return ok
}

// onRejected pushes the states of the keys, where they are pushed, and tells the
// application.
func (p *Plugin) onRejected(ctx context.Context, ev kcfg.Rejected) {
	if p.topics != nil {
		p.changed()
	}
	p.cfg.onRejected(ctx, ev)
}

func (p *Plugin) interval(cl *kgo.Client) time.Duration {
	if p.cfg.pollSet {
		return p.cfg.pollInterval
	}
	return optOf[time.Duration](cl, kgo.MetadataMaxAge)
}

func (p *Plugin) pollLimits() dynconfig.Limits {
	l := p.cfg.limits(p.source)
	return dynconfig.Limits{MinBackoff: l.MinBackoff, MaxBackoff: l.MaxBackoff, Timeout: l.Timeout}
}

// heartbeater sends a heartbeat of the client's group membership.
func heartbeater(cl *kgo.Client) func(context.Context) (int16, error) {
	return func(ctx context.Context) (int16, error) {
		req := kmsg.NewPtrHeartbeatRequest()
		req.Group = optOf[string](cl, kgo.ConsumerGroup)
		req.MemberID, req.Generation = cl.GroupMetadata()
		if id := optOf[string](cl, kgo.InstanceID); id != "" {
			req.InstanceID = &id
		}
		resp, err := req.RequestWith(ctx, cl)
		if err != nil {
			return 0, err
		}
		return resp.ErrorCode, nil
	}
}

// inForce replaces the client's own values by the overrides that are in force. A
// value that an operator set is no default.
func (p *Plugin) inForce(key, value string, isDefault bool, states []kcfg.KeyState) (string, bool) {
	for _, s := range states {
		if s.Key == key && s.State == kcfg.OverrideApplied && s.InForce != nil {
			return *s.InForce, false
		}
	}
	return value, isDefault
}

// dynamicOff returns the error of a call that needs the Poller when there is none.
func (p *Plugin) dynamicOff() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.err != nil:
		return p.err
	case p.cl == nil:
		return cfgerrors.ErrNotInstrumented
	}
	return fmt.Errorf("client: dynamic configs are off because of %s: %w", p.dynOff, cfgerrors.ErrUnsupported)
}

// RefreshConfigs is Client.RefreshConfigs for a client that was made with Opts.
func (p *Plugin) RefreshConfigs(ctx context.Context) error {
	if dyn := p.poller(); dyn != nil {
		return dyn.Refresh(ctx)
	}
	return p.dynamicOff()
}

// WaitApplied is Client.WaitApplied for a client that was made with Opts.
func (p *Plugin) WaitApplied(ctx context.Context, key string) error {
	if dyn := p.poller(); dyn != nil {
		return dyn.WaitApplied(ctx, key)
	}
	return p.dynamicOff()
}

// suspended is the reason that SuspendOverrides gives.
const suspended = "SuspendOverrides"

// SuspendOverrides is Client.SuspendOverrides for a client that was made with
// Opts.
func (p *Plugin) SuspendOverrides() {
	if dyn := p.poller(); dyn != nil {
		dyn.Suspend(suspended)
	}
}

// ResumeOverrides is Client.ResumeOverrides for a client that was made with Opts.
func (p *Plugin) ResumeOverrides() {
	if dyn := p.poller(); dyn != nil {
		dyn.Resume(suspended)
	}
}
