// Package fakebroker is the reference broker of KIP-1324 (config push) and
// KIP-649 (dynamic client configurations): an embedded kfake cluster behind a
// frame tap.
//
// kfake cannot answer an API key that kmsg does not know. Therefore the
// connections that it gets are ours: they take the client's frames apart, answer
// those of our RPCs themselves, pass every other frame on byte for byte, and add
// our key and feature to the ApiVersions answers on their way back. The tap has
// no goroutine of its own: it works inside the Read and Write calls of kfake.
//
// Like Kafka, the tap serves one request of a connection at a time. A frame of
// ours waits until everything before it was answered, and nothing behind it is
// passed on until its answer is written. An answer that is held back (Fault)
// holds up its own connection and no other.
//
// # What it is for
//
// Tests, examples and the command line. A ClientConfigPolicy sees what clients
// push, a script of Faults makes the broker misbehave, SetSupport plays a
// rolling upgrade, and Requests, Pushes, Count and Contains tell what happened.
// Without a policy config push is disabled, as in the proposal, and without the
// option DynamicConfigs so are dynamic client configurations: the cluster does
// not advertise what is disabled and closes a connection on which such a request
// comes, just as a Kafka that never heard of it.
//
// The dynamic configurations are one store for the cluster, whatever broker is
// asked. ClientConfigs reads it, and SetClientConfigs writes to it without any
// check, so that a test can hand out what no broker should.
//
// # Limits of identifiers
//
// With IdentifierLimits (KIP-1233) the tap refuses requests with a name that is too
// long before kfake sees them. The whole request is refused, with INVALID_REQUEST for
// the whole where the version has such an error, and else for every item:
//
//	request                                  names                                       error
//	Produce                                  transactional id, topics                    each partition; with acks 0 the connection is closed
//	Fetch                                    rack                                        the whole from v7 on, else each partition
//	Metadata, CreateTopics                   topics                                      INVALID_TOPIC_EXCEPTION for that topic; the others go on
//	JoinGroup, SyncGroup, Heartbeat          group, instance                             the whole
//	LeaveGroup                               group, instances                            the whole
//	OffsetCommit                             group, instance, topics, metadata           each partition; OFFSET_METADATA_TOO_LARGE for that of the metadata
//	TxnOffsetCommit                          the same, transactional id                  the same
//	OffsetFetch                              groups, topics                              each group from v8 on, the whole from v2 on, else each partition
//	FindCoordinator                          groups, transactional ids                   each key from v4 on, else the whole
//	InitProducerID                           transactional id                            the whole
//	AddPartitionsToTxn                       transactional ids, topics                   the whole from v4 on, else each partition
//	ConsumerGroupHeartbeat                   group, member (from v1 on), instance, rack, topics  the whole
//	ShareGroupHeartbeat                      group, member, rack, topics                 the whole
//	DescribeConfigs, AlterConfigs,           resources                                   each resource
//	IncrementalAlterConfigs
//	DescribeACLs                             resource, principal, host                   the whole
//	CreateACLs, DeleteACLs                   the same                                    each of them
//	PushConfig                               -                                           RESOURCE_IDENTIFIER_TOO_LARGE
//	DescribeClientConfigs                    users, client ids                           RESOURCE_IDENTIFIER_TOO_LARGE
//	AlterClientConfigs                       users, client ids                           RESOURCE_IDENTIFIER_TOO_LARGE for that entity; the others go on
//
// The client id of the header counts for each of them, and for no other request. Ids
// of members that brokers make, as all are in the classic protocol, have no limit.
//
// # What it is not
//
// It is not a Kafka: what kfake does not model is not there. It asks an
// Authorizer about dynamic configurations and nobody about pushes; of the configs of
// Kafka's own resources (KIP-133) it adds Grants, the AlterPolicy, and the refusal of
// duplicates and of read-only configs to what kfake does. It tells a
// throttle time and does not enforce it, and it does not end a session at the
// end of its SASL lifetime. It keeps every request of ours in memory until it is
// closed.
//
// Some options of kfake take the tap out of the path or contradict it. Use TLS,
// SASL, Brokers and Ports of this package instead of kfake.TLS (it would wrap
// the tap, which then sees ciphertext), kfake.EnableSASL (the tap would not know
// that authentication is required), kfake.NumBrokers and kfake.Ports; there is
// no substitute for kfake.ListenFn.
//
// # Errors
//
// What a policy or the validation refuses becomes an error code of the answer.
// What no broker could answer (a frame that does not parse, a version that it
// does not have, a request before authentication) closes the connection. A user
// whom kfake does not let in is told so with SASL_AUTHENTICATION_FAILED before that.
// A message to a client names configuration keys and never a value.
package fakebroker
