package fakebroker

import (
	"encoding/binary"
	"errors"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The API keys of Kafka's own that the tap looks into.
const (
	keyProduce          int16 = 0
	keySASLHandshake    int16 = 17
	keyAPIVersions      int16 = 18
	keySASLAuthenticate int16 = 36
)

const (
	sizeLen    = 4         // the size in front of every frame
	headLen    = 8         // API key, version, correlation id: what every request begins with
	maxRequest = 100 << 20 // Kafka's default of socket.request.max.bytes
)

var errMalformed = errors.New("fakebroker: malformed request")

// frameHead is the fixed part of a request frame.
type frameHead struct {
	size        int // of the frame, without the size itself
	key         int16
	version     int16
	correlation int32
}

// frameSize reads the size of a request frame. An impossible one is an error:
// kfake would allocate it before it reads.
func frameSize(b []byte) (int, error) {
	r := kbin.Reader{Src: b}
	size := int(r.Int32())
	if size < headLen || size > maxRequest {
		return 0, errMalformed
	}
	return size, nil
}

// peekHead reads the fixed part of a request frame.
func peekHead(b []byte) (frameHead, error) {
	size, err := frameSize(b)
	if err != nil {
		return frameHead{}, err
	}
	if len(b) < sizeLen+headLen {
		return frameHead{}, errMalformed
	}
	r := kbin.Reader{Src: b[sizeLen:]}
	return frameHead{size: size, key: r.Int16(), version: r.Int16(), correlation: r.Int32()}, nil
}

// request is a whole request frame, taken apart.
type request struct {
	frameHead
	clientID string
	body     []byte
}

// parseRequest takes a whole frame apart. The tags of a flexible header are
// skipped: Kafka defines none.
func parseRequest(frame []byte, flexible bool) (request, error) {
	h, err := peekHead(frame)
	if err != nil {
		return request{}, err
	}
	r := kbin.Reader{Src: frame[sizeLen+headLen:]}
	clientID := r.NullableString()
	if flexible {
		kmsg.SkipTags(&r)
	}
	if !r.Ok() || len(frame) != sizeLen+h.size {
		return request{}, errMalformed
	}
	out := request{frameHead: h, body: r.Src}
	if clientID != nil {
		out.clientID = *clientID
	}
	return out, nil
}

// parseKnown parses a whole frame of a request that kmsg knows.
func parseKnown(frame []byte, req kmsg.Request) error {
	h, err := peekHead(frame)
	if err != nil {
		return err
	}
	req.SetVersion(h.version)
	parsed, err := parseRequest(frame, req.IsFlexible())
	if err != nil {
		return err
	}
	return req.ReadFrom(parsed.body)
}

// produceAcks finds the acks of a Produce request in the first bytes of its
// frame. It fails if they are too few, or not a Produce request at all.
//
// Acks 0 is the one request of Kafka that has no answer: it must not be waited
// for.
func produceAcks(prefix []byte) (acks int16, ok bool) {
	h, err := peekHead(prefix)
	if err != nil || h.key != keyProduce {
		return 0, false
	}
	req := kmsg.ProduceRequest{Version: h.version}
	r := kbin.Reader{Src: prefix[sizeLen+headLen:]}
	r.UnsafeNullableString() // client id, in the old form at all versions
	if req.IsFlexible() {
		kmsg.SkipTags(&r)
		r.UnsafeCompactNullableString() // transactional id
	} else if h.version >= 3 {
		r.UnsafeNullableString()
	}
	acks = r.Int16()
	return acks, r.Ok()
}

// answerHead is the fixed part of an answer frame.
const answerHead = sizeLen + 4 // the correlation id

// wholeFrame reports whether b is exactly one answer frame.
func wholeFrame(b []byte) bool {
	return len(b) >= answerHead && int64(binary.BigEndian.Uint32(b)) == int64(len(b)-sizeLen)
}

// correlation returns the correlation id of an answer frame.
func correlation(frame []byte) int32 {
	return int32(binary.BigEndian.Uint32(frame[sizeLen:]))
}

// firstCode returns the error code of an answer whose body begins with one.
func firstCode(frame []byte, flexible bool) (code int16, ok bool) {
	if !wholeFrame(frame) {
		return 0, false
	}
	r := kbin.Reader{Src: frame[answerHead:]}
	if flexible {
		kmsg.SkipTags(&r)
	}
	code = r.Int16()
	return code, r.Ok()
}

// answerFrame encodes an answer as a whole frame.
func answerFrame(resp kmsg.Response, correlation int32) []byte {
	b := make([]byte, sizeLen, 64)
	b = kbin.AppendInt32(b, correlation)
	if resp.IsFlexible() {
		b = append(b, 0) // no tags
	}
	return sized(resp.AppendTo(b))
}

// sized writes the size of a frame into its first bytes.
func sized(frame []byte) []byte {
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-sizeLen))
	return frame
}
