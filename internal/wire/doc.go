// Package wire holds the messages that the proposals add to the Kafka protocol,
// one file a pair, named by its default API key. They are written by hand
// because no Kafka release, and so no kmsg, has them.
//
// A decoder takes a message body only as a whole: a length beyond the body, a
// null where the schema has none, or bytes behind the end are errors that name
// the message, and what it allocates is bounded by the bytes that it was given.
// An encoder writes the same bytes for the same message every time, since kgo
// may encode a request again for a retry.
package wire
