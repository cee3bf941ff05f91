package connpatch

import (
	"slices"
	"time"
)

// groupState is what the wire told of a client's membership in a classic group.
// Its methods decide and have no clock. It belongs to the client, not to a
// connection: members live on when connections break.
type groupState struct {
	seq    uint64 // counts the JoinGroup requests that were written
	active bool   // a member with an assignment, and no rebalance known of
	txn    bool   // transactions were seen
	anew   bool   // that JoinGroup was of no member yet
	fresh  bool   // no heartbeat left since such a one was answered without error
	told   int    // heartbeats since that JoinGroup whose answer told of a rebalance

	lastWire time.Time // the last heartbeat that the broker saw; a sync is one
	lastKgo  time.Time // the last one that kgo wanted, or the sync
	lastOwn  time.Time // the last one that we tried to add

	inForce    int32 // session timeout that the coordinator took, 0 if unknown
	generation int32
	joined     bool // generation and inForce are those of a join
	refused    []int32
}

// wroteJoin notes a JoinGroup request. anew says that it is of no member yet, so
// that any generation is a new one; known is false if its session timeout could not be read.
func (g *groupState) wroteJoin(known, anew bool) {
	g.seq++
	g.active, g.anew, g.told = false, anew, 0
	g.joined = g.joined && !anew
	if !known {
		g.inForce = 0
	}
}

// left notes that the client is no active member any more, or about to be none.
func (g *groupState) left(forGood bool) {
	g.active = false
	if forGood {
		g.joined, g.inForce = false, 0
	}
}

// session returns the session timeout with which to join: the wanted one, the
// last that a coordinator took where the wanted one was refused, and in the end
// what kgo asked for, so that its refusal reaches kgo and nothing goes round.
func (g *groupState) session(configured int32, wanted *int32) int32 {
	switch {
	case wanted == nil:
		return configured
	case !slices.Contains(g.refused, *wanted):
		return *wanted
	case g.inForce != 0 && !slices.Contains(g.refused, g.inForce):
		return g.inForce
	}
	return configured
}

// joinAnswered notes a JoinGroup answer without error and reports whether it
// began a new generation. Without one the coordinator did not take the timeout.
func (g *groupState) joinAnswered(seq uint64, generation, session int32) bool {
	if seq != g.seq {
		return false
	}
	g.fresh = g.fresh || g.anew
	if g.joined && generation == g.generation {
		// A static member may have been heard nevertheless: expect the worst.
		g.inForce = min(g.inForce, session)
		return false
	}
	g.joined, g.generation, g.inForce = true, generation, session
	return session != 0
}

// refuse notes that a coordinator refused a session timeout that was not kgo's,
// and reports whether that is news.
func (g *groupState) refuse(session int32) bool {
	if slices.Contains(g.refused, session) {
		return false
	}
	g.refused = append(g.refused, session)
	return true
}

// synced notes a SyncGroup answer without error.
func (g *groupState) synced(seq uint64, now time.Time) {
	if seq != g.seq {
		return
	}
	g.active = true
	g.lastWire, g.lastKgo, g.lastOwn = now, now, time.Time{}
}

// beatFailed notes a heartbeat that was answered with an error. One from before
// the last join may be answered on another connection after the sync, and must
// not stop everything for good.
func (g *groupState) beatFailed(seq uint64, code int16) {
	if seq != g.seq {
		return
	}
	g.active = false
	if code == codeRebalance {
		g.told++
	}
}

// beatPlan is what becomes of a heartbeat of kgo.
type beatPlan struct {
	swallow bool // answer it here
	paced   bool // it leaves, and at the pace of the override
	apart   bool // it leaves, and tells nothing of the pace
}

// beat decides what becomes of a heartbeat that kgo sends now. The gap between
// two that leave is at most wanted, and at most two thirds of the session timeout
// in force, as long as kgo keeps to its interval.
//
// A beat that comes early is one that kgo forces, since it wants to know: it is
// never kept from the broker. 10% are for timers that are not exact.
func (g *groupState) beat(now time.Time, configured, wanted time.Duration) beatPlan {
	// What is left out must leave the coordinator time to hear of us: with a gap of
	// nearly the session timeout, one late heartbeat would expel the member.
	gap := min(wanted, time.Duration(g.inForce)*time.Millisecond*2/3)
	early := now.Sub(g.lastKgo) < configured-configured/10
	g.lastKgo = now
	var p beatPlan
	switch {
	case wanted <= 0 || configured <= 0:
	case !g.active:
		p.apart = true
	case wanted < configured:
		p.paced = !g.lastOwn.IsZero()
	case g.txn || wanted >= time.Duration(g.inForce)*time.Millisecond:
		// A transaction relies on the answer, or the coordinator would expel us.
	case early, g.fresh:
		// Who is let in without a member id is a static member, which may have
		// returned without a rebalance: the coordinator goes by the session timeout of
		// its former process then, until it has a heartbeat of this one.
		p.apart = true
	case now.Sub(g.lastWire)+configured <= gap:
		p.swallow = true
	default:
		p.paced = true
	}
	if !p.swallow {
		g.lastWire, g.fresh = now, false
	}
	return p
}

// extra tells when to add a heartbeat of our own, and false if there is none to
// add before something else happens.
func (g *groupState) extra(wanted time.Duration) (time.Time, bool) {
	if !g.active || wanted <= 0 {
		return time.Time{}, false
	}
	last := g.lastWire
	if g.lastOwn.After(last) {
		last = g.lastOwn // it may not have come to be written
	}
	return last.Add(wanted), true
}
