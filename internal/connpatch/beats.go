package connpatch

import (
	"context"
	"time"
)

// shortBeat returns the heartbeat interval of the override if it is shorter than
// the configured one, so that heartbeats have to be added, else zero.
func (m *Manager) shortBeat() time.Duration {
	ps := m.patches.Load()
	if ps == nil || ps.HeartbeatInterval == nil {
		return 0
	}
	d := time.Duration(*ps.HeartbeatInterval) * time.Millisecond
	if d >= m.group.cfg.HeartbeatInterval || m.group.cfg.SendHeartbeat == nil {
		return 0
	}
	return max(d, 0)
}

// startBeats starts the goroutine that adds heartbeats, if there are any to add
// and it does not exist, or tells it of the change. m.setting is held.
func (m *Manager) startBeats() {
	g := &m.group
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.runs:
		g.wake()
	case m.shortBeat() > 0:
		ctx, stop := context.WithCancel(context.Background())
		g.runs, g.stop = true, stop
		g.done.Go(func() {
			defer stop()
			m.addBeats(ctx)
		})
	}
}

// end ends the goroutine that adds heartbeats.
func (g *group) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stop != nil {
		g.stop()
	}
}

// addBeats adds heartbeats until the override ends.
func (m *Manager) addBeats(ctx context.Context) {
	for {
		wait, ok := m.untilBeat()
		if !ok {
			return
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-m.group.kick:
		case <-t.C:
			m.addBeat(ctx)
		}
		t.Stop()
	}
}

// idle is how long to wait where a change is what is waited for.
const idle = time.Hour

// untilBeat returns how long to wait for the next heartbeat to be added, and
// false if the goroutine is to end, which is noted.
func (m *Manager) untilBeat() (time.Duration, bool) {
	g := &m.group
	g.mu.Lock()
	defer g.mu.Unlock()
	d := m.shortBeat()
	if d == 0 {
		g.runs = false
		g.state.lastOwn = time.Time{}
		return 0, false
	}
	at, ok := g.state.extra(d)
	if !ok {
		return idle, true
	}
	return time.Until(at), true
}

// addBeat adds a heartbeat if it is still due. If it tells of a rebalance, the
// client rejoins, unless it began to do so meanwhile, or a heartbeat of kgo was
// told as well: kgo is about to join then, and would do so once more if it was
// forced between the moment at which it forgets of being forced and its JoinGroup.
// None of ours is sent after the first that is told, so a second is kgo's. Every
// other error is left to the heartbeats of kgo.
func (m *Manager) addBeat(ctx context.Context) {
	g := &m.group
	now := time.Now()
	g.mu.Lock()
	at, ok := g.state.extra(m.shortBeat())
	if !ok || at.After(now) {
		g.mu.Unlock()
		return
	}
	g.state.lastOwn = now
	seq, cfg := g.state.seq, g.cfg
	g.mu.Unlock()

	code, err := cfg.SendHeartbeat(ctx)
	if err != nil || code != codeRebalance || cfg.ForceRebalance == nil {
		return
	}
	g.mu.Lock()
	force := seq == g.state.seq && !g.state.txn && g.state.told < 2
	g.mu.Unlock()
	if force {
		cfg.ForceRebalance()
	}
}
