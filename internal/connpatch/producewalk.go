package connpatch

import "encoding/binary"

// produceFields is what is patched in, and known of, a Produce request.
type produceFields struct {
	acks      int16
	acksAt    int
	timeout   int32
	timeoutAt int
	txn       bool // it has a transactional id
}

// findProduce finds the fields in a whole frame of a version up to newestProduce.
func findProduce(version int16, frame []byte) (f produceFields, ok bool) {
	flexible := version >= produceFlexible
	c := bodyCursor(frame, flexible)
	if version >= produceTxn {
		f.txn = c.str(flexible) != nil
	}
	f.acksAt = c.at
	f.acks = c.int16()
	f.timeoutAt = c.at
	f.timeout = c.int32()
	return f, !c.bad
}

const (
	batchMagic      = 16 // offset of the magic byte in a record batch
	batchProducerID = 43 // offset of the producer id
	batchHeader     = 61

	produceUUID     = 13 // first version with topic ids
	produceThrottle = 1
	produceAppend   = 2 // log append time in the answer
	produceStart    = 5 // log start offset in the answer
	produceErrors   = 8 // errors by record in the answer
)

// plainBatch reports whether the acks of a request with these records may be
// changed: its batch is of the newest format and of no idempotent producer, to
// which a batch without an answer would be a hole in its sequence.
func plainBatch(records []byte) bool {
	return len(records) >= batchHeader && records[batchMagic] >= 2 &&
		int64(binary.BigEndian.Uint64(records[batchProducerID:])) < 0
}

// walkProduce reads a Produce request from the acks to its end, which must be
// that of the frame, and reports whether its acks may be changed. With answer
// set, it returns what a broker would say that took everything, with -1 for
// offsets that nobody knows; records that are null, as kgo writes them for a
// batch that it is giving up, get an error that kgo retries or skips.
func walkProduce(version int16, frame []byte, answer bool) (resp []byte, ok bool) {
	f, ok := findProduce(version, frame)
	if !ok || f.txn {
		return nil, false
	}
	w := produceWalk{
		cursor:  cursor{b: frame, at: f.timeoutAt + 4},
		version: version, flexible: version >= produceFlexible, answer: answer,
	}
	if answer {
		w.resp = binary.BigEndian.AppendUint32(make([]byte, 4, 128), binary.BigEndian.Uint32(frame[8:]))
		w.emptyTags()
	}
	start := w.at
	topics := w.length(w.flexible)
	w.copyFrom(start)
	for i := 0; i < topics && !w.bad; i++ {
		w.topic()
	}
	w.tags(w.flexible)
	if !w.end() || w.barred || topics < 0 {
		return nil, false
	}
	if !answer {
		return nil, true
	}
	if version >= produceThrottle {
		w.resp = binary.BigEndian.AppendUint32(w.resp, 0)
	}
	w.emptyTags()
	binary.BigEndian.PutUint32(w.resp, uint32(len(w.resp)-4))
	return w.resp, true
}

type produceWalk struct {
	cursor
	version  int16
	flexible bool
	barred   bool // a batch forbids that acks are changed
	answer   bool
	resp     []byte
}

func (w *produceWalk) topic() {
	start := w.at
	if w.version >= produceUUID {
		w.take(16)
	} else {
		w.str(w.flexible)
	}
	partitions := w.length(w.flexible)
	w.copyFrom(start)
	for i := 0; i < partitions && !w.bad; i++ {
		w.partition()
	}
	w.tags(w.flexible)
	w.emptyTags()
}

func (w *produceWalk) partition() {
	start := w.at
	w.int32()
	w.copyFrom(start)
	n := w.length(w.flexible)
	null := n < 0
	if !null {
		records := w.take(n)
		w.barred = w.barred || !plainBatch(records)
	}
	w.tags(w.flexible)
	if w.answer {
		w.answerPartition(null)
	}
}

func (w *produceWalk) answerPartition(null bool) {
	var code uint16
	if null {
		code = codeNotLeader
	}
	b := binary.BigEndian.AppendUint16(w.resp, code)
	b = append(b, "\xff\xff\xff\xff\xff\xff\xff\xff"...) // base offset
	if w.version >= produceAppend {
		b = append(b, "\xff\xff\xff\xff\xff\xff\xff\xff"...)
	}
	if w.version >= produceStart {
		b = append(b, "\xff\xff\xff\xff\xff\xff\xff\xff"...)
	}
	switch {
	case w.flexible:
		b = append(b, 1, 0) // no errors by record, no message
	case w.version >= produceErrors:
		b = append(b, 0, 0, 0, 0, 0xff, 0xff)
	}
	w.resp = b
	w.emptyTags()
}

// copyFrom copies what was read since start into the answer: topics, partitions
// and their numbers are written there as they are in the request.
func (w *produceWalk) copyFrom(start int) {
	if w.answer && !w.bad {
		w.resp = append(w.resp, w.b[start:w.at]...)
	}
}

func (w *produceWalk) emptyTags() {
	if w.answer && w.flexible {
		w.resp = append(w.resp, 0)
	}
}
