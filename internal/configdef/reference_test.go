package configdef

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"
)

func modes() map[string]mode {
	return map[string]mode{
		"plain":           {},
		"group":           {group: true},
		"next generation": {group: true, nextGen: true},
		"next, no group":  {nextGen: true},
		"share":           {share: true},
		"share, next":     {share: true, nextGen: true},
	}
}

func TestReferenceDialsNothingAndLeavesNoGoroutine(t *testing.T) {
	for name, m := range modes() {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			var dials atomic.Int32
			cl, err := newReference(m, func(context.Context, string, string) (net.Conn, error) {
				dials.Add(1)
				return nil, errors.New("no")
			})
			require.NoError(t, err)
			goleak.VerifyNone(t, before)
			assert.Zero(t, dials.Load())
			assert.Equal(t, 45*time.Second, cl.OptValue(kgo.SessionTimeout), "a closed client still tells its options")
			assert.Error(t, cl.Context().Err(), "the reference is closed")
		})
	}
}

func TestReferenceHasTheModeOfTheClient(t *testing.T) {
	for name, m := range modes() {
		cl, err := newReference(m, refuse)
		require.NoError(t, err)
		assert.Equal(t, m, modeOf(&view{opts: cl.OptValues}), name)
	}
}

func TestReferenceIsBuiltOnceForASource(t *testing.T) {
	s := NewSource(newClient(t, kgo.ConsumerGroup("g")))
	first := s.Collect(every)
	s.opts = func(opt any) []any { // a client of another mode, which must not matter any more
		if optName(opt) == "ConsumerGroup" {
			return []any{""}
		}
		return nil
	}
	ref := s.reference(consumer)
	assert.Equal(t, "kcfg-reference", get[string](ref, kgo.ConsumerGroup))
	assert.NotEmpty(t, first)
}

// A kgo that one day refuses its own defaults must cost the defaults, not the
// push.
func TestWithoutAReferenceNothingIsADefault(t *testing.T) {
	s := NewSource(newClient(t))
	s.refOnce.Do(func() { s.refOpts = func(any) []any { return nil } })

	entries := s.Collect(producer)
	assert.Greater(t, len(entries), 15)
	for _, e := range entries {
		assert.False(t, e.IsDefault, e.Key)
	}
	_, ok := s.Read("retry.backoff.ms", producer)
	assert.False(t, ok, "the reference is needed to recognize kgo's own function")
}
