package connpatch

import (
	"encoding/binary"
	"time"
)

// deed is what a connection has to remember of a request until its answer.
type deed struct {
	local []byte // the answer, if it is given here: the broker gives none

	// Of a JoinGroup request, as it was sent:
	session int32 // 0 if it was not looked at
	patched bool  // the session timeout is not what kgo asked for
	member  string
}

// edit is a number to be put into a frame.
type edit struct {
	at    int
	width int8
	value int32
}

func (e edit) apply(frame []byte) {
	if e.width == 2 {
		binary.BigEndian.PutUint16(frame[e.at:], uint16(e.value))
		return
	}
	binary.BigEndian.PutUint32(frame[e.at:], uint32(e.value))
}

// plan is what becomes of one Write.
type plan struct {
	made   bool // it was made for a whole frame: nothing is left to be noted
	keep   bool // nothing is written now: it was answered here, or is held
	held   *heldJoin
	deed   *deed
	seq    uint64
	edits  [2]edit
	n      int
	change bool // what the plan itself has changed is news

	corrupt bool // a string is too long for its length: answered here

	// What the frame carries, for Observed, once it was written.
	key   int16
	known bool
	vals  [2]int32
}

// add adds an edit, unless it is none or too far behind to be made.
func (p *plan) add(at int, width int8, was, value int32) bool {
	if was == value || at+int(width) > maxScratch {
		return false
	}
	p.edits[p.n] = edit{at, width, value}
	p.n++
	return true
}

// makePlan decides what becomes of the bytes of a Write. Only one whole frame is
// ever patched, and kgo writes nothing else; other cuts pass.
func (c *Conn) makePlan(b []byte) {
	p := &c.plan
	*p = plan{}
	if len(b) < headerLen || c.out.opaque || !c.out.atStart() {
		return
	}
	h := parseHeader(b)
	if !h.plausible(c.out.corr) || int(h.size)+sizeLen != len(b) {
		return
	}
	p.key = h.key
	if c.planCorrupt(h, b) {
		return
	}
	switch h.key {
	case keyProduce:
		c.planProduce(h, b)
	case keyFetch:
		c.planFetch(h, b)
	case keyJoinGroup:
		c.planJoin(h, b)
	case keyHeartbeat:
		c.planHeartbeat(h)
	}
}

func (c *Conn) planProduce(h header, b []byte) {
	p, ps := &c.plan, c.m.patches.Load()
	if h.version > newestProduce {
		if ps != nil && (ps.Acks != nil || ps.ProduceTimeout != nil) {
			p.change = c.m.seen.isNewer(h.key, h.version)
		}
		return
	}
	f, ok := findProduce(h.version, b)
	if !ok {
		return
	}
	p.known, p.vals = true, [2]int32{int32(f.acks), f.timeout}
	if f.txn {
		c.m.sawTxn()
	}
	if ps == nil {
		return
	}
	if t := ps.ProduceTimeout; t != nil && p.add(f.timeoutAt, 4, f.timeout, *t) {
		p.vals[1] = *t
	}
	if ps.Acks == nil || f.txn || f.acks != 1 && f.acks != -1 {
		return // acks 0 is never touched: kgo waits for no answer
	}
	to := *ps.Acks
	if to < -1 || to > 1 || to == f.acks || f.acksAt+2 > maxScratch {
		return
	}
	resp, ok := walkProduce(h.version, b, to == 0)
	if !ok {
		return
	}
	p.add(f.acksAt, 2, int32(f.acks), int32(to))
	p.vals[0] = int32(to)
	if to == 0 {
		p.deed = &deed{local: resp}
	}
}

func (c *Conn) planFetch(h header, b []byte) {
	p, ps := &c.plan, c.m.patches.Load()
	if h.version > newestFetch {
		if ps != nil && (ps.FetchMaxWait != nil || ps.FetchMinBytes != nil) {
			p.change = c.m.seen.isNewer(h.key, h.version)
		}
		return
	}
	f, ok := findFetch(h.version, b)
	if !ok {
		return
	}
	p.known, p.vals = true, [2]int32{f.maxWait, f.minBytes}
	if ps == nil {
		return
	}
	if v := ps.FetchMaxWait; v != nil && p.add(f.maxWaitAt, 4, f.maxWait, *v) {
		p.vals[0] = *v
	}
	if v := ps.FetchMinBytes; v != nil && p.add(f.minBytesAt, 4, f.minBytes, *v) {
		p.vals[1] = *v
	}
}

func (c *Conn) planJoin(h header, b []byte) {
	p := &c.plan
	if h.version > newestJoinGroup {
		if ps := c.m.patches.Load(); ps != nil && (ps.SessionTimeout != nil || ps.HeartbeatInterval != nil) {
			p.change = c.m.seen.isNewer(h.key, h.version)
		}
		return
	}
	f, ok := findJoin(h.version, b)
	if !ok {
		return
	}
	d := new(deed)
	p.made, p.deed = true, d
	p.seq, p.change = c.m.noteGroup(h, trafficGroup, &f)
	if hold := c.m.holding(); hold != nil {
		p.keep, p.held = true, newHeldJoin(b, d, hold)
		return
	}
	if e, ok := d.join(f, c.m.session(f.session)); ok {
		p.add(e.at, e.width, f.session, e.value)
	}
}

// join notes how a JoinGroup request is sent and returns the edit for it.
func (d *deed) join(f joinFields, session int32) (edit, bool) {
	d.session, d.member = f.session, f.member
	if session == f.session || f.sessionAt+4 > maxScratch {
		return edit{}, false
	}
	d.session, d.patched = session, true
	return edit{f.sessionAt, 4, session}, true
}

func (c *Conn) planHeartbeat(h header) {
	p := &c.plan
	if h.version > newestHeartbeat {
		if ps := c.m.patches.Load(); ps != nil && ps.HeartbeatInterval != nil {
			p.change = c.m.seen.isNewer(h.key, h.version)
		}
		return
	}
	b, seq, wanted := c.m.beat(time.Now())
	p.made, p.seq = true, seq
	switch {
	case b.swallow:
		p.keep, p.deed = true, &deed{local: heartbeatAnswer(h.version, h.corr)}
	case b.apart:
	case b.paced:
		p.change = c.m.seen.pace(wanted)
	default:
		p.change = c.m.seen.pace(nil)
	}
}

// left notes what the frame of a plan carried, now that it was written.
func (s *seen) left(p *plan) bool {
	if !p.known {
		return p.change
	}
	a, b := &s.acks, &s.produceTimeout
	if p.key == keyFetch {
		a, b = &s.fetchWait, &s.fetchMin
	}
	first, second := a.set(p.vals[0]), b.set(p.vals[1])
	return first || second || p.change
}
