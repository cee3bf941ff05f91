package dynconfig

import (
	"math"
	"time"

	"github.com/kcfg-go/kcfg"
)

// Static is what a client was built with, and what is known of it otherwise, as
// far as overrides depend on it.
type Static struct {
	// ClientID is that of the requests. If it is not empty, what an answer says
	// about other client ids is not taken for ours.
	ClientID string
	// Kinds is what the client is used as now.
	Kinds kcfg.Kind

	Acks          Acks
	Idempotent    bool
	Transactional bool // it has a transactional id

	// Group is set if the client is in a group, Eager if one of its balancers is
	// eager: with it a rejoin stops the whole group.
	Group, Eager bool
	// NewGroup is set if the client is a member by the protocol of KIP-848 or of
	// share groups, where the broker decides the timeouts. The Poller adds what
	// was seen on the wire.
	NewGroup bool

	SessionTimeout, HeartbeatInterval time.Duration
	// RebalanceTimeout is how long a member has to join a rebalance of which it
	// hears by a heartbeat, 0 if that cannot be told.
	RebalanceTimeout time.Duration
	// RefusedSessionTimeout is the one that the group's coordinator refused, 0
	// for none. The Poller adds it.
	RefusedSessionTimeout time.Duration

	// FetchMaxWait and ProduceTimeout may be raised by what kgo waits in
	// addition to them.
	FetchMaxWait, ProduceTimeout, RequestTimeoutOverhead time.Duration

	// FetchMaxBytes and MaxPartitionFetchBytes are those that the client was
	// built with: kgo itself tells the ones of UpdateFetchMaxBytes. MaxReadBytes
	// bounds an answer, 0 for no bound.
	FetchMinBytes, FetchMaxBytes, MaxPartitionFetchBytes, MaxReadBytes int32
}

// number returns the client's own value of a key, 0 for what is none.
func (s Static) number(key string) int32 {
	switch key {
	case keyAcks:
		return int32(s.Acks)
	case keySession:
		return millis(s.SessionTimeout)
	case keyHeartbeat:
		return millis(s.HeartbeatInterval)
	case keyFetchMaxWait:
		return millis(s.FetchMaxWait)
	case keyProduceTimeout:
		return millis(s.ProduceTimeout)
	case keyFetchMinBytes:
		return s.FetchMinBytes
	case keyFetchMaxBytes:
		return s.FetchMaxBytes
	case keyPartitionMaxBytes:
		return s.MaxPartitionFetchBytes
	}
	return 0
}

// value is number as text, empty for what is no key that can be changed.
func (s Static) value(key string) string { return text(key, s.number(key)) }

// millis is a duration as requests have it.
func millis(d time.Duration) int32 {
	return int32(min(max(d.Milliseconds(), math.MinInt32), math.MaxInt32))
}
