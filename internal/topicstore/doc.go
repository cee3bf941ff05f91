// Package topicstore keeps client configurations in two compacted topics, for
// clusters whose brokers do not speak the RPCs: dynamic configurations (KIP-649)
// in one, and what clients tell of themselves (KIP-1324) in the other. The schema
// of the records is in docs/topics.md.
//
// # Who may do what
//
// Applications read the first topic and write the second; operators write the
// first and read both. What an application writes about itself is a claim that
// nobody decides by. Dynamic configurations are obeyed only from a topic that
// Setup made: every partition holds a header that names the cluster and the
// topic's id, so that nothing that was created by accident, mirrored from another
// cluster, or made again with the same name is believed. The library never
// creates a topic but in Setup.
//
// # Cost
//
// Every call opens a small kgo client of its own, with the connections, the
// identity and the credentials of the application's, and closes it at the end:
// nothing is open in between, and none of the application's hooks, buffers and
// metrics sees it. A poll that finds nothing new is two requests, Metadata and
// Fetch.
//
// # Errors
//
// A topic that is not as it should be is a *cfgerrors.NotSetUpError, which names
// it and says why; a missing right is a *cfgerrors.AuthorizationError. After any
// error what was read before still stands. No error shows a value.
package topicstore
