package dynconfig

import (
	"context"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// review looks at the situation and does what it asks for. It returns when to
// look again, and whether a value waits to come into force, or somebody for one.
func (p *Poller) review(ctx context.Context) (until time.Time, pending bool) {
	obs := p.cfg.Observed()
	s := p.cfg.Static()
	s.NewGroup = s.NewGroup || obs.NewGroup && !obs.ClassicGroup

	p.mu.Lock()
	do := p.wishes.look(s, obs, settings{
		rules: p.cfg.Rules, auditOnly: p.cfg.AuditOnly, suspended: strings.Join(p.suspend, "; "),
		delay: p.cfg.RejoinDelay, interval: p.cfg.PollInterval,
	}, time.Now())
	do.force = do.force && p.cfg.Rejoin != nil
	p.status.Keys = do.states
	if do.force {
		p.status.Rejoins++
	}
	p.mu.Unlock()

	if do.patches != nil {
		p.cfg.Apply(*do.patches)
	}
	if do.bytes != nil && p.cfg.UpdateFetchMaxBytes != nil {
		p.cfg.UpdateFetchMaxBytes(do.bytes.all, do.bytes.partition)
	}
	if do.force {
		p.cfg.Rejoin()
	}
	p.report(ctx, do)
	waits := p.release()
	return do.until, do.isPending && !p.cfg.AuditOnly || waits
}

// report logs what changed and calls the hooks.
func (p *Poller) report(ctx context.Context, do todo) {
	changed := "kcfg: a dynamic config changed"
	if p.cfg.AuditOnly {
		changed = "kcfg: a dynamic config would change (AuditOnly)"
	}
	for _, c := range do.changes {
		p.log(kgo.LogLevelInfo, changed, "key", c.key, "old", c.old, "new", c.value, "source", c.source)
	}
	if do.force {
		p.log(kgo.LogLevelInfo, "kcfg: joining the group again for a changed session.timeout.ms")
	}
	for _, r := range do.rejected {
		p.log(logLevelOf(r.State), "kcfg: an override is not used", "key", r.Key, "state", r.State, "reason", r.Reason)
		if p.cfg.OnRejected != nil {
			p.cfg.OnRejected(ctx, r)
		}
	}
	for _, a := range do.applied {
		if p.cfg.OnApplied != nil {
			p.cfg.OnApplied(ctx, a)
		}
	}
}
