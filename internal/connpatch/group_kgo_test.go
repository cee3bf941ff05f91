package connpatch

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

// coordinator is what a cluster's group coordinator saw.
type coordinator struct {
	mu       sync.Mutex
	sessions []int32
	members  []string
	refuse   func(session int32) bool
	beats    atomic.Int64
	lost     atomic.Int64 // of the application's
	assigned atomic.Int64
}

func watchCoordinator(c *kfake.Cluster) *coordinator {
	o := new(coordinator)
	c.ControlKey(keyJoinGroup, func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		r := req.(*kmsg.JoinGroupRequest)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.sessions = append(o.sessions, r.SessionTimeoutMillis)
		o.members = append(o.members, r.MemberID)
		if o.refuse == nil || !o.refuse(r.SessionTimeoutMillis) {
			return nil, nil, false
		}
		resp := r.ResponseKind().(*kmsg.JoinGroupResponse)
		resp.ErrorCode = codeInvalidSession
		return resp, nil, true
	})
	c.ControlKey(keyHeartbeat, func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		o.beats.Add(1)
		return nil, nil, false
	})
	return o
}

func (o *coordinator) joins() []int32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]int32(nil), o.sessions...)
}

func (o *coordinator) refusing(f func(int32) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refuse = f
}

const (
	configuredSession = 10_000
	configuredBeat    = 100 * time.Millisecond
)

// startMember makes a member of a classic group and waits until it is one.
func startMember(ctx context.Context, t *testing.T, c *kfake.Cluster, o *coordinator, before func(*Manager), opts ...kgo.Opt) (*kgo.Client, *watch) {
	t.Helper()
	var cl *kgo.Client
	w := &watch{m: NewManager(kcfg.DefaultProtocol(), plaintext(), nil)}
	w.m.SetGroup(Group{
		HeartbeatInterval: configuredBeat,
		SendHeartbeat: func(ctx context.Context) (int16, error) {
			req := kmsg.NewPtrHeartbeatRequest()
			req.Group = "group"
			req.MemberID, req.Generation = cl.GroupMetadata()
			resp, err := req.RequestWith(ctx, cl)
			if err != nil {
				return 0, err
			}
			return resp.ErrorCode, nil
		},
		ForceRebalance: func() { cl.ForceRebalance() },
	})
	if before != nil {
		before(w.m)
	}
	assigned := o.assigned.Load()
	ready := make(chan struct{})
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(c.ListenAddrs()...), kgo.Dialer(w.m.Dial), kgo.WithHooks(w),
		kgo.ConsumerGroup("group"), kgo.ConsumeTopics(topic), kgo.DefaultProduceTopic(topic),
		kgo.SessionTimeout(configuredSession * time.Millisecond), kgo.HeartbeatInterval(configuredBeat),
		kgo.OnPartitionsAssigned(func(context.Context, *kgo.Client, map[string][]int32) { <-ready; o.assigned.Add(1) }),
		kgo.OnPartitionsLost(func(context.Context, *kgo.Client, map[string][]int32) { o.lost.Add(1) }),
	}, opts...)...)
	require.NoError(t, err)
	close(ready) // cl is set
	t.Cleanup(func() { w.m.Close(); cl.Close() })
	waitFor(t, "not assigned", func() bool { return o.assigned.Load() > assigned || ctx.Err() != nil })
	return cl, w
}

// shutMember closes a member and fails unless its connections were understood.
func shutMember(t *testing.T, cl *kgo.Client, w *watch) {
	t.Helper()
	w.m.Close()
	shut(t, cl, w)
}

func TestASessionTimeoutIsChangedInOneRebalance(t *testing.T) {
	for name, opts := range map[string][]kgo.Opt{
		"cooperative": nil,
		"range":       {kgo.Balancers(kgo.RangeBalancer())},
		"static":      {kgo.InstanceID("instance")},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := timeLimit(t)
			c := startKfake(t, kfake.NumBrokers(1))
			o := watchCoordinator(c)
			cl, w := startMember(ctx, t, c, o, nil, opts...)
			id, generation := cl.GroupMetadata()
			before := w.m.Observe()
			assert.Equal(t, new(int32(configuredSession)), before.SessionTimeout)
			assert.True(t, before.ClassicGroup)
			assert.False(t, before.NewGroup)

			told := make(chan struct{}, 100)
			w.m.OnObserve(func() { told <- struct{}{} })
			w.m.SetPatches(&Patches{SessionTimeout: new(int32(20_000))})
			cl.ForceRebalance()
			waitFor(t, "not applied", func() bool { return w.m.Observe().Joins > before.Joins })
			assert.Equal(t, new(int32(20_000)), w.m.Observe().SessionTimeout)
			assert.NotEmpty(t, told)
			gotID, gotGeneration := cl.GroupMetadata()
			assert.Equal(t, id, gotID)
			assert.LessOrEqual(t, gotGeneration, generation+1)
			produceNumbers(ctx, t, cl, 0, 100)
			consumeNumbers(ctx, t, cl, 100)
			joins := o.joins()
			assert.EqualValues(t, 20_000, joins[len(joins)-1])
			assert.Zero(t, o.lost.Load())
			shutMember(t, cl, w)
		})
	}
}

func TestARefusedSessionTimeoutIsNotSeenByTheApplication(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.NumBrokers(1))
	o := watchCoordinator(c)
	cl, w := startMember(ctx, t, c, o, func(m *Manager) {
		m.SetPatches(&Patches{SessionTimeout: new(int32(20_000))})
	})
	o.refusing(func(s int32) bool { return s == 1000 })
	id, _ := cl.GroupMetadata()
	before, joins := w.m.Observe(), len(o.joins())
	assert.Equal(t, new(int32(20_000)), before.SessionTimeout)

	w.m.SetPatches(&Patches{SessionTimeout: new(int32(1000))})
	cl.ForceRebalance()
	waitFor(t, "did not join again", func() bool { return w.m.Observe().Joins > before.Joins })
	assert.Equal(t, []int32{1000, 20_000}, o.joins()[joins:], "the last good one")
	assert.Equal(t, []int32{1000}, w.m.Observe().Refused)
	assert.Equal(t, new(int32(20_000)), w.m.Observe().SessionTimeout)
	gotID, _ := cl.GroupMetadata()
	assert.Equal(t, id, gotID)
	produceNumbers(ctx, t, cl, 0, 100)
	consumeNumbers(ctx, t, cl, 100) // fails on any error of a poll
	assert.Zero(t, o.lost.Load())

	w.m.SetPatches(&Patches{SessionTimeout: new(int32(30_000))})
	assert.Empty(t, w.m.Observe().Refused)
	shutMember(t, cl, w)
}

// A broker that refuses everything must not be asked in a hot loop.
func TestIfEverySessionTimeoutIsRefusedTheClientIsTold(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.NumBrokers(1))
	o := watchCoordinator(c)
	cl, w := startMember(ctx, t, c, o, func(m *Manager) {
		m.SetPatches(&Patches{SessionTimeout: new(int32(20_000))})
	})
	joins := len(o.joins())
	o.refusing(func(int32) bool { return true })
	w.m.SetPatches(&Patches{SessionTimeout: new(int32(1000))})
	cl.ForceRebalance()
	waitFor(t, "the application is not told", func() bool { return o.lost.Load() > 0 })
	got := o.joins()[joins:]
	require.GreaterOrEqual(t, len(got), 3)
	assert.Equal(t, []int32{1000, 20_000, configuredSession}, got[:3])
	pause(ctx, 200*time.Millisecond)
	assert.Less(t, len(o.joins())-joins, 10, "kgo backs off")
	assert.Equal(t, []int32{1000, 20_000}, w.m.Observe().Refused)
	o.refusing(nil)
	before := w.m.Observe().Joins
	waitFor(t, "does not recover", func() bool { return w.m.Observe().Joins > before })
	shutMember(t, cl, w)
}

// timeOf returns how long it takes until n heartbeats have arrived.
func timeOf(t *testing.T, o *coordinator, n int64) time.Duration {
	t.Helper()
	start, before := time.Now(), o.beats.Load()
	waitFor(t, "no heartbeats", func() bool { return o.beats.Load() >= before+n })
	return time.Since(start)
}

func TestHeartbeatsFollowTheOverride(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.NumBrokers(1))
	o := watchCoordinator(c)
	cl, w := startMember(ctx, t, c, o, nil)
	timeOf(t, o, 3)
	assert.Nil(t, w.m.Observe().HeartbeatInterval)

	w.m.SetPatches(&Patches{HeartbeatInterval: new(int32(550))})
	waitFor(t, "not longer", func() bool { return w.m.Observe().HeartbeatInterval != nil })
	assert.Equal(t, new(int32(550)), w.m.Observe().HeartbeatInterval)
	assert.Greater(t, timeOf(t, o, 5), 1600*time.Millisecond, "500 ms each, and one may be near")

	w.m.SetPatches(&Patches{HeartbeatInterval: new(int32(20))})
	waitFor(t, "not shorter", func() bool { h := w.m.Observe().HeartbeatInterval; return h != nil && *h == 20 })
	assert.Less(t, timeOf(t, o, 40), 3*time.Second, "it would be 4 s as configured")

	w.m.SetPatches(&Patches{HeartbeatInterval: new(int32(configuredSession))})
	waitFor(t, "the override is still followed", func() bool { return w.m.Observe().HeartbeatInterval == nil })
	assert.Less(t, timeOf(t, o, 3), 8*time.Second, "as configured: it is not below the session timeout")
	w.m.SetPatches(nil)
	assert.Greater(t, timeOf(t, o, 10), 600*time.Millisecond, "none is added any more")

	joins := len(o.joins())
	produceNumbers(ctx, t, cl, 0, 100)
	consumeNumbers(ctx, t, cl, 100)
	assert.Len(t, o.joins(), joins, "no rebalance")
	shutMember(t, cl, w)
}

// An added heartbeat notices a rebalance before kgo's own does.
func TestAnAddedHeartbeatMakesTheClientRejoin(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.NumBrokers(1))
	o := watchCoordinator(c)
	slow := kgo.HeartbeatInterval(8 * time.Second)
	first, fw := startMember(ctx, t, c, o, func(m *Manager) {
		m.group.cfg.HeartbeatInterval = 8 * time.Second
		m.SetPatches(&Patches{HeartbeatInterval: new(int32(30))})
	}, slow, kgo.Balancers(kgo.RangeBalancer()))
	start := time.Now()
	second, sw := startMember(ctx, t, c, o, nil, kgo.Balancers(kgo.RangeBalancer()))
	assert.Less(t, time.Since(start), 5*time.Second)
	_, a := first.GroupMetadata()
	_, b := second.GroupMetadata()
	assert.Equal(t, a, b)
	shutMember(t, second, sw)
	shutMember(t, first, fw)
}

func TestAFirstJoinWaitsForTheFirstAnswer(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.NumBrokers(1))
	o := watchCoordinator(c)
	release := make(chan struct{})
	var cl *kgo.Client
	_, w := startMember(ctx, t, c, o, func(m *Manager) {
		m.HoldJoins(release, time.Minute)
		time.AfterFunc(300*time.Millisecond, func() {
			m.SetPatches(&Patches{SessionTimeout: new(int32(20_000))})
			assert.Empty(t, o.joins(), "it did not wait")
			close(release)
		})
	}, kgo.WithHooks(hookClient(func(c *kgo.Client) { cl = c })))
	for _, s := range o.joins() {
		assert.EqualValues(t, 20_000, s)
	}
	assert.EqualValues(t, 1, w.m.Observe().Joins)
	shutMember(t, cl, w)
}

// hookClient tells of a new client.
type hookClient func(*kgo.Client)

func (h hookClient) OnNewClient(cl *kgo.Client) { h(cl) }

func TestAFirstJoinWaitsNoLongerThanTheBound(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.NumBrokers(1))
	o := watchCoordinator(c)
	start := time.Now()
	cl, w := startMember(ctx, t, c, o, func(m *Manager) { m.HoldJoins(make(chan struct{}), 300*time.Millisecond) })
	took := time.Since(start)
	assert.GreaterOrEqual(t, took, 300*time.Millisecond)
	assert.Less(t, took, 10*time.Second)
	assert.Equal(t, new(int32(configuredSession)), w.m.Observe().SessionTimeout)
	shutMember(t, cl, w)
}

func TestCloseDuringAHeldJoinIsNotHeldUp(t *testing.T) {
	c := startKfake(t, kfake.NumBrokers(1))
	o := watchCoordinator(c)
	m := NewManager(kcfg.DefaultProtocol(), plaintext(), nil)
	m.HoldJoins(make(chan struct{}), time.Minute)
	m.SetPatches(&Patches{SessionTimeout: new(int32(20_000))})
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.Dialer(m.Dial),
		kgo.ConsumerGroup("group"), kgo.ConsumeTopics(topic), kgo.SessionTimeout(configuredSession*time.Millisecond))
	require.NoError(t, err)
	waitFor(t, "no join is held", func() bool { return m.Observe().ClassicGroup })
	start := time.Now()
	m.Close()
	cl.Close()
	assert.Less(t, time.Since(start), 10*time.Second)
	for _, s := range o.joins() {
		assert.EqualValues(t, configuredSession, s, "it leaves as kgo wrote it")
	}
}

func TestTheNewGroupProtocolIsLeftAlone(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t, kfake.NumBrokers(1))
	o := watchCoordinator(c)
	cl, w := startMember(ctx, t, c, o, func(m *Manager) {
		m.HoldJoins(make(chan struct{}), time.Minute)
		m.SetPatches(&Patches{SessionTimeout: new(int32(20_000)), HeartbeatInterval: new(int32(20))})
	}, kgo.ServerSideBalancer())
	produceNumbers(ctx, t, cl, 0, 100)
	consumeNumbers(ctx, t, cl, 100)
	assert.Empty(t, o.joins())
	assert.Zero(t, o.beats.Load())
	got := w.m.Observe()
	assert.True(t, got.NewGroup)
	assert.False(t, got.ClassicGroup)
	assert.Nil(t, got.SessionTimeout)
	assert.Nil(t, got.HeartbeatInterval)
	shutMember(t, cl, w)
}
