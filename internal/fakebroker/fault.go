package fakebroker

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"
)

// Close is when a Fault closes the connection.
type Close int

const (
	// CloseNever leaves the connection open. It is the default.
	CloseNever Close = iota
	// CloseOnReceipt closes it instead of processing the request.
	CloseOnReceipt
	// CloseBeforeAnswer processes the request and closes the connection where
	// the answer would have been written, after Delay and Hold.
	CloseBeforeAnswer
	// CloseAfterAnswer closes it behind the answer.
	CloseAfterAnswer
)

// Fault is one step of a script: which request, and what becomes of it. What is
// set applies together, in the order of the fields.
//
// The request is processed even if its answer is delayed, damaged or withheld,
// so such a push is in Pushes. Only Drop, CloseOnReceipt and Code keep it from
// being processed.
type Fault struct {
	// Keys are the API keys that it applies to, Kafka's own included. Empty
	// means those of our RPCs.
	Keys []int16
	// Nodes are the brokers that it applies to. Empty means all.
	Nodes []int32
	// Nth makes it wait for the n-th request that it would apply to, counted
	// from 1 since the script was given. 0 means the first.
	Nth int
	// Count is how many requests it applies to from there on. 0 means one, and
	// a negative number all.
	Count int

	// Drop reads the request and forgets it. The connection goes on as if it
	// had never come.
	Drop bool
	// Code, if not 0, is answered with Message instead of processing the
	// request. With a Code the fault applies to our RPCs only; use kfake's
	// Fault for others.
	Code    int16
	Message string
	// ThrottleMillis, if not 0, is the throttle time that the answer tells.
	// With it the fault applies to our RPCs only.
	ThrottleMillis int32

	// Delay holds the answer back for a time, and Hold until the channel is
	// closed, whichever is later. The connection is muted meanwhile: nothing
	// more is read of it, so that the client's going away is not noticed
	// either. Both end with the connection or the cluster.
	Delay time.Duration
	Hold  <-chan struct{}
	// Never does not answer. The connection stays muted until it is closed
	// from this side.
	Never bool

	// WrongCorrelation inverts the answer's correlation id.
	WrongCorrelation bool
	// Garbage, if not nil, replaces all that is behind the correlation id. The
	// size of the frame fits, so it also makes a short answer.
	Garbage []byte
	// Truncate, if not 0, writes only so many bytes of the answer's frame, its
	// size of 4 bytes included, and mutes the connection, unless Close ends it.
	Truncate int

	// Close closes the connection.
	Close Close
}

// target is a request as a script sees it.
type target struct {
	node   int32
	key    int16
	ours   bool
	answer bool // it has one: all but Produce with acks 0
}

// applies reports whether f is meant for the request, Nth and Count apart.
func (f *Fault) applies(t target) bool {
	switch {
	case len(f.Nodes) > 0 && !slices.Contains(f.Nodes, t.node):
		return false
	case len(f.Keys) == 0 && !t.ours, len(f.Keys) > 0 && !slices.Contains(f.Keys, t.key):
		return false
	case !t.ours && (f.Code != 0 || f.ThrottleMillis != 0):
		return false
	}
	return t.answer || f.Drop || f.Close == CloseOnReceipt
}

// withheld reports whether the client gets no whole answer.
func (f *Fault) withheld() bool {
	return f != nil && (f.Never || f.Close == CloseBeforeAnswer || f.Truncate > 0)
}

// damage returns what is written instead of an answer. The frame itself is not
// written to: it may be kfake's.
func (f *Fault) damage(frame []byte) []byte {
	if f == nil {
		return frame
	}
	if f.Garbage != nil {
		frame = sized(append(bytes.Clone(frame[:answerHead]), f.Garbage...))
	}
	if f.WrongCorrelation {
		frame = bytes.Clone(frame)
		binary.BigEndian.PutUint32(frame[sizeLen:], ^binary.BigEndian.Uint32(frame[sizeLen:]))
	}
	if f.Truncate > 0 && f.Truncate < len(frame) {
		frame = frame[:f.Truncate]
	}
	return frame
}
