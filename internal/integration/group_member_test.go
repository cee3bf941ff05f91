package integration_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// quickBeat is a heartbeat interval with which rebalances are noticed soon.
const quickBeat = 200 * time.Millisecond

// groupMember is a consumer in a group, with what its application sees.
type groupMember struct {
	*kgo.Client
	ours *client.Client // nil if it is bare

	mu            sync.Mutex
	owned         map[string]bool
	revoked, lost int
	consumed      map[string]int // how often a value came
	pollErrors    []error
}

func (m *groupMember) note(topics map[string][]int32, f func(partition string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for topic, partitions := range topics {
		for _, p := range partitions {
			f(fmt.Sprint(topic, "/", p))
		}
	}
}

func (m *groupMember) callbacks() []kgo.Opt {
	return []kgo.Opt{
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, ps map[string][]int32) {
			m.note(ps, func(p string) { m.owned[p] = true })
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, ps map[string][]int32) {
			m.note(ps, func(p string) { delete(m.owned, p); m.revoked++ })
		}),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, ps map[string][]int32) {
			m.note(ps, func(p string) { delete(m.owned, p); m.lost++ })
		}),
	}
}

// poll polls until the test ends.
func (m *groupMember) poll(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			fetches := m.PollFetches(ctx)
			m.mu.Lock()
			if err := fetches.Err(); err != nil && ctx.Err() == nil {
				m.pollErrors = append(m.pollErrors, err)
			}
			fetches.EachRecord(func(r *kgo.Record) { m.consumed[string(r.Value)]++ })
			m.mu.Unlock()
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func (m *groupMember) counts() (owned, revoked, lost int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.owned), m.revoked, m.lost
}

// undisturbed requires that the application saw no error and lost no partition.
func (m *groupMember) undisturbed(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	assert.Zero(t, m.lost)
	assert.Empty(t, m.pollErrors)
}

// memberGroup is a group whose members consume a topic of their own. Its name is
// their client id, too.
type memberGroup struct {
	c          *kafkatest.Cluster
	adm        *kadm.Client
	topic, id  string
	partitions int
	members    []*groupMember
}

func newGroup(t *testing.T, c *kafkatest.Cluster, partitions int) *memberGroup {
	t.Helper()
	return &memberGroup{
		c: c, adm: admin(t, c), topic: newTopic(t, c, int32(partitions), 3), id: name(t), partitions: partitions,
	}
}

// entity is what overrides of the group's members are set for.
func (g *memberGroup) entity() kcfg.Entity { return anonymous().Client(g.id) }

func (g *memberGroup) options(m *groupMember, kopts []kgo.Opt) []kgo.Opt {
	all := append([]kgo.Opt{
		kgo.SeedBrokers(g.c.Addrs()...), kgo.ClientID(g.id), kgo.ConsumerGroup(g.id), kgo.ConsumeTopics(g.topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.HeartbeatInterval(quickBeat),
	}, m.callbacks()...)
	return append(all, kopts...)
}

func newMember() *groupMember {
	return &groupMember{owned: make(map[string]bool), consumed: make(map[string]int)}
}

// join adds a member of ours.
func (g *memberGroup) join(t *testing.T, kopts []kgo.Opt, opts ...client.Option) *groupMember {
	t.Helper()
	m := newMember()
	m.ours = ours(t, g.options(m, kopts), opts...)
	m.Client = m.ours.Client
	m.poll(t)
	g.members = append(g.members, m)
	return m
}

// joinBare adds a member without anything of kcfg.
func (g *memberGroup) joinBare(t *testing.T, kopts ...kgo.Opt) *groupMember {
	t.Helper()
	m := newMember()
	m.Client = bare(t, nil, g.options(m, kopts)...)
	m.poll(t)
	g.members = append(g.members, m)
	return m
}

// describe returns what the coordinator says of the group, and nothing while there
// is none.
func (g *memberGroup) describe(t *testing.T) kadm.DescribedGroup {
	t.Helper()
	described, err := g.adm.DescribeGroups(withTimeout(t), g.id)
	if err != nil || described[g.id].Err != nil {
		return kadm.DescribedGroup{}
	}
	return described[g.id]
}

// memberIDs returns the ids of those whom the coordinator takes for members.
func (g *memberGroup) memberIDs(t *testing.T) []string {
	t.Helper()
	var ids []string
	for _, m := range g.describe(t).Members {
		ids = append(ids, m.MemberID)
	}
	slices.Sort(ids)
	return ids
}

// steady waits until the coordinator and all members agree that each member has
// its share, and returns the generation.
func (g *memberGroup) steady(t *testing.T) (generation int32) {
	t.Helper()
	eventually(t, func() bool {
		_, generation = g.members[0].GroupMetadata()
		for _, m := range g.members {
			_, mine := m.GroupMetadata()
			owned, _, _ := m.counts()
			if mine <= 0 || mine != generation || owned != g.partitions/len(g.members) {
				return false
			}
		}
		d := g.describe(t)
		return d.State == "Stable" && len(d.Members) == len(g.members)
	}, "the group is steady")
	return generation
}

// standing is who owns what, as the members and the coordinator see it.
type standing map[string][]string

// standing returns it by member id. It is that of a steady group.
func (g *memberGroup) standing(t *testing.T) standing {
	t.Helper()
	mine, theirs := make(standing), make(standing)
	for _, m := range g.members {
		id, _ := m.GroupMetadata()
		m.mu.Lock()
		mine[id] = slices.Sorted(maps.Keys(m.owned))
		m.mu.Unlock()
	}
	for _, m := range g.describe(t).Members {
		assigned, ok := m.Assigned.AsConsumer()
		require.True(t, ok)
		for _, topic := range assigned.Topics {
			for _, p := range topic.Partitions {
				theirs[m.MemberID] = append(theirs[m.MemberID], fmt.Sprint(topic.Topic, "/", p))
			}
		}
		slices.Sort(theirs[m.MemberID])
	}
	require.Equal(t, theirs, mine, "the coordinator and the members agree")
	return mine
}

func (g *memberGroup) revocations() (out []int) {
	for _, m := range g.members {
		_, revoked, _ := m.counts()
		out = append(out, revoked)
	}
	return out
}

// refresh makes the members learn what is set, the last one first.
func (g *memberGroup) refresh(t *testing.T) {
	t.Helper()
	for _, m := range slices.Backward(g.members) {
		if m.ours != nil {
			require.NoError(t, m.ours.RefreshConfigs(withTimeout(t)))
		}
	}
}
