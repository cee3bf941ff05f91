package connpatch

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// optional is an int32 that may be unset.
type optional struct{ v atomic.Int64 }

const isSet = 1 << 32

// set sets the value and reports whether it is another one.
func (o *optional) set(v int32) bool {
	n := isSet | int64(uint32(v))
	return o.v.Load() != n && o.v.Swap(n) != n
}

func (o *optional) unset() bool { return o.v.Load() != 0 && o.v.Swap(0) != 0 }

func (o *optional) get() *int32 {
	n := o.v.Load()
	if n == 0 {
		return nil
	}
	return new(int32(uint32(n)))
}

// seen collects what Observed tells.
type seen struct {
	acks, produceTimeout   optional
	fetchWait, fetchMin    optional
	heartbeat              optional
	classicGroup, newGroup atomic.Bool

	mu         sync.Mutex
	session    *int32
	joins      uint64
	refusedSet []int32
	newer      map[int16]int16
}

// member notes by which protocol the client is a member.
func (s *seen) member(classic bool) bool {
	b := &s.newGroup
	if classic {
		b = &s.classicGroup
	}
	return !b.Load() && b.CompareAndSwap(false, true)
}

func (s *seen) joined(session int32) {
	s.mu.Lock()
	s.session = &session
	s.joins++
	s.mu.Unlock()
}

func (s *seen) refuse(sessions []int32) {
	s.mu.Lock()
	s.refusedSet = slices.Clone(sessions)
	s.mu.Unlock()
}

// isNewer notes a request that is newer than what we know.
func (s *seen) isNewer(key, version int16) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.newer[key]; ok && v == version {
		return false
	}
	if s.newer == nil {
		s.newer = make(map[int16]int16)
	}
	s.newer[key] = version
	return true
}

// pace notes the interval at which a heartbeat left, nil if it was kgo's own.
func (s *seen) pace(interval *int32) bool {
	if interval == nil {
		return s.heartbeat.unset()
	}
	return s.heartbeat.set(*interval)
}

// Observe returns what was observed so far.
func (m *Manager) Observe() Observed {
	s := &m.seen
	o := Observed{
		FetchMaxWait:      s.fetchWait.get(),
		FetchMinBytes:     s.fetchMin.get(),
		ProduceTimeout:    s.produceTimeout.get(),
		HeartbeatInterval: s.heartbeat.get(),
		ClassicGroup:      s.classicGroup.Load(),
		NewGroup:          s.newGroup.Load(),
	}
	if a := s.acks.get(); a != nil {
		o.Acks = new(int16(*a))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		o.SessionTimeout = new(*s.session)
	}
	o.Joins = s.joins
	o.Refused = slices.Clone(s.refusedSet)
	o.Newer = maps.Clone(s.newer)
	return o
}

// OnObserve sets what is called when an observation changes. It is called from
// the goroutines of the client, with no lock held, and must not block.
func (m *Manager) OnObserve(f func()) { m.onObserve.Store(&f) }

func (m *Manager) observed(changed bool) {
	if !changed {
		return
	}
	if f := m.onObserve.Load(); f != nil && *f != nil {
		(*f)()
	}
}
