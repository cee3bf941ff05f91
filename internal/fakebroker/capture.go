package fakebroker

import (
	"bytes"
	"io"
	"slices"
)

// captureWriter keeps what one connection reads.
type captureWriter struct {
	record *record
	number int
}

func (w captureWriter) Write(b []byte) (int, error) {
	w.record.mu.Lock()
	defer w.record.mu.Unlock()
	return w.record.captured[w.number-1].Write(b)
}

// capture returns a reader that keeps what is read.
func (r *record) capture(in io.Reader, number int) io.Reader {
	return io.TeeReader(in, captureWriter{record: r, number: number})
}

// Received returns every byte that was read from clients, as it was before TLS,
// one connection behind the other. It panics without CaptureBytes: a test that
// looks for a secret must not pass because nothing was kept.
//
// What a client sent and the cluster did not read yet is not in it: wait for
// what the client got an answer to. Passwords that PLAIN sends are in it.
func (c *Cluster) Received() []byte {
	c.mustCapture()
	c.record.mu.Lock()
	defer c.record.mu.Unlock()
	var out []byte
	for _, b := range c.record.captured {
		out = append(out, b.Bytes()...)
	}
	return out
}

// Contains reports whether a connection carried these bytes, in one piece. What
// Received says holds here too. Records that a client compressed are not looked
// into.
func (c *Cluster) Contains(b []byte) bool {
	c.mustCapture()
	c.record.mu.Lock()
	defer c.record.mu.Unlock()
	return slices.ContainsFunc(c.record.captured, func(buf *bytes.Buffer) bool {
		return bytes.Contains(buf.Bytes(), b)
	})
}

func (c *Cluster) mustCapture() {
	if !c.cfg.capture {
		panic("fakebroker: the cluster was started without CaptureBytes")
	}
}
