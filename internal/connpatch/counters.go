package connpatch

import "sync/atomic"

type counters struct {
	requests  atomic.Uint64
	ours      atomic.Uint64
	strange   atomic.Uint64
	unmatched atomic.Uint64
	opaque    atomic.Uint64
	gaveWay   atomic.Uint64
	refused   atomic.Uint64
	corrupt   atomic.Uint64
}

// Counts is what a client's connections have seen since it was made.
type Counts struct {
	Open      int    // connections that are open now
	Requests  uint64 // requests written, ours among them
	Ours      uint64 // requests of ours written
	Strange   uint64 // frames written that were no request of kgo, such as raw SASL tokens
	Unmatched uint64 // answers that were not the one expected next
	Opaque    uint64 // connections whose bytes were no frames
	GaveWay   uint64 // connections that gave way to the application
	Refused   uint64 // requests of ours held back from a broker that did not prove to mean them
	Corrupt   uint64 // requests answered here since a string in them was too long to be written
}

// Counts returns the counters.
func (m *Manager) Counts() Counts {
	m.mu.Lock()
	open := len(m.conns)
	m.mu.Unlock()
	return Counts{
		Open:      open,
		Requests:  m.counts.requests.Load(),
		Ours:      m.counts.ours.Load(),
		Strange:   m.counts.strange.Load(),
		Unmatched: m.counts.unmatched.Load(),
		Opaque:    m.counts.opaque.Load(),
		GaveWay:   m.counts.gaveWay.Load(),
		Refused:   m.counts.refused.Load(),
		Corrupt:   m.counts.corrupt.Load(),
	}
}
