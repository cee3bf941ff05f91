// Package connpatch is the net.Conn that stands between a kgo client and its
// brokers. kgo hands it out through its Dialer option, so the application keeps
// an unmodified *kgo.Client.
//
// It applies what SetPatches was given to the frames that pass, and tells with
// Observe what left and came back:
//
//   - acks and timeout in Produce. A Produce that leaves with acks 0 is answered
//     here, as its broker gives no answer and kgo waits for one.
//   - the session timeout in JoinGroup. If the coordinator refuses it, kgo is made
//     to join again with the last good one and never learns of it. The first
//     JoinGroup may be held until the overrides are known.
//   - the heartbeat interval. Where it is longer than the configured one,
//     heartbeats are answered here; where it is shorter, more of them are sent.
//   - the wait and the least size in Fetch.
//
// A request of a group in which a string is too long for its length, so that kmsg
// wrote a corrupt one, does not leave: it is answered here with INVALID_REQUEST.
//
// A frame is changed only if it is whole, understood, and of a version that is
// known; any other passes as it is. Acks of idempotent and transactional
// producers are never changed, nor is acks 0.
//
// It tracks request and response frames, and learns from what passes: which broker
// means which of our RPCs (from its ApiVersions answers), what every connection is
// used for, and whether it is idle. From that it tells where a request of ours may
// go without standing in the way of the application, and it is the last guard: a request of ours is never written to a
// broker that did not prove to mean it, and a connection on which ours is still
// unanswered gives way to the application's next request.
//
// Bytes that are not a kgo request, such as the raw tokens of old SASL
// exchanges, pass untouched. The caller's slices are never changed, and large
// reads are never copied.
package connpatch
