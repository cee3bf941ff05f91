package connpatch

const (
	keyFetch     = 1
	keyJoinGroup = 11
	keyHeartbeat = 12
	keyLeave     = 13
	keySyncGroup = 14
	keyNewGroup  = 68 // ConsumerGroupHeartbeat
	keyShare     = 76 // ShareGroupHeartbeat
)

// These are the newest versions whose bytes were looked at. A test fails when
// kmsg knows newer ones. A newer frame passes untouched, and Observed says so.
const (
	newestFetch     = 18
	newestJoinGroup = 9
	newestHeartbeat = 4
	newestSyncGroup = 5
)

// These are the first versions with the flexible encoding.
const (
	fetchFlexible     = 12
	joinFlexible      = 6
	heartbeatFlexible = 4
	syncFlexible      = 4
)

// These are error codes.
const (
	codeNotLeader        = 6
	codeInvalidSession   = 26
	codeRebalance        = 27
	codeMemberIDRequired = 79
)

// These are versions in which a field came or went.
const (
	fetchWithoutReplica  = 15
	joinRebalanceTimeout = 1
	joinThrottle         = 2 // in the answer
	groupThrottle        = 1 // in the answers to SyncGroup and Heartbeat
)
