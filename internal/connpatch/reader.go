package connpatch

import (
	"bufio"
	"encoding/binary"
	"math"
	"time"
)

const (
	// readBuffer only has to hold the start of a frame; kgo has a buffer of
	// its own, and a client may have thousands of connections.
	readBuffer = 512

	// maxAPIVersions is the largest ApiVersions answer that is looked at.
	maxAPIVersions = 1 << 16

	sizeLen = 4
	corrLen = 4
)

// reader follows the response frames of a connection. A Read never returns
// bytes of two frames, so that at its start it is known what comes.
type reader struct {
	br     *bufio.Reader
	size   int    // of the current frame, without the bytes of the size itself
	rest   int    // bytes of the current frame that are yet to pass
	unread bool   // its correlation id was not looked at yet
	opaque bool   // the bytes are no frames: follow them no longer
	failed error  // comes behind what is left of a frame that broke off
	keep   []byte // what passed of the current frame, if it is an ApiVersions answer
	kept   request
	grab   bool

	local   []byte // what is yet to pass of an answer that is given here
	drop    int    // bytes below that belong to nobody
	careful bool   // pass nothing of the next frame before its start was judged
	change  bool   // what was learned from an answer is news
}

// dropRest throws away what belongs to nobody.
func (in *reader) dropRest() error {
	if in.drop == 0 {
		return nil
	}
	n, err := in.br.Discard(in.drop)
	in.drop -= n
	return err
}

// takeLocal copies from an answer that is given here.
func (in *reader) takeLocal(p []byte) int {
	n := copy(p, in.local)
	if in.local = in.local[n:]; len(in.local) == 0 {
		in.local = nil
	}
	return n
}

// Read reads from the connection.
func (c *Conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	in := &c.in
	if in.rest == 0 && len(in.local) == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	if len(in.local) > 0 {
		return in.takeLocal(p), nil
	}
	c.reading.Lock()
	n, err := c.read(p)
	changed := in.change
	in.change = false
	whole := in.rest == 0 && err == nil
	c.reading.Unlock()
	c.m.observed(changed)
	if whole && in.careful {
		c.watchLocals()
	}
	return n, err
}

func (c *Conn) buffer() {
	if c.in.br == nil {
		c.in.br = bufio.NewReaderSize(c.Conn, readBuffer)
	}
}

// read reads from the connection below. c.reading is held.
func (c *Conn) read(p []byte) (int, error) {
	in := &c.in
	c.buffer()
	limit, err := c.look()
	if err != nil {
		return 0, err
	}
	if len(in.local) > 0 {
		return in.takeLocal(p), nil
	}
	if in.failed != nil && in.br.Buffered() == 0 {
		err, in.failed = in.failed, nil
		return 0, err
	}
	n, err := in.br.Read(p[:min(len(p), limit)])
	if in.opaque {
		return n, err
	}
	in.rest -= n
	if in.grab {
		in.keep = append(in.keep, p[:n]...)
		if in.rest == 0 {
			c.learnFrom()
		}
	}
	return n, err
}

// look learns what comes next, without taking it, and returns how many bytes of
// it may pass. It waits for no byte that kgo would not wait for: bytes that kgo
// recognizes by their size, such as a TLS alert, may be all that ever comes.
func (c *Conn) look() (int, error) {
	in := &c.in
	for {
		if in.opaque {
			return math.MaxInt, nil
		}
		if err := in.dropRest(); err != nil {
			return 0, err
		}
		if in.rest == 0 {
			b, err := in.br.Peek(sizeLen)
			if err != nil {
				return c.partial(err)
			}
			size := int32(binary.BigEndian.Uint32(b))
			if size < 0 || size > maxFrame {
				in.opaque = true
				c.noFrames()
				return math.MaxInt, nil
			}
			in.size, in.rest, in.unread = int(size), sizeLen+int(size), size >= corrLen
		}
		if !in.unread {
			return in.rest, nil
		}
		before := in.rest - in.size // bytes of the size
		if before > 0 && in.br.Buffered() < before+corrLen && !in.careful {
			return before, nil
		}
		b, err := in.br.Peek(before + corrLen)
		if err != nil {
			return c.partial(err)
		}
		corr := int32(binary.BigEndian.Uint32(b[before:]))
		if before == sizeLen && c.stray(corr) {
			in.drop, in.rest, in.unread = in.rest, 0, false
			continue
		}
		in.unread = false
		r, ok := c.answered(corr)
		if !ok {
			return in.rest, nil
		}
		if r.key == keyAPIVersions && in.size <= maxAPIVersions {
			in.grab, in.kept = true, r
		}
		if r.deed != nil || r.seq > 0 {
			return c.learnGroup(r, before)
		}
		return in.rest, nil
	}
}

// learnGroup learns from the start of an answer that the group membership hangs
// on. before is how many bytes of the size are yet to pass. An answer that kgo is
// not to see is replaced.
func (c *Conn) learnGroup(r request, before int) (int, error) {
	in := &c.in
	at, ok := codeOffset(r.key, r.version)
	if !ok || r.key == keyJoinGroup && r.deed == nil {
		return in.rest, nil
	}
	at -= sizeLen - before
	need := at + 2
	if r.key == keyJoinGroup {
		need += 4 // the generation
	}
	if need > in.rest {
		return in.rest, nil
	}
	b, err := in.br.Peek(need)
	if err != nil {
		return c.partial(err)
	}
	code := int16(binary.BigEndian.Uint16(b[at:]))
	if r.key != keyJoinGroup {
		c.m.groupAnswered(r.key, r.seq, code, time.Now())
		return in.rest, nil
	}
	again, changed := c.m.joinAnswered(r.seq, r.deed, code, int32(binary.BigEndian.Uint32(b[at+2:])))
	in.change = in.change || changed
	if again && before == sizeLen {
		in.drop, in.rest = in.rest, 0
		in.local = memberIDRequired(r.version, r.corr, r.deed.member)
		return 0, nil
	}
	return in.rest, nil
}

// partial is what to do when the connection ends in the middle of the start of a
// frame: what there is of it still passes, so that kgo sees the same bytes and
// then the same error as without us. The error is kept, since another Read below
// might give another one: after a reset, a socket gives io.EOF.
func (c *Conn) partial(err error) (int, error) {
	if c.in.br.Buffered() == 0 {
		return 0, err
	}
	c.in.opaque, c.in.failed = true, err
	return math.MaxInt, nil
}

// learnFrom reads a complete ApiVersions answer. Its header is that of version 0
// in every version: no tags.
func (c *Conn) learnFrom() {
	in := &c.in
	body := in.keep[len(in.keep)-(in.size-corrLen):]
	if s, ok := learn(c.m.proto, in.kept.version, body); ok {
		c.learned(s)
	}
	in.grab, in.keep = false, nil
}
