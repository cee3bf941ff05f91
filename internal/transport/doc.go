// Package transport carries the proposals' requests to a cluster. It knows where
// a request goes, how long to wait before it, and what an answer means as an
// error; it does not retry, and decides nothing.
package transport
