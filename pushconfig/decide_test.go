package pushconfig

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

func TestDecide(t *testing.T) {
	now := time.Unix(1000, 0)
	later, before := now.Add(time.Minute), now.Add(-time.Minute)
	a := newSet([]sensitive.Entry{{Key: "acks", Value: "all", Type: sensitive.String}}, nil)
	b := newSet([]sensitive.Entry{{Key: "acks", Value: "1", Type: sensitive.String}}, nil)
	none := newSet(nil, nil)
	ready := memory{seen: true, supported: true}
	with := func(m memory, change func(*memory)) memory { change(&m); return m }

	for _, tt := range []struct {
		name  string
		m     memory
		set   set
		asked bool
		want  step
	}{
		{"no connection yet", memory{}, a, false, step{state: kcfg.PushWaiting}},
		{"no connection yet, and asked", memory{}, a, true, step{state: kcfg.PushWaiting}},
		{"nothing may be sent", ready, none, true, step{state: kcfg.PushNothing}},
		{"no support", memory{seen: true}, a, true, step{state: kcfg.PushUnsupported}},
		{"support", ready, a, false, step{push: true}},
		{"pushed already", with(ready, func(m *memory) { m.pushed = &a.sum }), a, true, step{state: kcfg.PushPushed}},
		{"changed since", with(ready, func(m *memory) { m.pushed = &a.sum }), b, false, step{push: true}},
		{"failed", with(ready, func(m *memory) { m.failed, m.retryAt = &a.sum, later }), a, false, step{state: kcfg.PushFailed, until: later}},
		{"failed, an hour ago", with(ready, func(m *memory) { m.failed, m.retryAt = &a.sum, before }), a, false, step{push: true}},
		{"failed, and asked", with(ready, func(m *memory) { m.failed, m.retryAt = &a.sum, later }), a, true, step{push: true}},
		{"failed, and changed since", with(ready, func(m *memory) { m.failed, m.retryAt = &a.sum, later }), b, false, step{push: true}},
		{"not allowed", with(ready, func(m *memory) { m.ended = true }), b, false, step{state: kcfg.PushFailed}},
		{"not allowed, and asked", with(ready, func(m *memory) { m.ended = true }), b, true, step{push: true}},
		{"silent", with(ready, func(m *memory) { m.silent = later }), b, true, step{state: kcfg.PushUnsupported, until: later}},
		{"silence is over", with(ready, func(m *memory) { m.silent = before }), b, false, step{push: true}},
		{"newly supported", with(ready, func(m *memory) { m.notBefore = later }), a, false, step{state: kcfg.PushWaiting, until: later}},
		{"newly supported, and asked", with(ready, func(m *memory) { m.notBefore = later }), a, true, step{push: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, tt.m.decide(tt.set, tt.asked, now))
		})
	}
}
