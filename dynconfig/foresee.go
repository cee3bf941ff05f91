package dynconfig

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
)

// Foresee returns what Validate would find about overrides at a client, as far as can
// be known from what the client tells of itself, which is a claim. Overrides are all
// that would be wished for the client, not only those that are to change: the session
// timeout and the heartbeat interval are judged together.
//
// What the client does not tell counts as what clients have by default
// (SessionTimeoutBounds, MinAcks), or as no obstacle (how long and how much it reads).
func Foresee(r kcfg.ClientRecord, overrides map[string]string) []Verdict {
	_, verdicts := Validate(claimed(r), Rules{AcceptOverrides: accepting(r)}, overrides)
	return verdicts
}

// accepting are the keys that a client accepts, never nil. A client tells those of its
// kinds only: for others, the kind is what stands in the way.
func accepting(r kcfg.ClientRecord) []string {
	out := append([]string{}, r.Supported...)
	for _, key := range configdef.DynamicKeys() {
		if !kindsOf(key).Overlaps(r.Kinds) {
			out = append(out, key)
		}
	}
	return out
}

// claimed is what a client was built with, by its record.
func claimed(r kcfg.ClientRecord) Static {
	own := func(key string) string {
		for _, s := range r.Dynamic {
			if s.Key == key && s.Static != nil {
				return *s.Static
			}
		}
		i := slices.IndexFunc(r.Configs, func(c kcfg.ClientConfig) bool { return c.Key == key })
		if i < 0 {
			return ""
		}
		return r.Configs[i].Value
	}
	duration := func(key string) time.Duration {
		n, err := strconv.ParseInt(own(key), 10, 32)
		if err != nil {
			return 0
		}
		return time.Duration(n) * time.Millisecond
	}
	s := Static{
		ClientID:          r.ClientID,
		Kinds:             r.Kinds,
		Acks:              AllAcks,
		Idempotent:        own("enable.idempotence") == "true",
		Transactional:     own("transactional.id") != "",
		Group:             r.Group != "" || own("group.id") != "",
		NewGroup:          own("group.protocol") == "consumer",
		SessionTimeout:    duration(keySession),
		HeartbeatInterval: duration(keyHeartbeat),
		RebalanceTimeout:  duration("max.poll.interval.ms"),
		// How long a client waits for an answer, it does not tell.
		RequestTimeoutOverhead: math.MaxInt32 * time.Millisecond,
	}
	switch own(keyAcks) {
	case "0":
		s.Acks = NoAck
	case "1":
		s.Acks = LeaderAck
	}
	return s
}
