package dynconfig

import (
	"maps"

	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

// merge returns the overrides in use after an answer: those that it makes
// accepted, and of the old ones those that must not go. A key that is wished and
// rejected keeps its old override; one that is no longer wished does until
// another answer agreed that it is gone.
//
// Of session timeout and heartbeat interval, one may have to stay where the other
// one moves. If they do not go together then, both stay until it is settled.
func merge(s Static, old, accepted map[string]string, verdicts []Verdict, gone map[string]bool) map[string]string {
	out := maps.Clone(old)
	if out == nil {
		out = make(map[string]string)
	}
	wished := make(map[string]bool, len(verdicts))
	for _, v := range verdicts {
		wished[v.Key] = true
		switch v.Outcome {
		case Accepted:
			out[v.Key] = accepted[v.Key]
		case NoChange, NotApplicable, Unsupported:
			delete(out, v.Key)
		case Rejected:
		}
	}
	for key := range old {
		if gone[key] && !wished[key] {
			delete(out, key)
		}
	}
	if !pairFits(s, out) {
		takePair(out, pairOf(old))
	}
	if !pairFits(s, out) { // the client's own values are others now
		takePair(out, pair{})
	}
	return out
}

// pair is the session timeout and the heartbeat interval among overrides, empty
// where there is none.
type pair struct{ session, beat string }

func pairOf(overrides map[string]string) pair {
	return pair{overrides[keySession], overrides[keyHeartbeat]}
}

func takePair(overrides map[string]string, p pair) {
	for key, value := range map[string]string{keySession: p.session, keyHeartbeat: p.beat} {
		if value == "" {
			delete(overrides, key)
		} else {
			overrides[key] = value
		}
	}
}

// pairFits reports whether the heartbeat interval is below the session timeout,
// or neither is an override.
func pairFits(s Static, overrides map[string]string) bool {
	p := pairOf(overrides)
	return p == pair{} || effective(s, overrides, keyHeartbeat) < effective(s, overrides, keySession)
}

// effective is the number that a key has with the overrides.
func effective(s Static, overrides map[string]string, key string) int32 {
	if value, ok := overrides[key]; ok {
		n, _ := number(key, value)
		return n
	}
	return s.number(key)
}

// patches are what the overrides change on the wire. What is the client's own
// value anyway is no patch.
func patches(s Static, overrides map[string]string) connpatch.Patches {
	var p connpatch.Patches
	for key := range overrides {
		if n := effective(s, overrides, key); n != s.number(key) {
			d, _ := configdef.DynamicOf(key)
			d.Patch(&p, n)
		}
	}
	return p
}

// fetchBytes are the two values that kgo has a function for.
type fetchBytes struct{ all, partition int32 }

func fetchBytesOf(s Static, overrides map[string]string) fetchBytes {
	return fetchBytes{effective(s, overrides, keyFetchMaxBytes), effective(s, overrides, keyPartitionMaxBytes)}
}

func samePatches(a, b connpatch.Patches) bool {
	return same(a.Acks, b.Acks) && same(a.SessionTimeout, b.SessionTimeout) &&
		same(a.HeartbeatInterval, b.HeartbeatInterval) && same(a.FetchMaxWait, b.FetchMaxWait) &&
		same(a.FetchMinBytes, b.FetchMinBytes) && same(a.ProduceTimeout, b.ProduceTimeout)
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
