package client

import (
	"slices"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/dynconfig"
	"github.com/kcfg-go/kcfg/pushconfig"
)

// Status is Client.Status for a client that was made with Opts.
func (p *Plugin) Status() kcfg.Status {
	p.mu.Lock()
	push, off, attached := p.push, p.off, p.cl != nil
	dyn, dynOff := p.dyn, p.dynOff
	s := kcfg.Status{ClientInstanceID: p.instance, Transport: p.cfg.places.kind.String(), Warnings: slices.Clone(p.warnings)}
	p.mu.Unlock()

	if attached {
		s.Kinds = p.kinds()
	}
	s.Connections = p.connections()
	switch {
	case push != nil:
		s.Push = push.Status()
		for _, h := range push.Held() {
			s.HeldBack = append(s.HeldBack, kcfg.HeldBack{Key: h.Key, Reason: h.Reason.String()})
		}
	case attached:
		s.Push = kcfg.PushStatus{State: kcfg.PushDisabled, Reason: off, Node: pushconfig.NoNode}
	default:
		s.Push = kcfg.PushStatus{State: kcfg.PushWaiting, Node: pushconfig.NoNode}
	}
	switch {
	case dyn != nil:
		s.Dynamic = dyn.Status()
	case attached:
		s.Dynamic = kcfg.DynamicStatus{State: kcfg.DynamicDisabled, Reason: dynOff, Node: dynconfig.NoNode}
	default:
		s.Dynamic = kcfg.DynamicStatus{State: kcfg.DynamicWaiting, Node: dynconfig.NoNode}
	}
	return s
}

func (p *Plugin) connections() kcfg.ConnectionCounts {
	c := p.conns.Counts()
	return kcfg.ConnectionCounts{
		Open:      c.Open,
		Requests:  c.Requests,
		Ours:      c.Ours,
		Untracked: c.Strange + c.Unmatched + c.Opaque,
		GaveWay:   c.GaveWay,
		Refused:   c.Refused,
		Corrupt:   c.Corrupt,
	}
}
