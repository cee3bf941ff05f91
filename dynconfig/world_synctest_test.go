package dynconfig

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/internal/transport"
)

const interval = 5 * time.Minute

// world is a cluster and a client for a Poller.
type world struct {
	mu       sync.Mutex
	set      m                                      // what is set for the client
	stale    map[int]bool                           // requests, by number from 1, that a broker which is behind answers: nothing is set
	fail     func(ctx context.Context, n int) error // nil for no failure
	entries  func(n int) []kcfg.Described           // instead of set
	observed connpatch.Observed
	static   Static

	at        []time.Time
	avoided   [][]int32
	supported [][]string
	inFlight  int
	most      int

	patches  []connpatch.Patches
	bytes    []fetchBytes
	rejoins  []time.Time
	polled   []kcfg.Polled
	failed   []kcfg.PollFailure
	applied  []kcfg.Applied
	rejected []kcfg.Rejected
	lines    []string
}

func newWorld() *world { return &world{static: both(), set: m{}} }

func (w *world) fetch(ctx context.Context, supported []string, avoid ...int32) ([]kcfg.Described, int32, error) {
	w.mu.Lock()
	w.at = append(w.at, time.Now())
	w.avoided = append(w.avoided, avoid)
	w.supported = append(w.supported, supported)
	n := len(w.at)
	w.inFlight++
	w.most = max(w.most, w.inFlight)
	fail := w.fail
	w.mu.Unlock()
	var err error
	if fail != nil {
		err = fail(ctx, n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight--
	switch {
	case errors.Is(err, transport.ErrNoBroker):
		return nil, NoNode, err
	case err != nil:
		return nil, int32(n), err
	case w.entries != nil:
		return w.entries(n), int32(n), nil
	case w.stale[n]:
		return []kcfg.Described{}, int32(n), nil
	}
	d := kcfg.Described{Entity: kcfg.User("alice").Client("orders")}
	for key, value := range w.set {
		d.Values = append(d.Values, kcfg.KeyValue{Key: key, Value: value})
	}
	return []kcfg.Described{d}, int32(n), nil
}

func (w *world) change(f func(*world)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w)
}

func (w *world) requests() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.at)
}

// given returns what the connections were told last.
func (w *world) given() connpatch.Patches {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.patches) == 0 {
		return connpatch.Patches{}
	}
	return w.patches[len(w.patches)-1]
}

func (w *world) count(part string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, l := range w.lines {
		if strings.Contains(l, part) {
			n++
		}
	}
	return n
}

// poller returns a Poller on the world, with backoffs of 1s to 8s and a minute
// for a poll.
func (w *world) poller(t *testing.T, change ...func(*Config)) *Poller {
	t.Helper()
	cfg := Config{
		Fetch: w.fetch,
		Apply: func(p connpatch.Patches) {
			w.change(func(w *world) {
				if !same(p.SessionTimeout, last(w.patches).SessionTimeout) {
					w.observed.Refused = nil // as connpatch promises
				}
				w.patches = append(w.patches, p)
			})
		},
		Observed: func() connpatch.Observed {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.observed
		},
		Static: func() Static {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.static
		},
		Rejoin:              func() { w.change(func(w *world) { w.rejoins = append(w.rejoins, time.Now()) }) },
		UpdateFetchMaxBytes: func(a, b int32) { w.change(func(w *world) { w.bytes = append(w.bytes, fetchBytes{a, b}) }) },
		Limits: func() Limits {
			return Limits{MinBackoff: time.Second, MaxBackoff: 8 * time.Second, Timeout: time.Minute}
		},
		PollInterval: interval,
		OnPolled:     func(_ context.Context, ev kcfg.Polled) { w.change(func(w *world) { w.polled = append(w.polled, ev) }) },
		OnPollFailed: func(_ context.Context, ev kcfg.PollFailure) {
			w.change(func(w *world) { w.failed = append(w.failed, ev) })
		},
		OnApplied: func(_ context.Context, ev kcfg.Applied) {
			w.change(func(w *world) { w.applied = append(w.applied, ev) })
		},
		OnRejected: func(_ context.Context, ev kcfg.Rejected) {
			w.change(func(w *world) { w.rejected = append(w.rejected, ev) })
		},
		Log: func(level kgo.LogLevel, msg string, kv ...any) {
			w.change(func(w *world) { w.lines = append(w.lines, fmt.Sprint(level, " ", msg, " ", kv)) })
		},
	}
	for _, f := range change {
		f(&cfg)
	}
	p := New(t.Context(), cfg)
	t.Cleanup(p.Close)
	return p
}

func last[T any](s []T) (v T) {
	if len(s) > 0 {
		v = s[len(s)-1]
	}
	return v
}

func state(t *testing.T, p *Poller, key string) kcfg.KeyState {
	t.Helper()
	for _, s := range p.Status().Keys {
		if s.Key == key {
			return s
		}
	}
	t.Fatalf("no state of %s", key)
	return kcfg.KeyState{}
}

// produce is what the connections see when the client produces, and join when it
// joins its group.
func (w *world) produce(p *Poller) {
	w.change(func(w *world) {
		w.observed.Acks = new(int16(w.static.Acks))
		if a := last(w.patches).Acks; a != nil {
			w.observed.Acks = a
		}
	})
	p.Changed()
	synctest.Wait()
}

func (w *world) join(p *Poller) {
	w.change(func(w *world) {
		w.observed.ClassicGroup = true
		w.observed.Joins++
		w.observed.SessionTimeout = new(millis(w.static.SessionTimeout))
		if s := last(w.patches).SessionTimeout; s != nil {
			w.observed.SessionTimeout = s
		}
		w.observed.HeartbeatInterval = last(w.patches).HeartbeatInterval
	})
	p.Changed()
	synctest.Wait()
}

// pause lets time pass, and the Poller work. What the test read before is ordered
// before what the Poller writes then: it takes the lock too.
func (w *world) pause(d time.Duration) {
	w.change(func(*world) {})
	time.Sleep(d)
	synctest.Wait()
}

// connected returns a Poller that saw its first connection.
func (w *world) connected(t *testing.T, change ...func(*Config)) *Poller {
	t.Helper()
	p := w.poller(t, change...)
	p.Connected(true)
	synctest.Wait()
	return p
}
