// Package pushconfig tells a cluster how its clients are configured (KIP-1324).
//
// Most applications never call it: client.New pushes by itself. Use the package
// to see what a client would tell, in a test or a debug page:
//
//	for _, e := range pushconfig.Collect(cl, kcfg.KindProducer) {
//		fmt.Println(e.Key, e.Value, e.IsDefault)
//	}
//
// # What leaves the process
//
// Collect reads the effective values of a *kgo.Client and gives them Kafka's own
// keys and textual form. Before anything is sent, package sensitive holds back
// every key and value that may be a secret, and nothing overrides it. What
// remains is sent once, after the first connection, and again when it changes.
// If nothing remains, no request is made.
//
// # Errors
//
// A push is best effort: it never delays or fails the application. Network
// errors and retriable error codes are retried with backoff, on another broker
// where there is one. CONFIG_TOO_LARGE, INVALID_CONFIG, authorization errors and
// every other code are not; package errors lists them. A broker that advertises
// the RPC and then answers UNSUPPORTED_VERSION is left alone for at least an
// hour. On a cluster that does not know the RPC nothing is ever sent.
package pushconfig
