package client_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// The timeouts of the tests here are a fifth of usual ones, since the coordinator
// really expels who does not beat in time: a session of 2s with a heartbeat every
// 400ms stands for 10s and 2s, and 8s with 2.5s for 40s and 12.5s. What matters
// stays: the long heartbeat interval is above the short session timeout, and what
// kgo can make of it, 2.4s, too.
const (
	shortSession, shortBeat = 2 * time.Second, 400 * time.Millisecond
	longSession, longBeat   = 8 * time.Second, 2500 * time.Millisecond
)

// oneLongGap is how many heartbeats of the short interval are kept back in one
// gap of the long one.
const oneLongGap = 5

// longer is for how many heartbeats of the short interval a member has to live to
// outlive a short session, and a gap of the long interval.
const longer = 7

// joinSeen is a JoinGroup as the coordinator saw it.
type joinSeen struct {
	session   int32
	swallowed int // heartbeats kept back until then
}

// timely is a member whose heartbeats and joins are watched.
type timely struct {
	*member
	c     *fakebroker.Cluster
	beats kgoBeats
	id    string

	mu    sync.Mutex
	joins []joinSeen
}

// newTimely makes a member and waits until it has its partitions.
func newTimely(t *testing.T, session, beat time.Duration, c *fakebroker.Cluster, delay time.Duration) *timely {
	t.Helper()
	m := &timely{c: c}
	c.Kfake().ControlKey(int16(kmsg.JoinGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		m.mu.Lock()
		defer m.mu.Unlock()
		// kgo waits for the answer to a heartbeat before it joins.
		m.joins = append(m.joins, joinSeen{req.(*kmsg.JoinGroupRequest).SessionTimeoutMillis, m.beats.swallowed(c)})
		return nil, nil, false
	})
	m.member = newMember(t, c, []kgo.Opt{kgo.SessionTimeout(session), kgo.HeartbeatInterval(beat), kgo.WithHooks(&m.beats)},
		client.RejoinDelay(delay), client.SessionTimeoutBounds(time.Second, time.Minute))
	steady(t, []*member{m.member}, 3)
	m.id, _ = m.GroupMetadata()
	return m
}

func (m *timely) seen() []joinSeen {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]joinSeen(nil), m.joins...)
}

// awaitJoins waits for the n-th join from here on, and returns those so far.
func (m *timely) awaitJoins(t *testing.T, before, n int) []joinSeen {
	t.Helper()
	require.NoError(t, m.c.Wait(withTimeout(t), func() bool { return len(m.seen()) >= before+n }))
	return m.seen()[before:]
}

// live lets the member live on for more heartbeats, kept back or not, and requires that it
// was never expelled.
func (m *timely) live(t *testing.T, more int64) {
	t.Helper()
	until := m.beats.written.Load() + more
	eventually(t, func() bool { return m.beats.written.Load() >= until }, "heartbeats")
	id, _ := m.GroupMetadata()
	assert.Equal(t, m.id, id)
	_, _, lost := m.counts()
	assert.Zero(t, lost)
	assert.Zero(t, m.pollErrors.Load())
}

func quickSessions(t *testing.T, opts ...kfake.Opt) *fakebroker.Cluster {
	t.Helper()
	return overriding(t, fakebroker.KfakeOpts(append(opts, kfake.GroupMinSessionTimeout(time.Second))...))
}

func override(t *testing.T, c *fakebroker.Cluster, session, beat string) {
	t.Helper()
	set(t, c, kcfg.Set("session.timeout.ms", session), kcfg.Set("heartbeat.interval.ms", beat))
}

// With the usual values, and without the rest, this is
// TestHeartbeatsDoNotGetLongerBeforeTheJoinThatAllowsIt.
func TestAMemberStaysBeforeDuringAndAfterTheJoinThatMakesItsHeartbeatsLonger(t *testing.T) {
	t.Parallel()
	c := quickSessions(t)
	m := newTimely(t, shortSession, shortBeat, c, longBeat)
	before := len(m.seen())
	override(t, c, "8000", "2500")
	require.NoError(t, m.RefreshConfigs(withTimeout(t)))

	joins := m.awaitJoins(t, before, 1)
	assert.Equal(t, []joinSeen{{8000, 0}}, joins, "none was kept back for longer than a short session")
	require.NoError(t, m.WaitApplied(withTimeout(t), "session.timeout.ms"))
	require.NoError(t, m.WaitApplied(withTimeout(t), "heartbeat.interval.ms"))
	eventually(t, func() bool { return m.beats.swallowed(c) > oneLongGap }, "one gap is over, which is longer than a short session")
	m.live(t, 1)
	assert.Len(t, m.seen(), before+1)
}

func TestHeartbeatsStayAsTheyAreIfTheBrokerRefusesTheLongerSession(t *testing.T) {
	t.Parallel()
	c := quickSessions(t, kfake.GroupMaxSessionTimeout(5*time.Second))
	m := newTimely(t, shortSession, shortBeat, c, time.Second)
	before := len(m.seen())
	override(t, c, "8000", "2500")
	require.NoError(t, m.RefreshConfigs(withTimeout(t)))

	joins := m.awaitJoins(t, before, 2)
	assert.Equal(t, []joinSeen{{8000, 0}, {2000, 0}}, joins)
	for _, key := range []string{"session.timeout.ms", "heartbeat.interval.ms"} {
		require.True(t, isA[*dynconfig.NotAppliedError](m.WaitApplied(withTimeout(t), key)), key)
		assert.Equal(t, kcfg.OverrideRejected, state(t, m.Status(), key).State, key)
	}
	m.live(t, longer)
	eventually(t, func() bool { return m.beats.swallowed(c) == 0 }, "none was kept back")
	assert.Equal(t, "400", *state(t, m.Status(), "heartbeat.interval.ms").InForce)
	assert.Len(t, m.seen(), before+2)
}

// On the way back the heartbeats go first: the join with the short session would
// expel a member that still kept the long interval.
func TestHeartbeatsGetShorterBeforeTheJoinWithTheShorterSession(t *testing.T) {
	t.Parallel()
	t.Run("when the overrides are removed", func(t *testing.T) {
		t.Parallel()
		c := quickSessions(t)
		override(t, c, "8000", "2500")
		m := newTimely(t, shortSession, shortBeat, c, shortSession)
		before := len(m.seen())
		assert.Equal(t, int32(8000), m.seen()[before-1].session)
		eventually(t, func() bool { return m.beats.swallowed(c) >= oneLongGap }, "both are in force")

		set(t, c, kcfg.Remove("session.timeout.ms"), kcfg.Remove("heartbeat.interval.ms"))
		require.NoError(t, m.RefreshConfigs(withTimeout(t)))
		swallowed := m.beats.swallowed(c) + 1 // one may be on its way to be counted
		joins := m.awaitJoins(t, before, 1)
		assert.Equal(t, int32(2000), joins[0].session)
		assert.LessOrEqual(t, joins[0].swallowed, swallowed, "before the join")
		m.live(t, longer)
		assert.Len(t, m.seen(), before+1)
		eventually(t, func() bool { return m.beats.swallowed(c) <= swallowed }, "after it, none was kept back")
	})
	t.Run("when they are shorter than the client's own", func(t *testing.T) {
		t.Parallel()
		c := quickSessions(t)
		m := newTimely(t, longSession, longBeat, c, client.RejoinNever)
		before := len(m.seen())
		override(t, c, "2000", "400")
		require.NoError(t, m.RefreshConfigs(withTimeout(t)))
		require.NoError(t, m.WaitApplied(withTimeout(t), "heartbeat.interval.ms"))
		assert.Len(t, m.seen(), before, "before the join")
		m.ForceRebalance()
		assert.Equal(t, int32(2000), m.awaitJoins(t, before, 1)[0].session)
		m.live(t, longer)
		assert.Len(t, m.seen(), before+1)
	})
}
