package dynconfig

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/retry"
)

// hour is how long a broker that does not know what it advertises is left alone,
// and how long a principal that may not ask does not ask, at least.
const hour = time.Hour

// schedule is when the next poll is.
type schedule struct {
	seen      bool // some connection told whether its broker speaks the RPC
	supported bool // and some broker does
	spread    bool // a broker newly showed support: set next

	asked  bool      // somebody wants an answer now
	next   time.Time // of the next poll
	silent time.Time // no request before that, whoever asks

	jittered bool         // the wait after the first answer was
	answered bool         // at least once
	failing  time.Time    // since when, zero if not
	pauses   *retry.Waits // while failing
	act      action       // how the last poll ended
	err      error        // of the last poll, nil after an answer
}

// step is what to do now: poll, or wait until a moment, the zero time for until
// something happens.
type step struct {
	poll  bool
	state kcfg.DynamicState
	until time.Time
}

// decide says what to do. nothing is true if the client has no key that could be
// changed.
func (m *schedule) decide(nothing bool, now time.Time) step {
	switch {
	case nothing:
		return step{state: kcfg.DynamicNothing}
	case !m.seen:
		return step{state: kcfg.DynamicWaiting}
	case now.Before(m.silent):
		return step{state: kcfg.DynamicUnsupported, until: m.silent}
	case !m.supported:
		return step{state: kcfg.DynamicUnsupported}
	case m.asked || !now.Before(m.next):
		return step{poll: true}
	case m.err != nil:
		return step{state: kcfg.DynamicFailed, until: m.next}
	case !m.answered:
		return step{state: kcfg.DynamicWaiting, until: m.next}
	}
	return step{state: kcfg.DynamicPolled, until: m.next}
}

// note remembers how a poll ended, and reports whether those who wait for it are
// to be told: not if another try comes soon.
func (m *schedule) note(act action, err error, interval time.Duration, limits Limits, now time.Time) (final bool) {
	m.err = err
	if act != actRetry {
		m.failing, m.pauses = time.Time{}, nil
	}
	switch act {
	case actDone:
		m.next = now.Add(interval)
		if !m.jittered {
			m.jittered = true
			m.next = now.Add(interval/2 + retry.UpTo(interval/2))
		}
	case actSilent:
		m.silent = now.Add(hour + retry.UpTo(hour/2))
		m.next = m.silent
	case actRefused:
		m.next = now.Add(hour)
	case actUnsupported:
		m.supported = false
	case actRetry:
		return m.again(interval, limits, now)
	case actFail, actStop:
		m.next = now.Add(interval)
	}
	return true
}

// again plans a try after a failure: soon, unless it has been failing for long.
func (m *schedule) again(interval time.Duration, limits Limits, now time.Time) (final bool) {
	if m.failing.IsZero() {
		m.failing, m.pauses = now, retry.NewWaits(limits.MinBackoff, limits.MaxBackoff)
	}
	pause := m.pauses.Next()
	if now.Add(pause).Sub(m.failing) >= limits.Timeout {
		m.next = now.Add(max(interval, pause))
		m.failing, m.pauses = time.Time{}, nil
		return true
	}
	m.next = now.Add(pause)
	return false
}

// rejoin is the one join that a changed session timeout may need.
type rejoin struct {
	target int32     // the session timeout that it is for
	at     time.Time // when it is forced, unless a join came before
	done   bool
}

// plan says whether to force a join now, or when to look again, the zero time for
// not at all. in force is nil before the first join, which carries the value of
// itself.
func (r *rejoin) plan(target int32, inForce *int32, delay time.Duration, now time.Time) (force bool, until time.Time) {
	switch {
	case inForce == nil || *inForce == target:
		*r = rejoin{}
		return false, time.Time{}
	case r.target != target:
		*r = rejoin{target: target, at: now.Add(delay)}
	}
	switch {
	case r.done:
		return false, time.Time{}
	case now.Before(r.at):
		return false, r.at
	}
	r.done = true
	return true, time.Time{}
}

// mayRejoin reports whether a join may be forced. A client with a transaction
// open would lose it, and with an eager balancer the whole group stops, which
// only the application can want.
func mayRejoin(s Static, delay *time.Duration) bool {
	switch {
	case !s.Group || s.NewGroup || s.Transactional:
		return false
	case delay == nil:
		return !s.Eager
	}
	return *delay >= 0
}

// logLevelOf is that of a line about an override that is not used.
func logLevelOf(s kcfg.OverrideState) kgo.LogLevel {
	if s == kcfg.OverrideUnsupported {
		return kgo.LogLevelInfo
	}
	return kgo.LogLevelWarn
}
