// Package kcfg holds the nouns that the packages of this module share. It uses
// the standard library only, and does nothing.
//
//   - [Kind] is what a client is used as: a set of producer, consumer, share
//     consumer and admin. It decides which of Kafka's keys describe the client.
//   - [Status] is what a client knows of its own configuration plane at one
//     moment, for a debug page or a test. It marshals to JSON and holds no
//     configuration values but those of dynamic configurations. [PushStatus], [PushState], [HeldBack] and
//     [ConnectionCounts] are its parts.
//   - [KeyState] and [DynamicStatus] say where the override of a key stands, and
//     the asking for overrides (KIP-649).
//   - [Entity] names a user, or a client id of one, for which an operator sets
//     client configurations; [Filter] finds entities, [Alteration] changes them, and
//     [Described] and [Altered] are what comes back.
//   - [Resource] names what other configurations belong to, such as a topic or a
//     broker; [ConfigAlteration] changes them, and [ResourceConfigs] and
//     [AlteredConfigs] are what comes back (KIP-133). [AlterConfigPolicy] judges
//     changes of both kinds. Values that are sensitive are absent, and operations
//     print without their values.
//   - [Pushed], [PushFailure], [Polled], [PollFailure], [Applied] and [Rejected] are
//     the events that hooks get. Applied and Rejected hold values of dynamic
//     configurations, which are no secrets.
//   - [Protocol] holds the numbers of the wire protocol that no Kafka release
//     assigns so far.
//
// An application starts at package client:
//
//   - client makes a *kgo.Client that tells its cluster how it is configured
//   - pushconfig shows what such a client would tell
//   - dynconfig decides which overrides of an operator a client uses
//   - sensitive decides which configurations may leave the process
//   - errors (always imported as cfgerrors) has the errors to match
package kcfg
