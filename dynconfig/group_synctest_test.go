package dynconfig

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

func TestAPairIsTakenAndOneWithTheHeartbeatAboveTheSessionKeepsBoth(t *testing.T) {
	w := newWorld()
	w.set = m{keySession: "12000", keyHeartbeat: "4000"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.join(p)
		for _, bad := range []m{
			{keySession: "12000", keyHeartbeat: "13000"},
			{keySession: "12000", keyHeartbeat: "12000"},
			{keySession: "1", keyHeartbeat: "2000"},
			{keySession: "x", keyHeartbeat: "2001"},
		} {
			w.change(func(w *world) { w.set = bad })
			w.pause(interval)
			assert.Len(t, w.patches, 1, "after valid A and invalid B, A stays")
			for _, key := range []string{keySession, keyHeartbeat} {
				assert.Equal(t, kcfg.OverrideRejected, state(t, p, key).State)
			}
			assert.Equal(t, "12000", *state(t, p, keySession).InForce)
			assert.Equal(t, "4000", *state(t, p, keyHeartbeat).InForce)
		}
		w.pause(3 * interval)
		assert.Empty(t, w.rejoins)
		assert.Len(t, w.rejected, 8, "each once")
	})
}

func TestExactlyOneRejoinForASessionChangeNoneForAHeartbeatOrTheSameValue(t *testing.T) {
	w := newWorld()
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.join(p)
		w.change(func(w *world) { w.set = m{keyHeartbeat: "4000"} })
		w.pause(5 * interval)
		assert.Empty(t, w.rejoins, "for a heartbeat")

		w.change(func(w *world) { w.set = m{keyHeartbeat: "4000", keySession: "12000"} })
		w.pause(interval)
		learned := last(w.at)
		require.EqualValues(t, 12000, *w.given().SessionTimeout)
		assert.Empty(t, w.rejoins, "not before RejoinDelay, one interval")
		w.pause(5 * interval)
		require.Len(t, w.rejoins, 1, "even if nothing comes of it")
		assert.Equal(t, learned.Add(interval), w.rejoins[0])
		w.join(p)
		assert.Equal(t, kcfg.OverrideApplied, state(t, p, keySession).State)
		w.pause(5 * interval)
		assert.Len(t, w.rejoins, 1, "for the same value")
		assert.Equal(t, 1, p.Status().Rejoins)
	})
}

func TestAJoinWithinRejoinDelayCancelsTheForcedOne(t *testing.T) {
	w := newWorld()
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.join(p)
		w.change(func(w *world) { w.set = m{keySession: "12000"} })
		w.pause(interval)
		w.pause(interval / 3)
		w.join(p)
		w.pause(5 * interval)
		assert.Empty(t, w.rejoins)
		assert.Equal(t, kcfg.OverrideApplied, state(t, p, keySession).State)
	})
}

func TestTheFirstJoinCarriesTheValueWithoutARejoin(t *testing.T) {
	w := newWorld()
	w.set = m{keySession: "12000"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.pause(3 * interval)
		w.join(p)
		w.pause(3 * interval)
		assert.Empty(t, w.rejoins)
		assert.Equal(t, kcfg.OverrideApplied, state(t, p, keySession).State)
	})
}

func TestAChangeDuringAJoinIsAppliedAfterItOnce(t *testing.T) {
	w := newWorld()
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.join(p)
		w.change(func(w *world) { w.set = m{keySession: "12000"} })
		w.pause(interval)
		// The join that was under way left before the change.
		w.change(func(w *world) { w.observed.Joins++ })
		p.Changed()
		w.pause(5 * interval)
		assert.Len(t, w.rejoins, 1)
	})
}

func TestWhereARejoinIsNeverForced(t *testing.T) {
	for name, tt := range map[string]struct {
		static func(*Static)
		delay  *time.Duration
	}{
		"transactional id and a group": {transactional, new(time.Duration(0))},
		"eager balancer":               {func(s *Static) { s.Eager = true }, nil},
		"RejoinNever":                  {func(*Static) {}, new(RejoinNever)},
		"RejoinNever, eager":           {func(s *Static) { s.Eager = true }, new(RejoinNever)},
	} {
		w := newWorld()
		w.static = with(tt.static)
		synctest.Test(t, func(t *testing.T) {
			p := w.connected(t, func(c *Config) { c.RejoinDelay = tt.delay })
			w.join(p)
			w.change(func(w *world) { w.set = m{keySession: "12000"} })
			w.pause(10 * interval)
			require.EqualValues(t, 12000, *w.given().SessionTimeout, name)
			assert.Empty(t, w.rejoins, name)
			assert.Equal(t, kcfg.OverridePending, state(t, p, keySession).State, name)
		})
	}
}

func TestRejoinDelayOfZeroForcesAtOnceAlsoWithAnEagerBalancer(t *testing.T) {
	w := newWorld()
	w.static = with(func(s *Static) { s.Eager = true })
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t, func(c *Config) { c.RejoinDelay = new(time.Duration(0)) })
		w.join(p)
		w.change(func(w *world) { w.set = m{keySession: "12000"} })
		require.NoError(t, p.Refresh(t.Context()))
		synctest.Wait()
		require.Len(t, w.rejoins, 1)
		assert.Equal(t, last(w.at), w.rejoins[0])
	})
}

func TestASessionBelowTheBrokersMinimumGoesBackToTheLastGoodValueAndTakesItsHeartbeatAlong(t *testing.T) {
	w := newWorld()
	w.set = m{keySession: "12000", keyHeartbeat: "4000"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.join(p)
		w.change(func(w *world) { w.set = m{keySession: "60000", keyHeartbeat: "20000"} })
		w.pause(interval)
		require.EqualValues(t, 60000, *w.given().SessionTimeout)
		w.change(func(w *world) { w.observed.Refused = []int32{60000} })
		p.Changed()
		synctest.Wait()
		assert.EqualValues(t, 12000, *w.given().SessionTimeout)
		assert.EqualValues(t, 4000, *w.given().HeartbeatInterval)
		for _, key := range []string{keySession, keyHeartbeat} {
			assert.Equal(t, kcfg.OverrideRejected, state(t, p, key).State)
		}
		assert.Contains(t, state(t, p, keySession).Reason, "coordinator refused")
		n := len(w.patches)
		w.pause(10 * interval)
		assert.Len(t, w.patches, n, "it is not tried again")
		assert.Empty(t, w.rejoins)

		w.change(func(w *world) { w.set = m{keySession: "30000"} })
		w.pause(2 * interval)
		assert.EqualValues(t, 30000, *w.given().SessionTimeout, "another one is")
	})
}

func TestARefusedSessionWithoutALastGoodOneGoesBackToStatic(t *testing.T) {
	w := newWorld()
	w.set = m{keySession: "7000"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.change(func(w *world) { w.observed.Refused = []int32{7000} })
		p.Changed()
		synctest.Wait()
		assert.Nil(t, w.given().SessionTimeout)
		assert.Equal(t, kcfg.OverrideRejected, state(t, p, keySession).State)

		w.change(func(w *world) { w.set = m{} })
		w.pause(2 * interval)
		assert.Equal(t, kcfg.OverrideStatic, state(t, p, keySession).State)
		w.change(func(w *world) { w.set = m{keySession: "7000"} })
		w.pause(interval)
		assert.EqualValues(t, 7000, *w.given().SessionTimeout, "the operator may try again")
	})
}

func TestGroupsOfTheNewProtocolsAreSeenOnTheWire(t *testing.T) {
	w := newWorld()
	w.set = m{keySession: "12000", keyHeartbeat: "4000"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		require.NotNil(t, w.given().SessionTimeout)
		w.change(func(w *world) { w.observed.NewGroup = true })
		p.Changed()
		synctest.Wait()
		assert.Equal(t, connpatch.Patches{}, w.given())
		assert.Equal(t, kcfg.OverrideNotApplicable, state(t, p, keySession).State)
		w.join(p) // it fell back to the classic protocol
		assert.EqualValues(t, 12000, *w.given().SessionTimeout)
	})
}
