package connpatch

import "encoding/binary"

// cursor reads a whole frame from front to back. Once something did not fit, it
// is bad for good, and what it returns is zero.
type cursor struct {
	b   []byte
	at  int
	bad bool
}

// bodyCursor returns a cursor at the body of a request.
func bodyCursor(frame []byte, flexible bool) cursor {
	at, v := bodyOffset(frame, flexible)
	return cursor{b: frame, at: at, bad: v != found || at > len(frame)}
}

// take returns the next n bytes, nil if there are not as many.
func (c *cursor) take(n int) []byte {
	if c.bad || n < 0 || n > len(c.b)-c.at {
		c.bad = true
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

func (c *cursor) int16() int16 {
	if b := c.take(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (c *cursor) int32() int32 {
	if b := c.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

// compact reads a compact length, -1 for null.
func (c *cursor) compact() int {
	if c.bad {
		return 0
	}
	n, width, v := uvarint(c.b, c.at)
	if v != found || n > maxFrame {
		c.bad = true
		return 0
	}
	c.at += width
	return int(n) - 1
}

// length reads the length of an array or of bytes, -1 for null.
func (c *cursor) length(flexible bool) int {
	if flexible {
		return c.compact()
	}
	n := c.int32()
	if n < -1 {
		c.bad = true
	}
	return int(n)
}

// str reads a string, nil for null, and returns its bytes.
func (c *cursor) str(flexible bool) []byte {
	var n int
	if flexible {
		n = c.compact()
	} else {
		n = int(c.int16())
		c.bad = c.bad || n < -1
	}
	if n < 0 {
		return nil
	}
	return c.take(n)
}

// tags reads an empty tag section, the only one that kgo writes.
func (c *cursor) tags(flexible bool) {
	if !flexible {
		return
	}
	if b := c.take(1); len(b) > 0 && b[0] != 0 {
		c.bad = true
	}
}

// end reports whether the frame was read exactly to its end.
func (c *cursor) end() bool { return !c.bad && c.at == len(c.b) }
