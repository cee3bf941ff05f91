package connpatch

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
)

const (
	seed1 = math.MinInt32
	seed2 = math.MinInt32 + 1
)

// Every situation that is a place at all, from the best to the worst.
func TestPlacesAreRankedByHowLittleTheyStandInTheWay(t *testing.T) {
	order := []candidate{
		{node: seed1, open: true},
		{node: 1, open: true},
		{node: seed1, open: true, busy: true},
		{node: seed1},
		{node: 1},
		{node: 1, open: true, busy: true},
	}
	best := -1
	for _, avoid := range []bool{false, true} { // avoided ones only as a last resort
		for _, c := range order {
			c.supports, c.avoid = true, avoid
			r := rank(c)
			assert.Greater(t, r, best, "%+v", c)
			best = r
		}
	}
}

func TestSomePlacesAreNone(t *testing.T) {
	for _, node := range []int32{1, seed1} {
		for _, open := range []bool{false, true} {
			for _, busy := range []bool{false, true} {
				for _, avoid := range []bool{false, true} {
					good := candidate{node: node, supports: true, open: open, busy: busy, avoid: avoid}
					assert.GreaterOrEqual(t, rank(good), 0, "%+v", good)
					c := good
					c.supports = false
					assert.Negative(t, rank(c), "nothing was proved there")
					c = good
					c.critical = true
					assert.Negative(t, rank(c), "group or transaction traffic")
					c = good
					c.ours = true
					assert.Negative(t, rank(c), "one of ours is on its way already")
				}
			}
		}
	}
}

// cluster is what a manager sees of one.
type cluster struct {
	tb testing.TB
	m  *Manager
}

func newCluster(tb testing.TB) *cluster {
	tb.Helper()
	return &cluster{tb, testManager(kcfg.DefaultProtocol(), nil)}
}

// connect opens a connection to the node and writes requests to it.
func (cl *cluster) connect(node int32, s support, unanswered, answered []int16) *Conn {
	cl.tb.Helper()
	cl.m.dial = testManager(kcfg.DefaultProtocol(), new(script)).dial
	c := dial(cl.tb, cl.m)
	c.addr = fmt.Sprintf("broker-%d:9092", node) // each node is a place of its own
	c.learned(s)
	require.True(cl.tb, cl.m.Connected(node, c))
	for i, key := range append(slices.Clone(answered), unanswered...) {
		_, err := c.Write(encodeAny(key, int32(i)))
		require.NoError(cl.tb, err)
		if i < len(answered) {
			c.answered(int32(i))
		}
	}
	return c
}

const everything = provesDescribe | provesAlter | provesPush

// targets returns every node that Target gives, with enough tries to see all.
func (cl *cluster) targets(key int16, avoid ...int32) []int32 {
	var got []int32
	for range 200 {
		node, ok := cl.m.Target(key, avoid...)
		if !ok {
			require.Empty(cl.tb, got)
			continue
		}
		if !slices.Contains(got, node) {
			got = append(got, node)
		}
	}
	slices.Sort(got)
	return got
}

const (
	metadata     = 3
	fetch        = 1
	joinGroup    = 11
	heartbeat    = 12
	endTxn       = 26
	createTopics = 19
)

func TestNothingIsATargetBeforeAnythingIsKnown(t *testing.T) {
	cl := newCluster(t)
	assert.Empty(t, cl.targets(902))
	c := dial(t, testManager(kcfg.DefaultProtocol(), new(script)))
	c.learned(everything)
	assert.False(t, cl.m.Supported(902))
}

func TestTargetIsASeedThatIsOpenAndIdle(t *testing.T) {
	cl := newCluster(t)
	cl.connect(seed1, everything, nil, []int16{metadata})
	cl.connect(seed2, everything, []int16{metadata}, nil)
	cl.connect(1, everything, nil, []int16{metadata})
	assert.Equal(t, []int32{seed1}, cl.targets(902))
}

func TestTargetIsAnIdleBrokerBeforeASeedThatIsNot(t *testing.T) {
	cl := newCluster(t)
	cl.connect(seed1, everything, []int16{metadata}, nil)
	cl.connect(1, everything, nil, []int16{metadata})
	cl.connect(2, everything, nil, []int16{metadata})
	cl.connect(3, everything, []int16{metadata}, []int16{metadata})
	assert.Equal(t, []int32{1, 2}, cl.targets(902))
}

func TestTargetIsASeedBeforeAConnectionThatWouldHaveToBeMade(t *testing.T) {
	cl := newCluster(t)
	require.NoError(t, cl.connect(seed1, everything, nil, []int16{metadata}).Close())
	require.NoError(t, cl.connect(1, everything, nil, []int16{metadata}).Close())
	cl.connect(2, everything, []int16{metadata}, nil)
	assert.Equal(t, []int32{seed1}, cl.targets(902))
	assert.Equal(t, []int32{1}, cl.targets(902, seed1))
	assert.Equal(t, []int32{2}, cl.targets(902, seed1, 1))
}

func TestOtherConnectionsOfANodeDoNotMakeItOpenOrBusy(t *testing.T) {
	cl := newCluster(t)
	cl.connect(1, everything, []int16{fetch}, nil)
	cl.connect(1, everything, []int16{createTopics}, nil)
	cl.connect(2, everything, []int16{fetch}, nil)
	cl.connect(2, everything, nil, []int16{metadata})
	cl.connect(2, everything, nil, []int16{fetch})
	for _, c := range cl.m.candidates(902) {
		assert.Equal(t, candidate{node: c.node, addr: c.addr, supports: true, open: c.node == 2}, c)
	}
	assert.Equal(t, []int32{2}, cl.targets(902))
}

func TestAvoidedNodesAreTheLastResort(t *testing.T) {
	cl := newCluster(t)
	cl.connect(seed1, everything, nil, []int16{metadata})
	cl.connect(1, everything, []int16{metadata}, nil)
	assert.Equal(t, []int32{1}, cl.targets(902, seed1))
	assert.Equal(t, []int32{seed1}, cl.targets(902, 1))
	assert.Equal(t, []int32{seed1}, cl.targets(902, 1, seed1))
}

func TestGroupAndTransactionConnectionsAreNeverTargets(t *testing.T) {
	for _, key := range []int16{8, 9, joinGroup, heartbeat, 13, 14, 68, 76, 24, 25, endTxn, 28} {
		cl := newCluster(t)
		cl.connect(1, everything, nil, []int16{key})
		cl.connect(1, everything, nil, []int16{metadata})
		assert.Empty(t, cl.targets(902), "key %d", key)
		assert.True(t, cl.m.Supported(902))

		cl.connect(seed1, everything, []int16{metadata}, nil)
		assert.Equal(t, []int32{seed1}, cl.targets(902, seed1), "key %d", key)
	}
}

func TestWhatAConnectionWasUsedForIsNotForgotten(t *testing.T) {
	cl := newCluster(t)
	cl.connect(1, everything, nil, []int16{heartbeat, metadata})
	cl.connect(2, everything, nil, []int16{metadata, endTxn, metadata})
	assert.Empty(t, cl.targets(902))
}

func TestANodeWithOneOfOursUnansweredIsNoTarget(t *testing.T) {
	cl := newCluster(t)
	c := cl.connect(1, everything, []int16{900}, nil)
	assert.Empty(t, cl.targets(902))
	c.answered(0)
	assert.Equal(t, []int32{1}, cl.targets(902))
}

// candidates are those for a push, without their addresses.
func (cl *cluster) candidates() []candidate {
	all := cl.m.candidates(902)
	for i := range all {
		all[i].addr = ""
	}
	return all
}

// kgo opens a new connection before the old one is closed.
func TestANodeIsAsBusyAsItsBusiestConnection(t *testing.T) {
	cl := newCluster(t)
	cl.connect(1, everything, []int16{metadata}, nil)
	cl.connect(1, everything, nil, []int16{metadata})
	cl.connect(2, everything, []int16{900}, nil)
	cl.connect(2, everything, nil, []int16{metadata})
	for range 100 { // they are looked at in any order
		assert.Equal(t, []candidate{
			{node: 1, supports: true, open: true, busy: true},
			{node: 2, supports: true, open: true, busy: true, ours: true},
		}, cl.candidates())
	}
}

func TestAConnectionOfNoNodeYetCountsForNone(t *testing.T) {
	cl := newCluster(t)
	cl.connect(0, everything, nil, []int16{metadata})
	write(t, dial(t, cl.m), encodeKey(heartbeat, 0, 0))
	assert.Equal(t, []candidate{{node: 0, supports: true, open: true}}, cl.candidates())
}

func TestOnlyNodesThatProvedTheRPCAreTargets(t *testing.T) {
	cl := newCluster(t)
	cl.connect(seed1, 0, nil, []int16{metadata})
	cl.connect(1, provesPush, nil, []int16{metadata})
	cl.connect(2, provesDescribe|provesAlter, nil, []int16{metadata})
	assert.Equal(t, []int32{1}, cl.targets(902))
	assert.Equal(t, []int32{2}, cl.targets(900))
	assert.Empty(t, cl.targets(metadata))
	assert.True(t, cl.m.Supported(901))
	assert.False(t, cl.m.Supported(metadata))

	// A new connection to a broker tells what the broker is now.
	cl.connect(1, 0, nil, nil)
	assert.Empty(t, cl.targets(902))
	assert.False(t, cl.m.Supported(902))
}

func TestTargetIsAlwaysAPlaceThatNoneIsBetterThan(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cl := newCluster(t)
		keys := rapid.SliceOfN(rapid.SampledFrom([]int16{metadata, metadata, fetch, heartbeat, createTopics}), 0, 2)
		node := rapid.SampledFrom([]int32{seed1, seed2, 1, 2, 3, 4})
		for _, node := range rapid.SliceOfNDistinct(node, 0, 6, rapid.ID).Draw(rt, "nodes") {
			answered, unanswered := keys.Draw(rt, "answered"), keys.Draw(rt, "unanswered")
			s := rapid.SampledFrom([]support{0, provesDescribe, provesPush}).Draw(rt, "support")
			if s == provesPush && rapid.Bool().Draw(rt, "ours") {
				unanswered = append(unanswered, 902)
			}
			cl.connect(node, s, unanswered, answered)
		}
		avoid := rapid.SliceOf(rapid.SampledFrom([]int32{seed1, 1, 2, 9})).Draw(rt, "avoid")
		target, ok := cl.m.Target(902, avoid...)
		got, best := -1, -1
		for _, c := range cl.m.candidates(902) {
			c.avoid = slices.Contains(avoid, c.node)
			r := rank(c)
			if c.node == target {
				got = r
			}
			if r >= 0 && (best < 0 || r < best) {
				best = r
			}
		}
		require.Equal(rt, best >= 0, ok)
		if ok {
			require.Equal(rt, best, got)
		}
	})
}
