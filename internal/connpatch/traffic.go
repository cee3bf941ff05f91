package connpatch

import "github.com/twmb/franz-go/pkg/kmsg"

// traffic is what a connection has been used for so far: a set.
type traffic uint16

const (
	trafficNormal traffic = 1 << iota // whatever kgo sends on a broker's normal connection
	trafficProduce
	trafficFetch
	trafficJoin // JoinGroup and SyncGroup have a connection of their own
	trafficSlow // requests with a timeout of their own have one, too
	trafficGroup
	trafficTxn
)

// classify tells from its key what kind of traffic a request is, and so on which
// of a broker's connections kgo sends it. ApiVersions and SASL open every
// connection and say nothing about it.
func classify(key int16) traffic {
	switch kmsg.Key(key) {
	case kmsg.ApiVersions, kmsg.SASLHandshake, kmsg.SASLAuthenticate:
		return 0
	case kmsg.Produce:
		return trafficProduce
	case kmsg.Fetch, kmsg.ShareFetch, kmsg.ShareAcknowledge:
		return trafficFetch
	case kmsg.JoinGroup, kmsg.SyncGroup:
		return trafficJoin | trafficGroup
	case kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.OffsetCommit, kmsg.OffsetFetch,
		kmsg.ConsumerGroupHeartbeat, kmsg.ShareGroupHeartbeat:
		return trafficNormal | trafficGroup
	case kmsg.AddPartitionsToTxn, kmsg.AddOffsetsToTxn,
		kmsg.EndTxn, kmsg.TxnOffsetCommit:
		// Not InitProducerID: without a transactional id it goes to any
		// broker, once, and says nothing about what follows.
		return trafficNormal | trafficTxn
	case kmsg.ListOffsets:
		return trafficNormal // it has a timeout, and stays on the normal connection
	}
	if _, ok := kmsg.RequestForKey(key).(kmsg.TimeoutRequest); ok {
		return trafficSlow
	}
	return trafficNormal
}
