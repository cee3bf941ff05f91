package connpatch

// pending is the queue of requests that a broker has yet to answer, in the order
// in which they were written: brokers answer in that order.
type pending struct {
	q    []request
	head int
	ours int // how many of those that wait are ours
}

func (p *pending) len() int { return len(p.q) - p.head }

func (p *pending) push(r request) {
	if len(p.q) == cap(p.q) && p.head >= len(p.q)/2 {
		// Without this the queue of a connection that is never idle would
		// grow with every request.
		p.q, p.head = p.q[:copy(p.q, p.q[p.head:])], 0
	}
	p.q = append(p.q, r)
	if r.ours {
		p.ours++
	}
}

// answer takes the request with the given correlation id from the queue. Those
// before it will never be answered and are dropped; a correlation id that nobody
// waits for leaves the queue as it is.
func (p *pending) answer(corr int32) (r request, dropped int, ok bool) {
	for i := p.head; i < len(p.q); i++ {
		if p.q[i].corr != corr {
			continue
		}
		for _, gone := range p.q[p.head : i+1] {
			if gone.ours {
				p.ours--
			}
		}
		r, dropped = p.q[i], i-p.head
		p.head = i + 1
		return r, dropped, true
	}
	return request{}, 0, false
}

// blocked reports whether the request that the broker is to answer next is ours.
func (p *pending) blocked() bool { return p.len() > 0 && p.q[p.head].ours }

// first returns the correlation id of the request that the broker is to answer
// next. There must be one.
func (p *pending) first() int32 { return p.q[p.head].corr }

// front returns the request that is to be answered next.
func (p *pending) front() (request, bool) {
	if p.len() == 0 {
		return request{}, false
	}
	return p.q[p.head], true
}

// awaits reports whether the broker is to answer the request with the given
// correlation id.
func (p *pending) awaits(corr int32) bool {
	for _, r := range p.q[p.head:] {
		if r.corr == corr {
			return !r.local()
		}
	}
	return false
}

// owed reports whether the broker is to answer anything.
func (p *pending) owed() bool {
	for _, r := range p.q[p.head:] {
		if !r.local() {
			return true
		}
	}
	return false
}
