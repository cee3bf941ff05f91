package connpatch

import "math"

const (
	keyOffsetCommit    = 8
	keyOffsetFetch     = 9
	keyFindCoordinator = 10
)

// flexibleFrom returns the first version with the flexible encoding of a request
// whose strings are looked at, and false for any other request. Up to it, the length
// of a string is an int16, and what kmsg writes for a longer one is corrupt.
func flexibleFrom(key int16) (int16, bool) {
	switch key {
	case keyOffsetCommit:
		return 8, true
	case keyOffsetFetch:
		return 6, true
	case keyFindCoordinator:
		return 3, true
	case keyJoinGroup:
		return joinFlexible, true
	case keyHeartbeat, keyLeave, keySyncGroup:
		return 4, true
	}
	return 0, false
}

// corrupt reports whether a whole frame is a request of a group in which a string is
// too long for its length. A frame that is not longer than the longest string itself
// is none, and is not looked at.
//
// Lengths are written modulo 64 KiB, so one that is too long may come out as any
// other length. But then what follows is not where it is looked for, and the frame
// does not end with the request.
func corrupt(h header, frame []byte) bool {
	if h.size <= math.MaxInt16 {
		return false
	}
	flexible, ok := flexibleFrom(h.key)
	if !ok || h.version >= flexible {
		return false
	}
	w := corruptWalk{cursor: bodyCursor(frame, false), version: h.version}
	w.request(h.key)
	return !w.end()
}

// offsetTopic is a topic of an OffsetCommit or OffsetFetch request.
type offsetTopic struct {
	name       string
	partitions []int32
}

// meant returns the topics of a corrupt OffsetCommit or OffsetFetch request as they
// were meant: with strings of up to 64 KiB less one byte, which is what can be told
// from a corrupt length. It returns false if that does not explain the frame.
func meant(h header, frame []byte) (topics []offsetTopic, ok bool) {
	w := corruptWalk{cursor: bodyCursor(frame, false), version: h.version, meant: true}
	w.request(h.key)
	return w.topics, w.end()
}

// corruptWalk reads a request without the flexible encoding to its end.
type corruptWalk struct {
	cursor
	version int16
	meant   bool // take a negative length for one above 32,767, and keep the topics
	topics  []offsetTopic
}

// text reads a string that is not null.
func (w *corruptWalk) text() []byte {
	n := w.int16()
	if w.meant {
		return w.take(int(uint16(n)))
	}
	return w.take(int(n)) // a negative one is bad
}

// textOrNull reads a string that may be null.
func (w *corruptWalk) textOrNull() {
	n := w.int16()
	switch {
	case n == -1:
	case w.meant:
		w.take(int(uint16(n)))
	default:
		w.take(int(n))
	}
}

// each reads an array.
func (w *corruptWalk) each(item func()) {
	n := w.length(false)
	for i := 0; i < n && !w.bad; i++ {
		item()
	}
}

func (w *corruptWalk) request(key int16) {
	w.text() // the group, or the key of the coordinator
	switch key {
	case keyFindCoordinator:
		if w.version >= 1 {
			w.take(1)
		}
	case keyHeartbeat, keySyncGroup:
		w.member()
		if key == keySyncGroup {
			w.each(w.named)
		}
	case keyJoinGroup:
		w.join()
	case keyLeave:
		if w.version < 3 {
			w.text()
			return
		}
		w.each(func() { w.text(); w.textOrNull() })
	case keyOffsetCommit:
		w.commit()
	case keyOffsetFetch:
		w.each(func() { w.topic(func() {}) })
	}
}

// member reads generation, member id and instance id of a Heartbeat or SyncGroup.
func (w *corruptWalk) member() {
	w.int32()
	w.text()
	if w.version >= 3 {
		w.textOrNull()
	}
}

// named reads a name and bytes: a protocol with its metadata, or a member with its
// assignment.
func (w *corruptWalk) named() {
	w.text()
	w.take(w.length(false))
}

func (w *corruptWalk) join() {
	w.int32()
	if w.version >= joinRebalanceTimeout {
		w.int32()
	}
	w.text()
	if w.version >= 5 {
		w.textOrNull()
	}
	w.text()
	w.each(w.named)
}

func (w *corruptWalk) commit() {
	if w.version >= 1 {
		w.int32()
		w.text()
	}
	if w.version >= 7 {
		w.textOrNull()
	}
	if w.version >= 2 && w.version <= 4 {
		w.take(8)
	}
	offset := 8
	switch {
	case w.version == 1:
		offset += 8 // a timestamp
	case w.version >= 6:
		offset += 4 // a leader epoch
	}
	w.each(func() {
		w.topic(func() { w.take(offset); w.textOrNull() })
	})
}

// topic reads a topic with its partitions and what rest reads of each.
func (w *corruptWalk) topic(rest func()) {
	name := w.text()
	if w.meant {
		w.topics = append(w.topics, offsetTopic{name: string(name)})
	}
	w.each(func() {
		p := w.int32()
		if w.meant {
			t := &w.topics[len(w.topics)-1]
			t.partitions = append(t.partitions, p)
		}
		rest()
	})
}
