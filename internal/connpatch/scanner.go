package connpatch

import "encoding/binary"

// request is one frame that was written, as far as the connection cares.
type request struct {
	header
	answered bool   // false for a Produce with acks 0: nothing comes back
	ours     bool   // set by the connection
	deed     *deed  // the same: what its answer is for
	seq      uint64 // the same: the join that came before it
}

// local reports whether the answer is given here.
func (r request) local() bool { return r.deed != nil && r.deed.local != nil }

// scanner follows the frames of everything that is written to a connection. kgo
// writes one whole request a Write, but a net.Conn may be given any cut of its
// bytes, so the scanner keeps the start of a frame until it has read enough.
//
// It is used by one goroutine at a time, that of the writes.
type scanner struct {
	corr    int32  // the correlation id that the next request has
	skip    int    // bytes of the current frame that are yet to pass
	prefix  []byte // start of a frame whose judgement needs more bytes
	opaque  bool   // the bytes are no frames: follow them no longer
	strange uint64 // frames that were no request of kgo
}

// atStart reports whether the next byte written starts a frame.
func (s *scanner) atStart() bool { return s.skip == 0 && len(s.prefix) == 0 }

// write takes the bytes of a Write and calls emit for every request that they
// make known. A request is emitted once its first bytes tell what it is, before
// its last byte passed.
func (s *scanner) write(p []byte, emit func(request)) {
	for len(p) > 0 && !s.opaque {
		if s.skip > 0 {
			n := min(s.skip, len(p))
			s.skip -= n
			p = p[n:]
			continue
		}
		p = s.start(p, emit)
	}
}

// start judges the start of a frame and returns the bytes behind what it used.
func (s *scanner) start(p []byte, emit func(request)) []byte {
	buf, seen := p, len(s.prefix) // seen came with earlier writes
	if seen > 0 {
		s.prefix = append(s.prefix, p[:min(len(p), maxPrefix-seen)]...)
		buf = s.prefix
	}
	size, r, v := judge(buf, s.corr)
	if v == needMore && len(buf) >= maxPrefix {
		v = found // a Produce whose acks are too far away to be read
	}
	switch v {
	case needMore:
		if seen == 0 {
			s.prefix = append(s.prefix, p...)
		}
		return nil
	case malformed:
		s.strange++
		if size < 0 || size > maxFrame {
			s.opaque = true
			s.prefix = nil
			return nil
		}
	case found:
		s.corr = nextCorrelation(s.corr)
		emit(r)
	}
	s.prefix = nil
	total := int(size) + 4
	if total-seen > len(p) {
		s.skip = total - seen - len(p)
		return nil
	}
	return p[total-seen:]
}

// judge says what the start of a frame is: found with its request, malformed if
// it is no request of kgo (then only the size counts), or needMore.
func judge(b []byte, nextCorr int32) (size int32, r request, v verdict) {
	if len(b) < 4 {
		return 0, r, needMore
	}
	size = int32(binary.BigEndian.Uint32(b))
	if size < headerLen-4 || size > maxFrame {
		return size, r, malformed
	}
	if len(b) < headerLen {
		return size, r, needMore
	}
	r = request{header: parseHeader(b), answered: true}
	if !r.plausible(nextCorr) {
		return size, r, malformed
	}
	if r.key != keyProduce {
		return size, r, found
	}
	frame := b[:min(len(b), int(size)+4)]
	acks, v := produceAcks(r.version, frame)
	if v == needMore && len(frame) < int(size)+4 {
		return size, r, needMore
	}
	// Where the acks cannot be read, a response is expected: one that never
	// comes is dropped from the queue when a later one does.
	r.answered = v != found || acks != 0
	return size, r, found
}
