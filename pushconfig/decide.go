package pushconfig

import (
	"crypto/sha256"
	"time"

	"github.com/kcfg-go/kcfg"
)

// memory is what a Pusher knows of the past, and all that it decides by.
type memory struct {
	seen      bool      // some connection told whether its broker speaks the RPC
	supported bool      // and some broker does
	spread    bool      // a broker newly showed support: set notBefore
	notBefore time.Time // the jitter after that, or the moment that a new client gets

	pushed  *[sha256.Size]byte // sum of the set that the cluster has
	failed  *[sha256.Size]byte // sum of the set that failed last
	retryAt time.Time          // when a failed set is tried again
	stale   time.Time          // when the cluster is told again, zero for never
	silent  time.Time          // no request before that, whoever asks
	ended   bool               // no request unless somebody asks
}

// step is what to do now: push, or stay in a state until something happens or
// until a moment, the zero time for none.
type step struct {
	push  bool
	state kcfg.PushState
	until time.Time
}

// decide says what to do with the given set. asked is true if the application
// called PushConfig and waits for the outcome.
func (m *memory) decide(s set, asked bool, now time.Time) step {
	switch {
	case s.empty():
		return step{state: kcfg.PushNothing}
	case m.pushed != nil && *m.pushed == s.sum && (m.stale.IsZero() || now.Before(m.stale)):
		return step{state: kcfg.PushPushed, until: m.stale}
	case !m.seen:
		return step{state: kcfg.PushWaiting}
	case now.Before(m.silent):
		return step{state: kcfg.PushUnsupported, until: m.silent}
	case !m.supported:
		return step{state: kcfg.PushUnsupported}
	case asked:
		return step{push: true}
	case m.ended:
		return step{state: kcfg.PushFailed}
	case m.failed != nil && *m.failed == s.sum && now.Before(m.retryAt):
		return step{state: kcfg.PushFailed, until: m.retryAt}
	case now.Before(m.notBefore):
		return step{state: kcfg.PushWaiting, until: m.notBefore}
	}
	return step{push: true}
}
