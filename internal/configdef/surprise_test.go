package configdef

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

// memoryLogger keeps what this package tells it; kgo has a lot to tell too.
type memoryLogger struct {
	level kgo.LogLevel

	mu    sync.Mutex
	lines [][]any
}

func (l *memoryLogger) Level() kgo.LogLevel { return l.level }

func (l *memoryLogger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	if !strings.HasPrefix(msg, "kcfg: ") {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, append([]any{level}, keyvals...))
}

// taken returns the lines and forgets them.
func (l *memoryLogger) taken() [][]any {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

// answers returns what the client says of its options from memory: kgo needs
// microseconds to find one, which adds up here.
func answers(cl *kgo.Client) func(any) []any {
	known := map[string][]any{}
	return func(opt any) []any {
		name := optName(opt)
		if _, ok := known[name]; !ok {
			known[name] = cl.OptValues(opt)
		}
		return known[name]
	}
}

// dependents returns, for each option that the table reads, the keys that are
// read from it in any kind.
func dependents(t *testing.T, plain func(any) []any) map[string][]string {
	t.Helper()
	deps := map[string][]string{}
	for _, r := range table {
		if r.told == 0 {
			continue
		}
		opts := map[string]bool{}
		s := newSource(func(opt any) []any { opts[optName(opt)] = true; return plain(opt) })
		s.refOnce.Do(func() { s.refOpts, s.refLimits = plain, *s.limits.Load() })
		clear(opts) // the limits are read for every key
		for kind := kcfg.Kind(1); kind <= every; kind++ {
			s.Read(r.key, kind)
		}
		switch r.key {
		case "fetch.max.bytes":
			opts["FetchMaxBytes"], opts["FetchMaxPartitionBytes"] = true, true
		case "max.partition.fetch.bytes":
			opts["FetchMaxBytes"], opts["FetchMaxPartitionBytes"] = true, true
		}
		for opt := range opts {
			deps[opt] = append(deps[opt], r.key)
		}
	}
	return deps
}

func surprises() map[string]func() []any {
	return map[string]func() []any{
		"an option that is gone": func() []any { return nil },
		"no value":               func() []any { return []any{} },
		"nil":                    func() []any { return []any{nil} },
		"a struct":               func() []any { return []any{struct{ int }{}} },
		"a pointer to nothing":   func() []any { return []any{(*kgo.Client)(nil)} },
		"a wider number":         func() []any { return []any{uint64(1)} },
		"a channel":              func() []any { return []any{make(chan int)} },
		"a function":             func() []any { return []any{func() {}} },
		"a nil function":         func() []any { return []any{(func(int) time.Duration)(nil)} },
		"a map":                  func() []any { return []any{map[string]any{}} },
		"a slice of nothing":     func() []any { return []any{[]any{nil}} },
		"no balancers":           func() []any { return []any{[]kgo.GroupBalancer{}} },
		"a nil balancer":         func() []any { return []any{[]kgo.GroupBalancer{nil}} },
		"no seeds":               func() []any { return []any{[]string{}} },
		"no codecs":              func() []any { return []any{[]kgo.CompressionCodec{}} },
		"a nil context":          func() []any { return []any{context.Context(nil)} },
		"an unknown level":       func() []any { return []any{int8(9)} },
		"a rewind":               func() []any { return []any{kgo.RewindOffset(0)} },
		"a panic":                func() []any { panic("secret") },
	}
}

func TestSurprisesOfKgoNeverPanicAndTouchNoOtherKey(t *testing.T) {
	cl := newClient(t, kgo.ConsumerGroup("g"), kgo.Rack("r"), kgo.InstanceID("i"),
		kgo.ProducerBatchCompression(kgo.SnappyCompression(), kgo.GzipCompression()))
	want := map[string]string{}
	known := answers(cl)
	plain := newSource(known)
	for _, r := range table {
		e, ok := plain.Read(r.key, every)
		want[r.key] = shown(e, ok)
	}
	deps := dependents(t, known)
	ref := answers(newClient(t, kgo.ConsumerGroup("reference")))
	require.Greater(t, len(deps), 40)

	for opt, keys := range deps {
		for name, value := range surprises() {
			opts := func(o any) []any {
				if optName(o) == opt {
					return value()
				}
				return known(o)
			}
			s := newSource(opts)
			s.refOnce.Do(func() { s.refOpts, s.refLimits = ref, plain.refLimits })
			require.NotPanics(t, func() {
				s.Collect(every)
				s.Skipped(every)
				kindOf(&view{opts: opts}, 0)
				modeOf(&view{opts: opts})
			}, "%s of %s", name, opt)
			for _, r := range table {
				if slices.Contains(keys, r.key) {
					continue
				}
				e, ok := s.Read(r.key, every)
				assert.Equal(t, want[r.key], shown(e, ok), "%s: %s of %s", r.key, name, opt)
			}
		}
	}
}

// A type that nobody expects must make every key that hangs on the option go
// away, rather than be told wrong.
func TestKeysOfAnOptionOfAnotherTypeAreLeftOut(t *testing.T) {
	cl := newClient(t, kgo.ConsumerGroup("g"), kgo.Rack("r"), kgo.InstanceID("i"), kgo.RackAwarePartitioning(),
		kgo.ProducerBatchCompression(kgo.SnappyCompression(), kgo.GzipCompression()), kgo.TransactionalID("tx"))
	type unheardOf struct{}
	// The options that are only looked at in passing: without them the key
	// still has its value.
	inPassing := []string{"WithContext", "WithLogger", "ShareGroup"}
	known := answers(cl)
	ref := answers(newClient(t, kgo.ConsumerGroup("reference")))
	for opt, keys := range dependents(t, known) {
		if slices.Contains(inPassing, opt) {
			continue
		}
		s := newSource(func(o any) []any {
			if optName(o) == opt {
				return []any{unheardOf{}}
			}
			return known(o)
		})
		s.refOnce.Do(func() { s.refOpts, s.refLimits = ref, readLimits(ref) })
		for _, key := range keys {
			kind := find(key).told
			if opt == "RequestRetries" {
				kind = admin
			}
			_, ok := s.Read(key, kind)
			assert.False(t, ok, "%s without %s", key, opt)
		}
	}
}

func TestASurpriseIsLoggedOnceForAKey(t *testing.T) {
	l := &memoryLogger{level: kgo.LogLevelDebug}
	cl := newClient(t, kgo.WithLogger(l), kgo.ConsumerGroup("g"))
	s := newSource(func(opt any) []any {
		switch optName(opt) {
		case "FetchMinBytes", "Rack":
			return []any{complex(1, 2)}
		}
		return cl.OptValues(opt)
	})
	for range 3 {
		s.Collect(consumer | producer)
		s.Skipped(consumer)
		s.Read("fetch.min.bytes", consumer)
	}
	assert.Empty(t, s.Skipped(every), "a surprise is for developers, not for operators")

	logged := map[string]int{}
	for _, line := range l.taken() {
		assert.Equal(t, []any{kgo.LogLevelDebug, "key", line[2], "reason", faultShape}, line)
		logged[line[2].(string)]++
	}
	assert.Equal(t, map[string]int{"client.rack": 1, "fetch.min.bytes": 1}, logged)
}

func TestASurpriseIsNotLoggedAboveDebug(t *testing.T) {
	l := &memoryLogger{level: kgo.LogLevelInfo}
	cl := newClient(t, kgo.WithLogger(l))
	for name, logger := range map[string][]any{"at info": {l}, "no logger": {nil}, "a changed logger": {3}} {
		s := newSource(func(opt any) []any {
			switch optName(opt) {
			case "ClientID":
				return nil
			case "WithLogger":
				return logger
			}
			return cl.OptValues(opt)
		})
		assert.NotContains(t, keysOf(s.Collect(producer)), "client.id", name)
	}
	assert.Empty(t, l.taken())
}
