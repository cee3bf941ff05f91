package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/examples/internal/table"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// What happens to an override, in this order. That a value is in force is told
// after the request that carried it left, so the broker may be a little faster.
const (
	wished   = "wished"             // the operator asks for it
	answered = "answered"           // the client's poll brought it
	inForce  = "in force"           // the client says that a request carried it
	seen     = "seen by the broker" // the first request with it came in
)

// none is the value of a key for which no override is wished.
const none = "none"

type event struct {
	at               time.Duration
	key, what, value string
}

// timeline is what happened to the overrides, in order.
type timeline struct {
	start time.Time

	mu     sync.Mutex
	events []event
	more   chan struct{} // closed with the next event
}

func newTimeline() *timeline {
	return &timeline{start: time.Now(), more: make(chan struct{})}
}

// add appends an event, unless it repeats the last one of its key and kind.
func (t *timeline) add(key, what, value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last(key, what) == value {
		return
	}
	t.events = append(t.events, event{time.Since(t.start), key, what, value})
	close(t.more)
	t.more = make(chan struct{})
}

// last returns the last value of a key in events of a kind. t.mu is held.
func (t *timeline) last(key, what string) string {
	value := ""
	for _, e := range t.events {
		if e.key == key && e.what == what {
			value = e.value
		}
	}
	return value
}

// values returns all values of a key in events of a kind, in order.
func (t *timeline) values(key, what string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, e := range t.events {
		if e.key == key && e.what == what {
			out = append(out, e.value)
		}
	}
	return out
}

// wait waits until the last event of a key and kind has this value.
func (t *timeline) wait(ctx context.Context, key, what, value string) error {
	for {
		t.mu.Lock()
		got, more := t.last(key, what), t.more
		t.mu.Unlock()
		if got == value {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return fmt.Errorf("%s=%s was not %s (the last value was %q): %w", key, value, what, got, context.Cause(ctx))
		}
	}
}

func (t *timeline) print(out io.Writer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var rows [][]string
	for _, e := range t.events {
		rows = append(rows, []string{e.at.Round(time.Millisecond).String(), e.key, e.what, e.value})
	}
	return table.Write(out, "What happened to the overrides", []string{"AFTER", "KEY", "WHAT", "VALUE"}, rows)
}

// watch adds what the broker sees: the acks of Produce, and the session timeout
// of JoinGroup requests. Only one client may send each.
func (t *timeline) watch(broker *fakebroker.Cluster) {
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.JoinGroup} {
		broker.Kfake().ControlKey(int16(key), func(req kmsg.Request) (kmsg.Response, error, bool) {
			broker.Kfake().KeepControl()
			t.see(req)
			return nil, nil, false // kfake answers
		})
	}
}

// see adds what a request carries.
func (t *timeline) see(req kmsg.Request) {
	switch req := req.(type) {
	case *kmsg.ProduceRequest:
		t.add(acksKey, seen, acksText(req.Acks))
	case *kmsg.JoinGroupRequest:
		t.add(sessionKey, seen, strconv.Itoa(int(req.SessionTimeoutMillis)))
	}
}

// acksText returns acks as a configuration has them.
func acksText(acks int16) string {
	if acks == -1 {
		return "all"
	}
	return strconv.Itoa(int(acks))
}

// keyHook adds what a client tells about one key. It has client.HookPolled and
// client.HookApplied.
type keyHook struct {
	t   *timeline
	key string
}

func (h keyHook) OnPolled(_ context.Context, ev kcfg.Polled) {
	value := none
	for _, o := range ev.Overrides {
		if o.Key == h.key {
			value = o.Value
		}
	}
	h.t.add(h.key, answered, value)
}

func (h keyHook) OnApplied(_ context.Context, ev kcfg.Applied) {
	if ev.Key == h.key {
		h.t.add(h.key, inForce, ev.New)
	}
}
