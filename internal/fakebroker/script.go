package fakebroker

import (
	"slices"
	"sync"
)

// script is the queue of faults that are still to come.
type script struct {
	mu     sync.Mutex
	faults []*scripted
}

type scripted struct {
	Fault
	seen int // requests that it applied to, those before Nth included
	used int
}

// Script adds faults to the script. Each request is compared with them in the
// order in which they were given, and the first that takes it is the only one
// to see the requests that it takes.
func (c *Cluster) Script(faults ...Fault) {
	c.script.mu.Lock()
	defer c.script.mu.Unlock()
	for _, f := range faults {
		f.Keys, f.Nodes, f.Garbage = slices.Clone(f.Keys), slices.Clone(f.Nodes), slices.Clone(f.Garbage)
		c.script.faults = append(c.script.faults, &scripted{Fault: f})
	}
}

// ClearScript forgets the faults that are still to come, and returns how many
// they were. Answers that are being held back stay so.
func (c *Cluster) ClearScript() int {
	c.script.mu.Lock()
	defer c.script.mu.Unlock()
	n := len(c.script.faults)
	c.script.faults = nil
	return n
}

// take returns the fault of a request, or nil.
func (s *script) take(t target) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if !f.applies(t) {
			continue
		}
		f.seen++
		if f.seen < f.Nth {
			continue
		}
		f.used++
		if f.Count >= 0 && f.used >= f.Count {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return &f.Fault
	}
	return nil
}
