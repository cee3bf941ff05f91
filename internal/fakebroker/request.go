package fakebroker

import (
	"slices"
	"time"

	"github.com/kcfg-go/kcfg/internal/wire"
	"github.com/kcfg-go/kcfg/sensitive"
)

// Outcome is what became of a request of ours.
type Outcome int

// The outcomes.
const (
	Pending  Outcome = iota // not answered yet
	Answered                // an answer was written, perhaps a damaged one
	Withheld                // processed, but no whole answer was written
	Dropped                 // read and forgotten
	Refused                 // not processed: the connection was closed
)

// Answer is what was answered to a request of ours.
type Answer struct {
	Outcome        Outcome
	Code           int16
	Message        string
	ThrottleMillis int32
	// Altered are the outcomes of an AlterClientConfigs, one for each of its
	// entries, which has them instead of Code and Message.
	Altered []AlterOutcome
	// Detail says why a request was refused, or what a policy panicked with.
	// It was not sent.
	Detail string
}

// AlterOutcome is what was answered about one entry of an AlterClientConfigs.
type AlterOutcome struct {
	Code    int16
	Message string
}

// Request is a request with one of our API keys, whatever became of it.
type Request struct {
	Node int32
	Conn int // the connection's number in the cluster, counted from 1
	Time time.Time
	Key  int16
	// Context is what was known when the request came.
	Context RequestContext
	// Frame is the whole frame, its size included.
	Frame []byte
	// Entries are those of a PushConfig that could be decoded. They print
	// without their values.
	Entries []sensitive.Entry
	// Describe is a DescribeClientConfigs that could be decoded, and Alter an
	// AlterClientConfigs. Do not write to them.
	Describe *wire.DescribeClientConfigsRequest
	Alter    *wire.AlterClientConfigsRequest
	Answer   Answer
}

// Push is a push that the policy accepted.
type Push struct {
	Conn    int // the connection's number in the cluster, counted from 1
	Context RequestContext
	Configs ClientConfigs
}

// Requests returns the requests of ours so far, in the order in which they came.
func (c *Cluster) Requests() []Request {
	c.record.mu.Lock()
	defer c.record.mu.Unlock()
	out := make([]Request, 0, len(c.record.requests))
	for _, r := range c.record.requests {
		out = append(out, *r)
	}
	return out
}

// Pushes returns the pushes that the policy accepted so far. A client that got
// no answer may have pushed twice.
func (c *Cluster) Pushes() []Push {
	c.record.mu.Lock()
	defer c.record.mu.Unlock()
	return slices.Clone(c.record.pushes)
}
