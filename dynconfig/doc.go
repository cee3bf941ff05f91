// Package dynconfig decides which overrides of an operator a live client uses
// (KIP-649), and tells what became of each. It is the deciding half of dynamic
// configs: the connections of package client carry out what it decides.
//
// # What it does
//
// A [Poller] asks the cluster for the overrides of its client: at the first
// connection, and then every metadata.max.age.ms. [Validate] judges them against
// what the client was built with, which is pure and can be tried without a
// cluster. What is accepted is given to the connections. A key is applied only
// when a request that carried its value left the process; until then it is
// pending, and the status says what it waits for.
//
//	acks                    in force with the next Produce
//	heartbeat.interval.ms   in force with the next heartbeat
//	session.timeout.ms      in force with the next join of the group, which is forced
//	                        once if none happens within RejoinDelay
//
// Further keys are off unless the application names them in AcceptOverrides:
// fetch.max.wait.ms, fetch.min.bytes, fetch.max.bytes, max.partition.fetch.bytes
// and the request.timeout.ms of a producer.
//
// Dynamic wins over static. An override that is rejected leaves the last good
// value in force, one that is removed returns the client to its own value. What is
// set for a client id of a user wins over what is set for the user, key by key.
//
// An [Admin] is for operators: it describes and alters what is set for users and
// their client ids.
//
// # What it will not do
//
//   - It never takes an error for "no overrides", and never one answer for the
//     removal of one: another broker is asked at once.
//   - It never uses a heartbeat interval that is not below the session timeout.
//     If one of the two is wrong, both keep what they had. No other key is rejected
//     for the sake of another one.
//   - It never weakens an idempotent or transactional producer: acks of 0 and 1 are
//     not applicable there. Build the client with kgo.DisableIdempotentWrite to
//     let operators change them.
//   - It never makes a client with a transactional id rejoin, and one with an eager
//     balancer only if the application set RejoinDelay.
//   - It does nothing for groups of the new protocols (KIP-848, share groups), where
//     the broker decides: alter the group's configs.
//   - It keeps and shows no value of a key that is not dynamic.
//
// # Errors
//
// No error reaches the application's requests. The last error of a poll is in the
// status, in OnPollFailed, and is what Refresh returns. Match it with errors.Is
// and errors.AsType: cfgerrors.ErrUnsupported if no broker speaks the RPC,
// *cfgerrors.AuthorizationError, cfgerrors.ErrClosed after Close, or what kgo
// returned. What may pass is tried again with a backoff; a principal that may not
// ask, and a broker that does not know what it advertises, are left alone for an
// hour. WaitApplied returns a *[NotAppliedError] for an override that will not come
// into force, with the reason.
package dynconfig
