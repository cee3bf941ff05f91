package dynconfig

import (
	"fmt"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
)

// judgement is a verdict on the way.
type judgement struct {
	outcome Outcome
	reason  string
	n       int32
	wrong   bool // the value itself is, not only the key for this client
}

func taken(n int32) judgement { return judgement{n: n} }

func wrong(format string, args ...any) judgement {
	return judgement{outcome: Rejected, reason: fmt.Sprintf(format, args...), wrong: true}
}

func notApplicable(reason string) judgement {
	return judgement{outcome: NotApplicable, reason: reason}
}

// judge judges one override as if there were no other: whether the key can be
// changed on this client, then whether the value is one, by the key's row in the
// table, then whether this client can use it.
func judge(s Static, r Rules, key, value string) judgement {
	d, ok := configdef.DynamicOf(key)
	switch {
	case !ok:
		return judgement{outcome: Unsupported, reason: "it is no configuration that can be changed at run time"}
	case !r.accepts(key):
		return judgement{outcome: Rejected, reason: "the application does not accept it: it is not among AcceptOverrides"}
	case (key == keySession || key == keyHeartbeat) && (s.NewGroup || s.Kinds.Has(kcfg.KindShare)):
		return notApplicable(groupLever(s, key))
	case !d.Kinds.Overlaps(s.Kinds):
		return notApplicable("the client is no " + d.Kinds.String())
	}
	n, err := d.Number(value)
	if err != nil {
		return wrong("%v", err)
	}
	switch key {
	case keyAcks:
		return judgeAcks(s, r, Acks(n))
	case keySession:
		return judgeSession(s, r, n)
	case keyHeartbeat:
		return judgeHeartbeat(s, n)
	case keyFetchMaxWait:
		return judgeWait(n, s.FetchMaxWait+s.RequestTimeoutOverhead)
	case keyProduceTimeout:
		return judgeWait(n, s.ProduceTimeout+s.RequestTimeoutOverhead)
	case keyFetchMaxBytes, keyPartitionMaxBytes:
		return judgeBytes(n, s.MaxReadBytes)
	}
	return taken(n)
}

// groupLever names what does for a group of the new protocols what a client's
// own timeouts do for a classic one.
func groupLever(s Static, key string) string {
	group := "consumer"
	if s.Kinds.Has(kcfg.KindShare) {
		group = "share"
	}
	return fmt.Sprintf("the broker decides the timeouts of the group: alter the group config %s.%s", group, key)
}

func judgeAcks(s Static, r Rules, a Acks) judgement {
	switch {
	case s.Acks == NoAck:
		return notApplicable("the client was built with acks=0 and expects no answers")
	case (s.Idempotent || s.Transactional) && a == AllAcks:
		return judgement{outcome: NoChange, reason: "an idempotent or transactional producer always waits for all"}
	case s.Transactional:
		return notApplicable("a transactional producer waits for all; give it no kgo.TransactionalID to change that")
	case s.Idempotent:
		return notApplicable("an idempotent producer waits for all; build the client with kgo.DisableIdempotentWrite to change that")
	case a.below(r.MinAcks):
		return wrong("it is below MinAcks, which is %s", r.MinAcks)
	}
	return taken(int32(a))
}

func judgeSession(s Static, r Rules, n int32) judgement {
	b := r.sessionBounds()
	switch {
	case !s.Group:
		return notApplicable("the client is in no group")
	case n < millis(b.Min) || n > millis(b.Max):
		return wrong("it is not within SessionTimeoutBounds, %d to %d ms", millis(b.Min), millis(b.Max))
	case s.RefusedSessionTimeout != 0 && n == millis(s.RefusedSessionTimeout):
		return wrong("the group's coordinator refused it")
	}
	return taken(n)
}

// shortestHeartbeat is the shortest override of heartbeat.interval.ms, in
// milliseconds. A client that was built with a shorter one keeps it.
const shortestHeartbeat = 100

func judgeHeartbeat(s Static, n int32) judgement {
	switch {
	case !s.Group:
		return notApplicable("the client is in no group")
	case n < shortestHeartbeat && n < millis(s.HeartbeatInterval):
		return wrong("one client would flood its coordinator: the shortest is %d ms", shortestHeartbeat)
	case s.RebalanceTimeout > 0 && n > millis(s.RebalanceTimeout/2):
		return wrong("the client would miss rebalances: it has %d ms to join one, and hears of it by a heartbeat", millis(s.RebalanceTimeout))
	case s.Transactional && n > millis(s.HeartbeatInterval):
		return notApplicable("a client with a transactional id leaves out no heartbeat of its own")
	}
	return taken(n)
}

// margin is what is left of kgo's patience for the answer to come back.
const margin = time.Second

func judgeWait(n int32, patience time.Duration) judgement {
	if n > millis(patience-margin) {
		return wrong("the client waits %d ms for the answer, which is too short for it", millis(patience))
	}
	return taken(n)
}

func judgeBytes(n, limit int32) judgement {
	if limit > 0 && n > limit {
		return wrong("it is above what the client reads of a broker at once, %d bytes", limit)
	}
	return taken(n)
}

// judgePair makes one of session timeout and heartbeat interval of the two.
func judgePair(s Static, judged map[string]judgement) {
	session, isSession := judged[keySession]
	beat, isBeat := judged[keyHeartbeat]
	sessionTaken := isSession && session.outcome == Accepted
	beatTaken := isBeat && beat.outcome == Accepted
	reject := func(reason string) {
		if sessionTaken {
			judged[keySession] = judgement{outcome: Rejected, reason: reason}
		}
		if beatTaken {
			judged[keyHeartbeat] = judgement{outcome: Rejected, reason: reason}
		}
	}
	switch {
	case session.wrong:
		reject("it goes with " + keySession + ", which is rejected")
		return
	case beat.wrong:
		reject("it goes with " + keyHeartbeat + ", which is rejected")
		return
	case !sessionTaken && !beatTaken:
		return
	}
	sessionIs, beatIs := millis(s.SessionTimeout), millis(s.HeartbeatInterval)
	if sessionTaken {
		sessionIs = session.n
	}
	if beatTaken {
		beatIs = beat.n
	}
	if beatIs >= sessionIs {
		reject(fmt.Sprintf("the heartbeat interval, %d ms, would not be below the session timeout, %d ms", beatIs, sessionIs))
	}
}
