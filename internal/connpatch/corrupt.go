package connpatch

import (
	"math"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// codeInvalidRequest is INVALID_REQUEST.
const codeInvalidRequest = 42

// planCorrupt plans for a request in which a string is too long for its length: it
// does not leave, since a broker would read something else or close the connection,
// and it is answered here. Everything else passes.
func (c *Conn) planCorrupt(h header, b []byte) bool {
	if !corrupt(h, b) {
		return false
	}
	p := &c.plan
	p.keep, p.corrupt = true, true
	p.deed = &deed{local: invalidRequest(h, b)}
	// The membership goes on as it is: the group never saw the request. Leaving is
	// the exception, since no heartbeat is to follow it.
	p.made = h.key != keyLeave
	return true
}

// OnCorrupt sets what is called when a request was answered here because a string in
// it was too long to be written. It is called from the goroutines of the client, with
// no lock held, and must not block.
func (m *Manager) OnCorrupt(f func()) { m.onCorrupt.Store(&f) }

func (m *Manager) droppedCorrupt() {
	m.counts.corrupt.Add(1)
	if f := m.onCorrupt.Load(); f != nil && *f != nil {
		(*f)()
	}
}

// invalidRequest returns the frame of an answer with INVALID_REQUEST, where the
// version has its error: for the whole request, or for every partition. Where the
// partitions cannot be told, the answer is one that kgo cannot read, which is an error
// to who asked and leaves the connection alone: an answer about no partition would
// look like success.
func invalidRequest(h header, frame []byte) []byte {
	resp := kmsg.ResponseForKey(h.key)
	resp.SetVersion(h.version)
	switch resp := resp.(type) {
	case *kmsg.FindCoordinatorResponse:
		resp.ErrorCode, resp.NodeID, resp.Port = codeInvalidRequest, -1, -1
	case *kmsg.JoinGroupResponse:
		resp.ErrorCode, resp.Generation = codeInvalidRequest, -1
	case *kmsg.SyncGroupResponse:
		resp.ErrorCode = codeInvalidRequest
	case *kmsg.HeartbeatResponse:
		resp.ErrorCode = codeInvalidRequest
	case *kmsg.LeaveGroupResponse:
		resp.ErrorCode = codeInvalidRequest
	case *kmsg.OffsetCommitResponse:
		topics, ok := meant(h, frame)
		if !ok {
			return respond(h.corr, false, unreadable)
		}
		refuseCommit(resp, topics)
	case *kmsg.OffsetFetchResponse:
		if h.version >= 2 {
			resp.ErrorCode = codeInvalidRequest
			break
		}
		topics, ok := meant(h, frame)
		if !ok {
			return respond(h.corr, false, unreadable)
		}
		refuseFetch(resp, topics)
	}
	return respond(h.corr, false, resp.AppendTo)
}

// unreadable is the body of no answer.
func unreadable(b []byte) []byte { return b }

func refuseCommit(resp *kmsg.OffsetCommitResponse, topics []offsetTopic) {
	for _, t := range topics {
		rt := kmsg.NewOffsetCommitResponseTopic()
		rt.Topic = writable(t.name)
		for _, p := range t.partitions {
			rp := kmsg.NewOffsetCommitResponseTopicPartition()
			rp.Partition, rp.ErrorCode = p, codeInvalidRequest
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

func refuseFetch(resp *kmsg.OffsetFetchResponse, topics []offsetTopic) {
	for _, t := range topics {
		rt := kmsg.NewOffsetFetchResponseTopic()
		rt.Topic = writable(t.name)
		for _, p := range t.partitions {
			rp := kmsg.NewOffsetFetchResponseTopicPartition()
			rp.Partition, rp.Offset, rp.Metadata, rp.ErrorCode = p, -1, new(""), codeInvalidRequest
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

// writable cuts a name that is too long for an answer as well.
func writable(name string) string { return name[:min(len(name), math.MaxInt16)] }
