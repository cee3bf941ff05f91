package connpatch

// fetchFields is what is patched in a Fetch request.
type fetchFields struct {
	maxWait, minBytes     int32
	maxWaitAt, minBytesAt int
}

// findFetch finds the fields in a whole frame of a version up to newestFetch.
func findFetch(version int16, frame []byte) (f fetchFields, ok bool) {
	c := bodyCursor(frame, version >= fetchFlexible)
	if version < fetchWithoutReplica {
		c.int32()
	}
	f.maxWaitAt = c.at
	f.maxWait = c.int32()
	f.minBytesAt = c.at
	f.minBytes = c.int32()
	return f, !c.bad
}
