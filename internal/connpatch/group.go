package connpatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Group is what there is to know about a client for its group membership.
type Group struct {
	// HeartbeatInterval is the configured one. Without it heartbeats are left
	// alone.
	HeartbeatInterval time.Duration
	// Transactional clients have all of their heartbeats reach the broker.
	Transactional bool
	// SendHeartbeat sends a heartbeat through the client and returns the error
	// code of the answer. It is called from one goroutine, and only while the
	// heartbeat interval is overridden by a shorter one.
	SendHeartbeat func(context.Context) (code int16, err error)
	// ForceRebalance makes the client rejoin.
	ForceRebalance func()
}

// group is the group membership of a client.
type group struct {
	mu    sync.Mutex
	cfg   Group
	state groupState
	kick  chan struct{} // tells the goroutine with heartbeats of ours of a change
	runs  bool          // it exists
	stop  func()        // ends it
	inTxn atomic.Bool   // state.txn is set
	done  sync.WaitGroup
}

// SetGroup tells what there is to know about the client's group membership. It
// is called before the client sends anything.
func (m *Manager) SetGroup(cfg Group) {
	g := &m.group
	g.mu.Lock()
	g.cfg = cfg
	g.state.txn = g.state.txn || cfg.Transactional
	g.mu.Unlock()
}

// sawTxn notes that the client uses transactions.
func (m *Manager) sawTxn() {
	g := &m.group
	if g.inTxn.Swap(true) {
		return
	}
	g.mu.Lock()
	g.state.txn = true
	g.mu.Unlock()
}

func (g *group) wake() {
	select {
	case g.kick <- struct{}{}:
	default:
	}
}

// noteGroup notes a request that is written, as far as it tells about the group
// membership, and returns the tag for its answer. join is nil if it is no
// JoinGroup, or one that was not read.
func (m *Manager) noteGroup(h header, kind traffic, join *joinFields) (seq uint64, changed bool) {
	if kind&(trafficGroup|trafficTxn) == 0 {
		return 0, false
	}
	g := &m.group
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.state
	switch {
	case kind&trafficTxn != 0:
		s.txn = true
	case h.key == keyJoinGroup:
		s.wroteJoin(join != nil, join != nil && join.member == "")
		changed = m.seen.member(true)
	case h.key == keySyncGroup && h.version > newestSyncGroup:
		if ps := m.patches.Load(); ps != nil && ps.HeartbeatInterval != nil {
			changed = m.seen.isNewer(h.key, h.version)
		}
	case h.key == keyLeave:
		s.left(true)
	case h.key == keyNewGroup, h.key == keyShare:
		s.left(false)
		changed = m.seen.member(false)
	}
	return s.seq, changed
}

// beat decides what becomes of a heartbeat.
func (m *Manager) beat(now time.Time) (p beatPlan, seq uint64, wanted *int32) {
	g := &m.group
	ps := m.patches.Load()
	g.mu.Lock()
	defer g.mu.Unlock()
	var d time.Duration
	if ps != nil && ps.HeartbeatInterval != nil {
		wanted = ps.HeartbeatInterval
		d = time.Duration(*wanted) * time.Millisecond
	}
	return g.state.beat(now, g.cfg.HeartbeatInterval, d), g.state.seq, wanted
}

// session returns the session timeout with which to join.
func (m *Manager) session(configured int32) int32 {
	ps := m.patches.Load()
	if ps == nil {
		return configured
	}
	g := &m.group
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.session(configured, ps.SessionTimeout)
}

// joinAnswered notes the answer to a JoinGroup request. It reports whether the
// client is to join again because of it, and whether it is news.
func (m *Manager) joinAnswered(seq uint64, d *deed, code int16, generation int32) (again, changed bool) {
	g := &m.group
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case code == 0:
		if g.state.joinAnswered(seq, generation, d.session) {
			m.seen.joined(d.session)
			return false, true
		}
	case code == codeInvalidSession && d.patched:
		changed = g.state.refuse(d.session)
		if changed {
			m.seen.refuse(g.state.refused)
		}
		return true, changed
	}
	return false, false
}

// groupAnswered notes the answer to a SyncGroup or Heartbeat request.
func (m *Manager) groupAnswered(key int16, seq uint64, code int16, now time.Time) {
	g := &m.group
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case key == keySyncGroup && code == 0:
		g.state.synced(seq, now)
		g.wake()
	case key == keyHeartbeat && code != 0:
		g.state.beatFailed(seq, code)
	}
}

// forgive forgets what was refused.
func (g *group) forgive(m *Manager) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.state.refused) == 0 {
		return false
	}
	g.state.refused = nil
	m.seen.refuse(nil)
	return true
}

func sameValue[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// patchedSession returns the session timeout of patches, which may be nil.
func patchedSession(ps *Patches) *int32 {
	if ps == nil {
		return nil
	}
	return ps.SessionTimeout
}
