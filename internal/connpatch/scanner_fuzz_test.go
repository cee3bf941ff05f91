package connpatch

import (
	"encoding/binary"
	"slices"
	"testing"
)

// slowScan is what a scanner is to do, written for one look at everything that
// was written so far.
func slowScan(b []byte, corr int32) (reqs []request, strange uint64, opaque bool) {
	for len(b) >= 4 {
		size := int64(int32(binary.BigEndian.Uint32(b)))
		if size < 0 || size > 1<<30 {
			return reqs, strange + 1, true
		}
		frame, complete := b, false
		if int64(len(b)) >= 4+size {
			frame, complete = b[:4+size], true
		}
		switch {
		case size < 8:
			strange++
		case len(frame) < 12:
			return reqs, strange, false
		default:
			h := header{
				size:    int32(size),
				key:     int16(frame[4])<<8 | int16(frame[5]),
				version: int16(frame[6])<<8 | int16(frame[7]),
				corr:    int32(binary.BigEndian.Uint32(frame[8:])),
			}
			if h.key < 0 || h.version < 0 || h.version > 127 || h.corr != corr {
				strange++
				break
			}
			noAnswer, known := false, true
			if h.key == 0 {
				noAnswer, known = slowAcks(frame, h.version)
			}
			if !known && !complete && len(frame) < 128<<10 {
				return reqs, strange, false
			}
			reqs = append(reqs, request{header: h, answered: !noAnswer})
			if corr == 1<<31-1 {
				corr = -1
			}
			corr++
		}
		if !complete {
			break
		}
		b = b[len(frame):]
	}
	return reqs, strange, opaque
}

// slowAcks reports whether the acks of a Produce request are 0, and whether that
// is known. What can never be read counts as known.
func slowAcks(frame []byte, version int16) (zero, known bool) {
	b := frame[12:]
	skip := func(n int64) bool {
		if int64(len(b)) < n {
			return false
		}
		b = b[n:]
		return true
	}
	short := func() (int64, bool) { // a nullable string's length
		if len(b) < 2 {
			return 0, false
		}
		return max(0, int64(int16(binary.BigEndian.Uint16(b)))) + 2, true
	}
	n, ok := short()
	if !ok || !skip(n) {
		return false, false
	}
	if version >= 9 {
		if len(b) == 0 {
			return false, false
		}
		if b[0] != 0 {
			return false, true
		}
		b = b[1:]
		n, width := binary.Uvarint(b)
		switch {
		case width < 0 || width > 5 || n > 1<<30:
			return false, true
		case width == 0 && len(b) >= 5:
			return false, true
		case width == 0:
			return false, false
		}
		if !skip(int64(width) + max(0, int64(n)-1)) {
			return false, false
		}
	} else if version >= 3 {
		n, ok := short()
		if !ok || !skip(n) {
			return false, false
		}
	}
	if len(b) < 2 {
		return false, false
	}
	return b[0] == 0 && b[1] == 0, true
}

func FuzzScanner(f *testing.F) {
	s := saslStream(0, 3, 30)
	f.Add(s.bytes, []byte{1, 2, 3}, int32(0))
	f.Add(s.bytes[:len(s.bytes)/2], []byte{}, int32(0))
	f.Add(append(encodeKey(3, 1, 1<<31-1), encodeKey(3, 1, 0)...), []byte{200}, int32(1<<31-1))
	f.Add(append(produce(9, 0, nil, nil, 0)[:headerLen+3], 0xff, 0xff, 0xff, 0xff, 0x7f), []byte{4, 1}, int32(0))
	f.Add([]byte("HTTP/1.1 400 Bad Request"), []byte{1}, int32(0))
	f.Add(sized(append(encodeKey(3, 1, 0), make([]byte, 100)...)), []byte{13}, int32(0))
	f.Fuzz(func(t *testing.T, b, cuts []byte, corr int32) {
		sc := scanner{corr: max(0, corr)}
		var got []request
		original := slices.Clone(b)
		for rest := b; len(rest) > 0; {
			n := len(rest)
			if len(cuts) > 0 {
				n = min(n, int(cuts[0]))
				cuts = cuts[1:]
			}
			sc.write(rest[:n], func(r request) { got = append(got, r) })
			rest = rest[n:]
			if cap(sc.prefix) > 2*maxPrefix {
				t.Fatalf("%d bytes are kept", cap(sc.prefix))
			}
		}
		if !slices.Equal(b, original) {
			t.Fatal("the caller's bytes were changed")
		}
		want, strange, opaque := slowScan(b, max(0, corr))
		if !slices.Equal(got, want) || sc.strange != strange || sc.opaque != opaque {
			t.Fatalf("got %v %d %t, want %v %d %t", got, sc.strange, sc.opaque, want, strange, opaque)
		}
	})
}
