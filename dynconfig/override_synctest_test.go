package dynconfig

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

func TestAcksAreInForceWithTheNextProduceRequest(t *testing.T) {
	for _, acks := range []Acks{LeaderAck, NoAck} {
		w := newWorld()
		w.set = m{"acks": acks.String()}
		synctest.Test(t, func(t *testing.T) {
			p := w.connected(t)
			assert.Equal(t, int16(acks), *w.given().Acks)
			assert.Equal(t, kcfg.OverridePending, state(t, p, "acks").State)
			assert.Empty(t, w.applied)
			w.produce(p)
			assert.Equal(t, kcfg.OverrideApplied, state(t, p, "acks").State)
			require.Equal(t, []kcfg.Applied{{Key: "acks", Old: "all", New: acks.String(), Override: true}}, w.applied)
			assert.Equal(t, 1, w.count("a dynamic config changed [key acks old all new "+acks.String()+` source <user "alice", client-id "orders">]`))
		})
	}
}

func TestAcksOfAnIdempotentProducerStayAllAndTheReasonIsVisible(t *testing.T) {
	w := newWorld()
	w.static = with(idempotent)
	w.set = m{"acks": "1"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.produce(p)
		st := state(t, p, "acks")
		assert.Equal(t, kcfg.OverrideNotApplicable, st.State)
		assert.Contains(t, st.Reason, "kgo.DisableIdempotentWrite")
		assert.Empty(t, w.patches)
		require.Len(t, w.rejected, 1)
		assert.Equal(t, kcfg.OverrideNotApplicable, w.rejected[0].State)

		w.change(func(w *world) { w.set = m{"acks": "all"} })
		w.pause(interval)
		assert.Equal(t, kcfg.OverrideStatic, state(t, p, "acks").State, "all is no change")
		assert.Empty(t, w.patches)
		assert.NoError(t, p.WaitApplied(t.Context(), "acks"))
	})
}

func TestARemovedOverrideReturnsToStaticAfterASecondAnswerAgrees(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.produce(p)
		w.change(func(w *world) { w.set = m{} })
		w.pause(interval)
		require.Len(t, w.at, 3)
		assert.Equal(t, w.at[1], w.at[2], "asked at once")
		assert.Equal(t, [][]int32{nil, nil, {2}}, w.avoided, "of another broker")
		assert.Nil(t, w.given().Acks)
		assert.Equal(t, kcfg.OverridePending, state(t, p, "acks").State)
		w.produce(p)
		assert.Equal(t, kcfg.OverrideStatic, state(t, p, "acks").State)
		assert.Equal(t, kcfg.Applied{Key: "acks", Old: "1", New: "all"}, last(w.applied))
		w.pause(interval)
		assert.Len(t, w.at, 4, "no second question when nothing is missing")
	})
}

func TestOneStaleBrokerWithAnEmptyAnswerChangesNothing(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1", keySession: "12000", keyHeartbeat: "4000"}
	w.stale = map[int]bool{2: true, 5: true}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.produce(p)
		w.join(p)
		w.pause(3 * interval)
		assert.Len(t, w.patches, 1)
		assert.Equal(t, kcfg.OverrideApplied, state(t, p, "acks").State)
		assert.Len(t, w.applied, 3)
		assert.Empty(t, w.rejoins)
	})
}

func TestAGoodKeyNextToAnUnknownOneIsTakenAndTheOtherReported(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1", "sasl.jaas.config": "hunter2"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		assert.EqualValues(t, 1, *w.given().Acks)
		assert.Equal(t, kcfg.OverrideUnsupported, state(t, p, "sasl.jaas.config").State)
		require.Len(t, w.rejected, 1)
		assert.Equal(t, []kcfg.KeyValue{{Key: "acks", Value: "1"}}, w.polled[0].Overrides)
		assert.Zero(t, w.count("hunter2"))
		assert.NotContains(t, fmt.Sprint(w.rejected, w.polled), "hunter2")
	})
}

func TestTheSameValueAgainDoesNothing(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1", keySession: "12000", "unknown": "1", keyHeartbeat: "4000"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.produce(p)
		w.join(p)
		lines, applied, rejected := len(w.lines), len(w.applied), len(w.rejected)
		w.pause(20 * interval)
		assert.Len(t, w.patches, 1)
		assert.Len(t, w.lines, lines)
		assert.Len(t, w.applied, applied)
		assert.Len(t, w.rejected, rejected)
		assert.Empty(t, w.rejoins)
	})
}

func TestANewerRequestSetsNotApplicableWithOneWarning(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.change(func(w *world) {
			w.observed.Acks, w.observed.Newer = new(int16(-1)), map[int16]int16{0: 99}
		})
		w.pause(5 * interval)
		assert.Equal(t, kcfg.OverrideNotApplicable, state(t, p, "acks").State)
		assert.Equal(t, 1, w.count("WARN"))
		e, ok := errors.AsType[*NotAppliedError](p.WaitApplied(t.Context(), "acks"))
		require.True(t, ok)
		assert.Contains(t, e.Error(), "Produce v99")
	})
}

func TestAuditOnlyDoesEverythingButThePatching(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1", keySession: "12000", keyFetchMaxBytes: "7", "unknown": "1"}
	synctest.Test(t, func(t *testing.T) {
		p := w.poller(t, func(c *Config) {
			c.AuditOnly, c.AcceptOverrides, c.RejoinDelay = true, Keys(), new(time.Duration(0))
		})
		<-p.Ready() // at once: no join waits for the answer
		p.Connected(true)
		synctest.Wait()
		w.join(p)
		w.pause(3 * interval)
		assert.Greater(t, w.requests(), 3)
		assert.Empty(t, w.patches)
		assert.Empty(t, w.bytes)
		assert.Empty(t, w.rejoins)
		assert.Contains(t, state(t, p, "acks").Reason, "AuditOnly")
		assert.Len(t, w.rejected, 4)
		assert.True(t, p.Status().AuditOnly)
	})
}

func TestSuspendedOverridesAreAskedForAndNotUsed(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1", keySession: "12000"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.produce(p)
		w.join(p)
		p.Suspend("SuspendOverrides")
		p.Suspend("SuspendOverrides")
		p.Suspend("a second client")
		synctest.Wait()
		assert.Equal(t, connpatch.Patches{}, w.given())
		assert.Equal(t, "SuspendOverrides; a second client", p.Status().Suspended)
		assert.Contains(t, state(t, p, "acks").Reason, "a second client")
		w.produce(p)
		w.join(p)
		assert.Equal(t, "all", *state(t, p, "acks").InForce)
		w.change(func(w *world) { w.set = m{"acks": "0"} })
		w.pause(2 * interval)
		assert.Equal(t, connpatch.Patches{}, w.given())

		p.Resume("SuspendOverrides")
		synctest.Wait()
		assert.Equal(t, connpatch.Patches{}, w.given(), "one reason is left")
		p.Resume("a second client")
		synctest.Wait()
		assert.EqualValues(t, 0, *w.given().Acks, "the newest")
		assert.Nil(t, w.given().SessionTimeout)
	})
}

func TestFetchBytesGoThroughKgosOwnFunction(t *testing.T) {
	w := newWorld()
	w.set = m{keyFetchMaxBytes: "1000000"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t, func(c *Config) { c.AcceptOverrides = Keys() })
		require.Equal(t, []fetchBytes{{1000000, 1 << 20}}, w.bytes)
		assert.Equal(t, kcfg.OverrideApplied, state(t, p, keyFetchMaxBytes).State)
		w.change(func(w *world) { w.set = m{} })
		w.pause(3 * interval)
		assert.Equal(t, []fetchBytes{{1000000, 1 << 20}, {50 << 20, 1 << 20}}, w.bytes)
		assert.Equal(t, kcfg.OverrideStatic, state(t, p, keyFetchMaxBytes).State)
	})
}
