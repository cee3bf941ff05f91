package fakebroker

import (
	"bytes"
	"sync"
)

// record is what happened. Who waits for it gets a channel that is closed by the
// next change.
type record struct {
	mu       sync.Mutex
	changed  chan struct{}
	requests []*Request
	pushes   []Push
	nodes    []traffic
	captured []*bytes.Buffer // by connection number, less one
}

// update runs fn with the record locked and wakes all who wait.
func (r *record) update(fn func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fn()
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// next returns a channel that the next change closes.
func (r *record) next() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return r.changed
}

// connection counts a connection and returns its number.
func (r *record) connection(node int32) (number int) {
	r.update(func() {
		r.nodes[node].connections++
		r.captured = append(r.captured, new(bytes.Buffer))
		number = len(r.captured)
	})
	return number
}

func (r *record) count(node int32, key int16) {
	r.update(func() { r.nodes[node].requests[key]++ })
}

func (r *record) ack(node int32, acks int16) {
	r.update(func() { r.nodes[node].acks[acks]++ })
}

func (r *record) request(req *Request) {
	r.update(func() { r.requests = append(r.requests, req) })
}

func (r *record) answer(req *Request, a Answer) {
	r.update(func() { req.Answer = a })
}

func (r *record) outcome(req *Request, o Outcome) {
	r.update(func() { req.Answer.Outcome = o })
}

func (r *record) push(p Push) {
	r.update(func() { r.pushes = append(r.pushes, p) })
}
