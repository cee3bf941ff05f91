package connpatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// member returns the state of a member that synced at a time.
func member(at time.Time, session int32) *groupState {
	g := new(groupState)
	g.wroteJoin(true, false)
	g.joinAnswered(1, 1, session)
	g.synced(1, at)
	return g
}

func TestBeatsLeaveAtThePaceOfTheOverride(t *testing.T) {
	const session = 10_000
	start := time.Unix(1000, 0)
	sec := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	for name, tc := range map[string]struct {
		wanted time.Duration
		edit   func(*groupState)
		at     []float64 // seconds after the sync; kgo beats every second
		leave  []bool
	}{
		"no override":          {0, nil, []float64{1, 2, 3}, []bool{true, true, true}},
		"longer":               {3 * time.Second, nil, []float64{1, 2, 3, 4, 5, 6}, []bool{false, false, true, false, false, true}},
		"no multiple":          {3900 * time.Millisecond, nil, []float64{1, 2, 3, 4, 5, 6}, []bool{false, false, true, false, false, true}},
		"hardly longer":        {1500 * time.Millisecond, nil, []float64{1, 2, 3}, []bool{true, true, true}},
		"the same":             {time.Second, nil, []float64{1, 2}, []bool{true, true}},
		"shorter":              {100 * time.Millisecond, nil, []float64{1, 2}, []bool{true, true}},
		"as the session":       {session * time.Millisecond, nil, []float64{1, 2}, []bool{true, true}},
		"above the session":    {time.Minute, nil, []float64{1, 2}, []bool{true, true}},
		"just below":           {session*time.Millisecond - 1, nil, []float64{1, 2}, []bool{false, false}},
		"session unknown":      {3 * time.Second, func(g *groupState) { g.inForce = 0 }, []float64{1, 2}, []bool{true, true}},
		"transactions":         {3 * time.Second, func(g *groupState) { g.txn = true }, []float64{1, 2}, []bool{true, true}},
		"rebalancing":          {3 * time.Second, func(g *groupState) { g.beatFailed(1, 25) }, []float64{1, 2}, []bool{true, true}},
		"an old failure":       {3 * time.Second, func(g *groupState) { g.beatFailed(0, 25) }, []float64{1, 2}, []bool{false, false}},
		"left":                 {3 * time.Second, func(g *groupState) { g.left(true) }, []float64{1}, []bool{true}},
		"joining":              {3 * time.Second, func(g *groupState) { g.wroteJoin(true, false) }, []float64{1}, []bool{true}},
		"the fast check":       {3 * time.Second, nil, []float64{0.5, 1, 1.5}, []bool{true, true, true}},
		"a forced one between": {5 * time.Second, nil, []float64{1, 2, 2.3, 3.3}, []bool{false, false, true, false}},
		"10% early":            {3 * time.Second, nil, []float64{0.9, 1.8}, []bool{false, false}},
		"a static member that returned": {3 * time.Second, func(g *groupState) {
			g.wroteJoin(true, true)
			g.joinAnswered(2, 1, session)
			g.synced(2, g.lastWire)
		}, []float64{1, 2, 3, 4}, []bool{true, false, false, true}},
		"late": {3 * time.Second, nil, []float64{2.5}, []bool{true}},
	} {
		t.Run(name, func(t *testing.T) {
			g := member(start, session)
			if tc.edit != nil {
				tc.edit(g)
			}
			for i, at := range tc.at {
				p := g.beat(sec(at), time.Second, tc.wanted)
				assert.Equal(t, tc.leave[i], !p.swallow, "at %v", at)
			}
		})
	}
}

func TestAGapIsNeverLongerThanTheOverride(t *testing.T) {
	start := time.Unix(1000, 0)
	for wanted := time.Second; wanted < 20*time.Second; wanted += 370 * time.Millisecond {
		g := member(start, 20_000)
		last := start
		for i := range 200 {
			now := start.Add(time.Duration(i+1) * time.Second)
			if !g.beat(now, time.Second, wanted).swallow {
				assert.LessOrEqual(t, now.Sub(last), wanted)
				last = now
			}
		}
		assert.NotEqual(t, start, last)
	}
}

func TestThePaceIsToldWhenItIsFollowed(t *testing.T) {
	start := time.Unix(1000, 0)
	g := member(start, 10_000)
	at := start.Add
	assert.Equal(t, beatPlan{}, g.beat(at(time.Second), time.Second, 0), "no override")
	assert.Equal(t, beatPlan{swallow: true}, g.beat(at(2*time.Second), time.Second, 2*time.Second))
	assert.Equal(t, beatPlan{paced: true}, g.beat(at(3*time.Second), time.Second, 2*time.Second))
	assert.Equal(t, beatPlan{apart: true}, g.beat(at(3100*time.Millisecond), time.Second, 2*time.Second), "a forced one")
	assert.Equal(t, beatPlan{}, g.beat(at(4100*time.Millisecond), time.Second, time.Minute), "above the session")
	assert.Equal(t, beatPlan{}, g.beat(at(5*time.Second), time.Second, time.Millisecond), "none was added yet")
	g.lastOwn = at(5 * time.Second)
	assert.Equal(t, beatPlan{paced: true}, g.beat(at(5*time.Second), time.Second, time.Millisecond))
	g.left(false)
	assert.Equal(t, beatPlan{apart: true}, g.beat(at(6*time.Second), time.Second, 2*time.Second))
}

func TestARefusedSessionFallsBack(t *testing.T) {
	const configured, good, bad = 45_000, 20_000, 1000
	g := new(groupState)
	assert.EqualValues(t, configured, g.session(configured, nil))
	assert.EqualValues(t, bad, g.session(configured, new(int32(bad))))

	g.refuse(bad)
	assert.EqualValues(t, configured, g.session(configured, new(int32(bad))), "nothing good is known")
	assert.EqualValues(t, good, g.session(configured, new(int32(good))))

	g.wroteJoin(true, false)
	assert.True(t, g.joinAnswered(1, 5, good))
	assert.EqualValues(t, good, g.session(configured, new(int32(bad))), "the last good one")
	assert.EqualValues(t, configured, g.session(configured, nil))

	assert.True(t, g.refuse(good))
	assert.False(t, g.refuse(good))
	assert.EqualValues(t, configured, g.session(configured, new(int32(bad))), "refused as well")
}

func TestASessionIsInForceWithANewGenerationOnly(t *testing.T) {
	g := new(groupState)
	g.wroteJoin(true, false)
	assert.True(t, g.joinAnswered(1, 0, 10_000), "the first generation may be any")
	g.wroteJoin(true, false)
	assert.False(t, g.joinAnswered(2, 0, 20_000), "answered from the current generation")
	assert.EqualValues(t, 10_000, g.inForce)
	g.wroteJoin(true, false)
	assert.False(t, g.joinAnswered(2, 1, 20_000), "an answer to an older join")
	assert.True(t, g.joinAnswered(3, 1, 20_000))
	assert.EqualValues(t, 20_000, g.inForce)
	g.wroteJoin(true, false)
	assert.False(t, g.joinAnswered(4, 1, 5000))
	assert.EqualValues(t, 5000, g.inForce, "a static member may have been heard")
	g.wroteJoin(true, true)
	assert.True(t, g.joinAnswered(5, 1, 30_000), "a new member, perhaps of a new group")
	g.wroteJoin(false, false)
	assert.Zero(t, g.inForce, "a join that was not read")
	assert.False(t, g.joinAnswered(6, 2, 0))
}

func TestBeatsAreAddedWhileActive(t *testing.T) {
	start := time.Unix(1000, 0)
	g := new(groupState)
	_, ok := g.extra(time.Second)
	assert.False(t, ok, "no member")

	g = member(start, 10_000)
	at, ok := g.extra(time.Second)
	assert.True(t, ok)
	assert.Equal(t, start.Add(time.Second), at)

	g.lastOwn = start.Add(time.Second) // tried, and perhaps never written
	at, _ = g.extra(time.Second)
	assert.Equal(t, start.Add(2*time.Second), at)

	g.beat(start.Add(1500*time.Millisecond), 3*time.Second, time.Second)
	at, _ = g.extra(time.Second)
	assert.Equal(t, start.Add(2500*time.Millisecond), at)

	_, ok = g.extra(0)
	assert.False(t, ok)
	g.beatFailed(1, 25)
	_, ok = g.extra(time.Second)
	assert.False(t, ok)
}

func TestASyncOfAnOlderJoinMakesNoMember(t *testing.T) {
	g := new(groupState)
	g.wroteJoin(true, false)
	g.wroteJoin(true, false)
	g.synced(1, time.Unix(1, 0))
	assert.False(t, g.active)
	g.synced(2, time.Unix(1, 0))
	assert.True(t, g.active)
}
