package connpatch

// Patches are the values that requests leave the process with instead of those
// that kgo put into them. They are resolved and validated; a nil field changes
// nothing. A Patches is never written to after it was given to SetPatches.
type Patches struct {
	Acks              *int16 // -1, 0 or 1, in Produce
	SessionTimeout    *int32 // milliseconds, in JoinGroup
	HeartbeatInterval *int32 // milliseconds between heartbeats
	FetchMaxWait      *int32 // milliseconds, in Fetch
	FetchMinBytes     *int32 // in Fetch
	ProduceTimeout    *int32 // milliseconds, in Produce
}
