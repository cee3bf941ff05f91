package connpatch

import "encoding/binary"

const (
	// maxFrame is the largest frame size that is taken for one, and the
	// largest that kgo can be told to accept. Above it the bytes are something
	// else, such as HTTP, which kgo diagnoses.
	maxFrame = 1 << 30

	// maxVersion is above every version of every request. Raw SASL tokens are
	// told from requests by it, besides the correlation id.
	maxVersion = 127

	// maxPrefix is the longest start of a request that can hold all that is
	// read of it: header, client id and transactional id of 32,767 bytes
	// each, and the acks behind them.
	maxPrefix = 1 << 17
)

// header is the start of a request frame.
type header struct {
	size    int32 // of the frame, without the four bytes of the size itself
	key     int16
	version int16
	corr    int32
}

const headerLen = 12

// parseHeader reads a header from the first headerLen bytes of a frame.
func parseHeader(b []byte) header {
	return header{
		size:    int32(binary.BigEndian.Uint32(b)),
		key:     int16(binary.BigEndian.Uint16(b[4:])),
		version: int16(binary.BigEndian.Uint16(b[6:])),
		corr:    int32(binary.BigEndian.Uint32(b[8:])),
	}
}

// plausible reports whether h can be the request that kgo would write next on a
// connection. kgo numbers its requests one by one from zero, so a frame with
// another correlation id is none of its requests.
func (h header) plausible(nextCorr int32) bool {
	return h.size >= headerLen-4 && h.size <= maxFrame &&
		h.key >= 0 && h.version >= 0 && h.version <= maxVersion && h.corr == nextCorr
}

// nextCorrelation is how kgo counts on.
func nextCorrelation(corr int32) int32 {
	if corr++; corr < 0 {
		return 0
	}
	return corr
}

const (
	keyProduce      = 0
	keySaslHandshk  = 17
	keyAPIVersions  = 18
	keySaslAuthenti = 36

	// produceFlexible is the first version of Produce with the flexible
	// encoding, produceTxn the first with a transactional id before the acks.
	produceFlexible = 9
	produceTxn      = 3

	// newestProduce is the newest version of Produce that was looked at. A
	// test fails when kmsg knows a newer one.
	newestProduce = 13
)

// verdict is what produceAcks can say about the start of a frame.
type verdict int8

const (
	needMore verdict = iota // the acks lie behind the given bytes
	found
	malformed
)

// produceAcks finds the acks of a Produce request in the start of its frame. A
// request with acks 0 has no response, and so must not wait for one. A version
// above newestProduce is read as that one: if it differs, it does not do so
// before the acks, as no version since produceFlexible did.
func produceAcks(version int16, frame []byte) (int16, verdict) {
	at, v := bodyOffset(frame, version >= produceFlexible)
	if v != found {
		return 0, v
	}
	switch {
	case version >= produceFlexible:
		n, width, v := uvarint(frame, at)
		if v != found {
			return 0, v
		}
		if n > maxFrame {
			return 0, malformed
		}
		at += width
		if n > 0 { // 0 is null, else length plus one
			at += int(n) - 1
		}
	case version >= produceTxn:
		if len(frame) < at+2 {
			return 0, needMore
		}
		if n := int16(binary.BigEndian.Uint16(frame[at:])); n > 0 {
			at += int(n)
		}
		at += 2
	}
	if len(frame) < at+2 {
		return 0, needMore
	}
	return int16(binary.BigEndian.Uint16(frame[at:])), found
}

// bodyOffset returns where the body of a request starts in its frame: behind
// the client id, which is never compact, and an empty tag section if the request
// is flexible. Tags in the header are none that kgo writes.
func bodyOffset(frame []byte, flexible bool) (int, verdict) {
	const clientID = headerLen
	if len(frame) < clientID+2 {
		return 0, needMore
	}
	at := clientID + 2
	if n := int16(binary.BigEndian.Uint16(frame[clientID:])); n > 0 {
		at += int(n)
	}
	if flexible {
		if len(frame) <= at {
			return 0, needMore
		}
		if frame[at] != 0 {
			return 0, malformed
		}
		at++
	}
	return at, found
}

// uvarint reads an unsigned varint of at most 32 bits at an offset.
func uvarint(b []byte, at int) (n uint32, width int, v verdict) {
	for width < 5 {
		if at+width >= len(b) {
			return 0, 0, needMore
		}
		c := b[at+width]
		if width == 4 && c > 0x0f {
			break // more than 32 bits
		}
		n |= uint32(c&0x7f) << (7 * width)
		width++
		if c < 0x80 {
			return n, width, found
		}
	}
	return 0, 0, malformed
}
