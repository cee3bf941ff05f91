package connpatch

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg"
)

// beating is a manager of a member with a shorter heartbeat interval.
func beating(send func() (int16, error), force func()) *Manager {
	m := testManager(kcfg.DefaultProtocol(), new(script))
	m.SetGroup(Group{
		HeartbeatInterval: 3 * time.Second,
		SendHeartbeat:     func(context.Context) (int16, error) { return send() },
		ForceRebalance:    force,
	})
	m.group.state = *member(time.Now(), 45_000)
	return m
}

func TestHeartbeatsAreAddedWhileTheOverrideIsShorter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64
		m := beating(func() (int16, error) { sent.Add(1); return 0, nil }, nil)
		in := func(d time.Duration) int64 {
			before := sent.Load()
			time.Sleep(d)
			synctest.Wait()
			return sent.Load() - before
		}
		assert.Zero(t, in(10*time.Second), "no override")
		m.SetPatches(&Patches{HeartbeatInterval: new(int32(3000))})
		assert.Zero(t, in(10*time.Second), "not shorter")
		assert.False(t, m.group.runs)
		m.SetPatches(&Patches{HeartbeatInterval: new(int32(1000))})
		assert.InDelta(t, 10, in(10*time.Second), 1)
		m.SetPatches(&Patches{HeartbeatInterval: new(int32(100))})
		assert.InDelta(t, 100, in(10*time.Second), 1)
		m.SetPatches(nil)
		assert.Zero(t, in(10*time.Second))
		assert.False(t, m.group.runs, "the goroutine ended")
		m.SetPatches(&Patches{HeartbeatInterval: new(int32(1000))})
		assert.InDelta(t, 10, in(10*time.Second), 1)

		m.group.mu.Lock()
		m.group.state.left(false)
		m.group.mu.Unlock()
		in(2 * time.Second)
		assert.Zero(t, in(10*time.Second), "no member")
		m.noteGroup(header{key: keyJoinGroup}, trafficGroup, new(joinFields))
		m.groupAnswered(keySyncGroup, 2, 0, time.Now())
		assert.InDelta(t, 10, in(10*time.Second), 1, "a member again")
		m.Close()
		assert.False(t, m.group.runs)
	})
}

func TestAHeartbeatThatFailsIsNotRepeatedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		m := beating(func() (int16, error) { sent++; return 0, errors.New("no broker") }, nil)
		m.SetPatches(&Patches{HeartbeatInterval: new(int32(1000))})
		time.Sleep(10 * time.Second)
		m.Close()
		assert.InDelta(t, 10, sent, 1)
	})
}

func TestAnAddedHeartbeatForcesARejoinUnlessOneBegan(t *testing.T) {
	for name, tc := range map[string]struct {
		code   int16
		during func(m *Manager)
		want   int
	}{
		"a rebalance":       {codeRebalance, func(*Manager) {}, 1},
		"another error":     {25, func(*Manager) {}, 0},
		"joining meanwhile": {codeRebalance, func(m *Manager) { m.noteGroup(header{key: keyJoinGroup}, trafficGroup, new(joinFields)) }, 0},
		"kgo was told, too": {codeRebalance, func(m *Manager) { m.groupAnswered(keyHeartbeat, 1, codeRebalance, time.Now()) }, 0},
		"transactions":      {codeRebalance, func(m *Manager) { m.sawTxn() }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				forced, sent := 0, 0
				var m *Manager
				m = beating(func() (int16, error) {
					sent++
					tc.during(m)
					m.groupAnswered(keyHeartbeat, 1, tc.code, time.Now())
					return tc.code, nil
				}, func() { forced++ })
				m.SetPatches(&Patches{HeartbeatInterval: new(int32(1000))})
				time.Sleep(10 * time.Second)
				m.Close()
				assert.Equal(t, tc.want, forced)
				assert.Equal(t, 1, sent, "no member after it")
			})
		})
	}
}

func TestCloseEndsAHeartbeatThatIsOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := beating(nil, nil)
		m.group.cfg.SendHeartbeat = func(ctx context.Context) (int16, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}
		m.SetPatches(&Patches{HeartbeatInterval: new(int32(1000))})
		time.Sleep(2 * time.Second)
		m.Close()
		assert.False(t, m.group.runs)
	})
}
