// Package kcfg holds the nouns that the packages of this module share. It uses
// the standard library only, and does nothing.
//
//   - [Kind] is what a client is used as: a set of producer, consumer, share
//     consumer and admin. It decides which of Kafka's keys describe the client.
//   - [Status] is what a client knows of its own configuration plane at one
//     moment, for a debug page or a test. It marshals to JSON and holds no
//     configuration values. [PushStatus], [PushState], [HeldBack] and
//     [ConnectionCounts] are its parts.
//   - [Pushed] and [PushFailure] are the events that hooks get.
//   - [Protocol] holds the numbers of the wire protocol that no Kafka release
//     assigns so far.
//
// An application starts at package client:
//
//   - client makes a *kgo.Client that tells its cluster how it is configured
//   - pushconfig shows what such a client would tell
//   - sensitive decides which configurations may leave the process
//   - errors (always imported as cfgerrors) has the errors to match
package kcfg
