// Package configdef is the one table of Kafka client keys: the type of each,
// the kinds of client that have it, and, for those that franz-go knows an
// equivalent of, how the value is read from a [kgo.Client] and written as Kafka
// writes it.
//
// # What a value means
//
// A value is what the client does, not what its options say: an idempotent
// producer has five requests in flight although the option reads 1, a client
// with a transactional id does not commit on its own, and an unlimited value is
// the largest number of its type, never 0. A value that Kafka has no text for
// (an exact start offset, a backoff function of the application) is left out.
// To leave a key out never means that it has its default.
//
// A default is kgo's, not Java's, and is found by comparison with a client of
// the same mode that was given nothing else, so that a new kgo with new
// defaults needs no change here. kgo does not keep which options were given: a
// value that was set to its default counts as default.
//
// # What it does not do
//
// Nothing here decides what may be sent: that is package sensitive. Reading
// opens no connection, and no goroutine is left behind. Of the application's
// code it runs the functions given with kgo.RetryTimeoutFn and
// kgo.ProducerBatchMaxBytesFn, since kgo calls them to answer, and asks its
// context for one value; when that panics the key is left out.
//
// # Errors
//
// There are none to handle: a key that cannot be read is left out. If the cause
// is that kgo answered in a form that the table does not expect, the client's
// logger gets one line at debug level. If it is something that the operator
// should hear of, such as a balancer that Kafka has no name for, it is also in
// [Source.Skipped]. Only [Parse] returns errors, and they never show the value.
package configdef
