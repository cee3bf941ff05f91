package dynconfig

import (
	"maps"
	"slices"
	"time"

	"github.com/kcfg-go/kcfg"
)

// Bounds limit a duration, both ends included.
type Bounds struct{ Min, Max time.Duration }

// DefaultSessionTimeoutBounds are those of Kafka's brokers.
func DefaultSessionTimeoutBounds() Bounds { return Bounds{6 * time.Second, 30 * time.Minute} }

// Rules are what the application allows.
type Rules struct {
	// AcceptOverrides are the keys that may be changed; nil stands for
	// DefaultKeys, which an empty list does not.
	AcceptOverrides []string
	// MinAcks is the weakest acks that is accepted, by default NoAck.
	MinAcks Acks
	// SessionTimeoutBounds limit session.timeout.ms; the zero value stands for
	// DefaultSessionTimeoutBounds.
	SessionTimeoutBounds Bounds
}

func (r Rules) accepts(key string) bool {
	if r.AcceptOverrides == nil {
		return slices.Contains(DefaultKeys(), key)
	}
	return slices.Contains(r.AcceptOverrides, key)
}

func (r Rules) sessionBounds() Bounds {
	if r.SessionTimeoutBounds == (Bounds{}) {
		return DefaultSessionTimeoutBounds()
	}
	return r.SessionTimeoutBounds
}

// Outcome is what becomes of an override.
type Outcome uint8

// The outcomes of an override.
const (
	Accepted      Outcome = iota // it is to be used
	NoChange                     // it is what the client does anyway
	Rejected                     // the value is wrong, or the application does not want it
	NotApplicable                // the value is fine, but this client cannot use it
	Unsupported                  // no key that can be changed
)

// String returns the outcome as Status writes it.
func (o Outcome) String() string {
	switch o {
	case Accepted:
		return "accepted"
	case NoChange:
		return "no-change"
	case Rejected:
		return string(kcfg.OverrideRejected)
	case NotApplicable:
		return string(kcfg.OverrideNotApplicable)
	case Unsupported:
		return string(kcfg.OverrideUnsupported)
	}
	return "unknown"
}

// Verdict is what Validate finds about one override.
type Verdict struct {
	Key string
	// Value is what was wished, empty for keys that cannot be changed: their
	// values may be anybody's secrets.
	Value   string
	Outcome Outcome
	Reason  string // of every outcome but Accepted
}

// Validate judges the overrides that a cluster wishes for a client. It returns
// those to be used, in the one way to write them, and a verdict for each, sorted
// by key. It is pure: what is in force already does not count.
//
// A wrong value does not make another key's wrong, but for the session timeout
// and the heartbeat interval, which are used together or not at all. Where one of
// them is not wished, the client's own value takes its place.
func Validate(s Static, r Rules, overrides map[string]string) (accepted map[string]string, verdicts []Verdict) {
	accepted = make(map[string]string)
	judged := make(map[string]judgement)
	for key, value := range overrides {
		if key == kcfg.SupportedConfigs {
			continue // the broker's own list, never an override
		}
		judged[key] = judge(s, r, key, value)
	}
	judgePair(s, judged)
	for _, key := range slices.Sorted(maps.Keys(judged)) {
		j := judged[key]
		v := Verdict{Key: key, Value: overrides[key], Outcome: j.outcome, Reason: j.reason}
		switch j.outcome {
		case Accepted:
			accepted[key] = text(key, j.n)
		case Unsupported:
			v.Value = ""
		}
		verdicts = append(verdicts, v)
	}
	return accepted, verdicts
}
