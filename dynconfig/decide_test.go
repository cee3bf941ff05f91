package dynconfig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/internal/transport"
)

func code(e *kerr.Error) error { return cfgerrors.FromCode(e.Code, "because") }

func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want action
	}{
		{nil, actDone},
		{io.EOF, actRetry},
		{&kgo.ErrFirstReadEOF{}, actRetry},
		{transport.ErrNoBroker, actRetry},
		{connpatch.ErrNotProved, actRetry},
		{context.Canceled, actRetry},
		{context.DeadlineExceeded, actRetry},
		{errTimeout, actRetry},
		{code(kerr.RequestTimedOut), actRetry},
		{code(kerr.InvalidRequest), actFail},
		{code(kerr.UnknownServerError), actFail},
		{transport.ErrBadAnswer, actFail},
		{errors.New("what"), actFail},
		{code(kerr.UnsupportedVersion), actSilent},
		{cfgerrors.ErrUnsupported, actUnsupported},
		{code(kerr.ClusterAuthorizationFailed), actRefused},
		{kgo.ErrClientClosed, actStop},
		{cfgerrors.ErrClosed, actStop},
	} {
		assert.Equal(t, tt.want, classify(tt.err), "%v", tt.err)
		if tt.err != nil {
			assert.Equal(t, tt.want, classify(fmt.Errorf("to broker 1: %w", tt.err)), "%v, wrapped", tt.err)
		}
	}
}

func TestDecide(t *testing.T) {
	now := time.Now()
	later := now.Add(time.Minute)
	for _, tt := range []struct {
		name    string
		m       schedule
		nothing bool
		want    step
	}{
		{"not connected", schedule{asked: true}, false, step{state: kcfg.DynamicWaiting}},
		{"no key", schedule{seen: true, supported: true, asked: true}, true, step{state: kcfg.DynamicNothing}},
		{"no broker", schedule{seen: true, asked: true}, false, step{state: kcfg.DynamicUnsupported}},
		{"silent, whoever asks", schedule{seen: true, supported: true, asked: true, silent: later}, false, step{state: kcfg.DynamicUnsupported, until: later}},
		{"first", schedule{seen: true, supported: true}, false, step{poll: true}},
		{"spread", schedule{seen: true, supported: true, next: later}, false, step{state: kcfg.DynamicWaiting, until: later}},
		{"between polls", schedule{seen: true, supported: true, answered: true, next: later}, false, step{state: kcfg.DynamicPolled, until: later}},
		{"between polls, asked", schedule{seen: true, supported: true, answered: true, next: later, asked: true}, false, step{poll: true}},
		{"time for the next", schedule{seen: true, supported: true, answered: true, next: now}, false, step{poll: true}},
		{"after a failure", schedule{seen: true, supported: true, answered: true, next: later, err: io.EOF}, false, step{state: kcfg.DynamicFailed, until: later}},
	} {
		assert.Equal(t, tt.want, tt.m.decide(tt.nothing, now), tt.name)
	}
}

func TestARejoinIsForcedOnceAndOnlyIfNoJoinCame(t *testing.T) {
	now := time.Now()
	var r rejoin
	force, until := r.plan(60000, nil, time.Minute, now)
	assert.False(t, force, "before the first join, which carries it")
	assert.Zero(t, until)

	inForce := new(int32(45000))
	force, until = r.plan(60000, inForce, time.Minute, now)
	assert.False(t, force)
	assert.Equal(t, now.Add(time.Minute), until)
	force, until = r.plan(60000, inForce, time.Minute, now.Add(59*time.Second))
	assert.False(t, force)
	assert.Equal(t, now.Add(time.Minute), until, "the time does not start again")

	force, _ = r.plan(60000, inForce, time.Minute, now.Add(time.Minute))
	assert.True(t, force)
	force, until = r.plan(60000, inForce, time.Minute, now.Add(time.Hour))
	assert.False(t, force, "once")
	assert.Zero(t, until)

	force, until = r.plan(60000, new(int32(60000)), time.Minute, now.Add(time.Hour))
	assert.False(t, force)
	assert.Zero(t, until)

	force, until = r.plan(45000, new(int32(60000)), 0, now.Add(time.Hour))
	assert.True(t, force, "and the way back, at once")
	assert.Zero(t, until)
}

func TestWhoMayBeMadeToRejoin(t *testing.T) {
	set := new(time.Minute)
	eager := with(func(s *Static) { s.Eager = true })
	for _, tt := range []struct {
		name  string
		s     Static
		delay *time.Duration
		want  bool
	}{
		{"cooperative", both(), nil, true},
		{"cooperative, with a delay", both(), set, true},
		{"cooperative, at once", both(), new(time.Duration(0)), true},
		{"cooperative, never", both(), new(RejoinNever), false},
		{"eager", eager, nil, false},
		{"eager, the application set a delay", eager, set, true},
		{"eager, never", eager, new(RejoinNever), false},
		{"transactional id and a group", with(transactional), set, false},
		{"no group", with(func(s *Static) { s.Group = false }), set, false},
		{"KIP-848", with(func(s *Static) { s.NewGroup = true }), set, false},
	} {
		assert.Equal(t, tt.want, mayRejoin(tt.s, tt.delay), tt.name)
	}
}
