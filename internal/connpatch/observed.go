package connpatch

// Observed is what left and came back on a client's connections, as far as it
// tells which overrides are in force. Pointers are nil before the first.
type Observed struct {
	// Acks is that of the last Produce request that was written.
	Acks *int16
	// FetchMaxWait, FetchMinBytes and ProduceTimeout are those of the last
	// Fetch and Produce requests.
	FetchMaxWait, FetchMinBytes, ProduceTimeout *int32

	// SessionTimeout is that of the last JoinGroup that was answered without
	// error and with a new generation: the one in force at the coordinator.
	SessionTimeout *int32
	// Joins counts such answers.
	Joins uint64
	// Refused are the session timeouts that a coordinator refused since
	// SetPatches was last called with another one.
	Refused []int32

	// HeartbeatInterval is the pace at which the last heartbeats left, in
	// milliseconds: that of the override if they followed one, else nil.
	HeartbeatInterval *int32

	// ClassicGroup and NewGroup tell by which protocol the client is a member:
	// JoinGroup was seen, or ConsumerGroupHeartbeat or ShareGroupHeartbeat.
	ClassicGroup, NewGroup bool

	// Newer holds, by API key, the version of a request that should have been
	// patched and was not, since it is newer than this library knows.
	Newer map[int16]int16
}
