package connpatch

import (
	"encoding/binary"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// joinFields is what is patched in, and known of, a JoinGroup request.
type joinFields struct {
	session   int32
	sessionAt int
	member    string
}

// findJoin finds the fields in a whole frame of a version up to newestJoinGroup.
func findJoin(version int16, frame []byte) (f joinFields, ok bool) {
	flexible := version >= joinFlexible
	c := bodyCursor(frame, flexible)
	c.str(flexible) // the group
	f.sessionAt = c.at
	f.session = c.int32()
	if version >= joinRebalanceTimeout {
		c.int32()
	}
	f.member = string(c.str(flexible))
	return f, !c.bad
}

// memberIDRequired returns the frame of a JoinGroup answer that makes a client
// join again at once under the member id that it has, with nothing lost.
func memberIDRequired(version int16, corr int32, member string) []byte {
	resp := kmsg.NewPtrJoinGroupResponse()
	resp.Version = version
	resp.ErrorCode = codeMemberIDRequired
	resp.Generation = -1
	resp.MemberID = member
	return respond(corr, version >= joinFlexible, resp.AppendTo)
}

// heartbeatAnswer returns the frame of a Heartbeat answer without error.
func heartbeatAnswer(version int16, corr int32) []byte {
	resp := kmsg.NewPtrHeartbeatResponse()
	resp.Version = version
	return respond(corr, version >= heartbeatFlexible, resp.AppendTo)
}

// respond returns the frame of a response with a body.
func respond(corr int32, flexible bool, body func([]byte) []byte) []byte {
	b := binary.BigEndian.AppendUint32(make([]byte, 4, 64), uint32(corr))
	if flexible {
		b = append(b, 0)
	}
	b = body(b)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// codeOffset returns where the error code is in the frame of an answer to a
// JoinGroup, SyncGroup or Heartbeat, and false for other keys and for versions
// that were not looked at.
func codeOffset(key, version int16) (int, bool) {
	const body = sizeLen + corrLen
	var flexible, throttle, newest int16
	switch key {
	case keyJoinGroup:
		flexible, throttle, newest = joinFlexible, joinThrottle, newestJoinGroup
	case keySyncGroup:
		flexible, throttle, newest = syncFlexible, groupThrottle, newestSyncGroup
	case keyHeartbeat:
		flexible, throttle, newest = heartbeatFlexible, groupThrottle, newestHeartbeat
	default:
		return 0, false
	}
	switch {
	case version > newest:
		return 0, false
	case version >= flexible:
		return body + 1 + 4, true
	case version >= throttle:
		return body + 4, true
	}
	return body, true
}
