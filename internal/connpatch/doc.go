// Package connpatch is the net.Conn that stands between a kgo client and its
// brokers. kgo hands it out through its Dialer option, so the application keeps
// an unmodified *kgo.Client.
//
// It tracks request and response frames, changes none of them, and learns from
// what passes: which broker means which of our RPCs (from its ApiVersions
// answers), what every connection is used for, and whether it is idle. From that
// it tells where a request of ours may go without standing in the way of the
// application, and it is the last guard: a request of ours is never written to a
// broker that did not prove to mean it, and a connection on which ours is still
// unanswered gives way to the application's next request.
//
// Bytes that are not a kgo request, such as the raw tokens of old SASL
// exchanges, pass untouched. The caller's slices are never changed, and large
// reads are never copied.
package connpatch
