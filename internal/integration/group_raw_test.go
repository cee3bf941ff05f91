package integration_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// rawMember is a member of a classic group by requests of the test's own.
type rawMember struct {
	cl         *kgo.Client // its own: a join that waits holds up its connection
	group, id  string
	instance   *string
	topic      string // in its metadata
	generation int32
}

// The session timeouts of raw members, which send no heartbeats: one that the
// coordinator ends, and one that it does not end before the test does.
const mortal, immortal = 3 * time.Second, 10 * time.Minute

// join joins the group, and requires that it is let in.
func (m *rawMember) join(t *testing.T, session time.Duration) *kmsg.JoinGroupResponse {
	t.Helper()
	metadata := kmsg.NewConsumerMemberMetadata()
	metadata.Topics = []string{m.topic}
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name, protocol.Metadata = "range", metadata.AppendTo(nil)
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.InstanceID = m.group, m.id, m.instance
	req.SessionTimeoutMillis = int32(session.Milliseconds())
	req.RebalanceTimeoutMillis = int32(immortal.Milliseconds())
	req.ProtocolType, req.Protocols = "consumer", append(req.Protocols, protocol)
	resp, err := req.RequestWith(withTimeout(t), m.cl)
	if !assert.NoError(t, err) || !assert.Contains(t, []int16{0, memberIDRequired}, resp.ErrorCode) {
		return nil
	}
	m.id = resp.MemberID
	if resp.ErrorCode == memberIDRequired {
		return m.join(t, session)
	}
	m.generation = resp.Generation
	return resp
}

// sync is what follows a join. The leader's gives nobody anything.
func (m *rawMember) sync(t *testing.T) {
	t.Helper()
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.MemberID, req.InstanceID, req.Generation = m.group, m.id, m.instance, m.generation
	protocolType, protocol := "consumer", "range"
	req.ProtocolType, req.Protocol = &protocolType, &protocol
	resp, err := req.RequestWith(withTimeout(t), m.cl)
	require.NoError(t, err)
	require.Zero(t, resp.ErrorCode)
}

func (m *rawMember) beat(t *testing.T) {
	t.Helper()
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.InstanceID, req.Generation = m.group, m.id, m.instance, m.generation
	resp, err := req.RequestWith(withTimeout(t), m.cl)
	require.NoError(t, err)
	require.Zero(t, resp.ErrorCode)
}

// rawPair is a group of two, the first of which is the leader, and a way to see it.
type rawPair struct {
	*memberGroup
	leader, follower *rawMember
}

// newRawPair makes a group of two in one generation.
func newRawPair(t *testing.T, c *kafkatest.Cluster, static bool, leader, follower time.Duration) rawPair {
	t.Helper()
	g := &memberGroup{c: c, adm: admin(t, c), id: name(t)}
	member := func(instance string) *rawMember {
		m := &rawMember{cl: bare(t, c.Addrs()), group: g.id, topic: "orders"}
		if static {
			m.instance = &instance
		}
		return m
	}
	p := rawPair{g, member("leader"), member("follower")}
	p.leader.join(t, leader)
	p.leader.sync(t)
	p.rebalance(t, leader, follower)
	return p
}

// rebalance makes both join.
func (p rawPair) rebalance(t *testing.T, leader, follower time.Duration) {
	t.Helper()
	var both sync.WaitGroup
	both.Go(func() { p.follower.join(t, follower) })
	p.awaitState(t, "PreparingRebalance")
	both.Go(func() { p.leader.join(t, leader) })
	both.Wait()
	p.finish(t)
}

// finish ends a rebalance that both have joined.
func (p rawPair) finish(t *testing.T) {
	t.Helper()
	require.Equal(t, p.leader.generation, p.follower.generation)
	p.leader.sync(t)
	p.follower.sync(t)
	p.awaitState(t, "Stable")
}

func (p rawPair) awaitState(t *testing.T, want string) {
	t.Helper()
	eventually(t, func() bool { return p.describe(t).State == want }, want)
}

// awaitExpelled waits until one of the two is expelled and the other is not.
func (p rawPair) awaitExpelled(t *testing.T, gone, stays *rawMember) {
	t.Helper()
	eventually(t, func() bool { return assert.ObjectsAreEqual([]string{stays.id}, p.memberIDs(t)) }, "only the other is left")
	assert.NotEqual(t, gone.id, stays.id)
}
