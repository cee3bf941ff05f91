package dynconfig

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg/internal/connpatch"
)

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name      string
		old, wish m
		gone      []string
		want      m
	}{
		{"new", m{}, m{"acks": "1"}, nil, m{"acks": "1"}},
		{"another one", m{"acks": "0"}, m{"acks": "1"}, nil, m{"acks": "1"}},
		{"rejected: the last one stays", m{"acks": "1"}, m{"acks": "x"}, nil, m{"acks": "1"}},
		{"missing in one answer: it stays", m{"acks": "1"}, m{}, nil, m{"acks": "1"}},
		{"missing in two answers", m{"acks": "1", keySession: "10000"}, m{}, []string{"acks"}, m{keySession: "10000"}},
		{"after valid A and invalid B, A stays", m{keySession: "10000", keyHeartbeat: "2000"}, m{keySession: "10000", keyHeartbeat: "20000"}, nil, m{keySession: "10000", keyHeartbeat: "2000"}},
		{"a wrong heartbeat holds its session back too", m{keySession: "10000", keyHeartbeat: "2000"}, m{keySession: "12000", keyHeartbeat: "x"}, nil, m{keySession: "10000", keyHeartbeat: "2000"}},
		{
			"a session that does not go with a heartbeat whose removal is not sure: both stay",
			m{keySession: "60000", keyHeartbeat: "20000"}, m{keySession: "12000"}, nil, m{keySession: "60000", keyHeartbeat: "20000"},
		},
		{
			"and once it is sure, both change",
			m{keySession: "60000", keyHeartbeat: "20000"}, m{keySession: "12000"}, []string{keyHeartbeat}, m{keySession: "12000"},
		},
		{
			"a session whose removal leaves a heartbeat that does not go with the client's own",
			m{keySession: "100000", keyHeartbeat: "60000"}, m{keyHeartbeat: "60000"}, []string{keySession}, m{keySession: "100000", keyHeartbeat: "60000"},
		},
	} {
		gone := make(map[string]bool)
		for _, key := range tt.gone {
			gone[key] = true
		}
		accepted, verdicts := Validate(both(), Rules{}, tt.wish)
		got := merge(both(), tt.old, accepted, verdicts, gone)
		assert.Equal(t, tt.want, got, tt.name)
		assert.Equal(t, tt.want, merge(both(), got, accepted, verdicts, gone), "%s, looked at twice", tt.name)
	}
}

func TestNoHeartbeatIsEverInUseThatIsNotBelowTheSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r := anyStatic().Draw(t, "static"), Rules{SessionTimeoutBounds: Bounds{time.Millisecond, time.Hour}}
		millis := rapid.Map(rapid.Int32Range(1, 100_000), func(n int32) string { return text(keySession, n) })
		var w wishes
		for range rapid.IntRange(1, 8).Draw(t, "answers") {
			wish := make(map[string]wish)
			for _, key := range []string{keySession, keyHeartbeat} {
				if rapid.IntRange(0, 3).Draw(t, "missing") > 0 {
					wish[key] = wishOf(millis.Draw(t, key))
				}
			}
			gone := map[string]bool{keySession: rapid.Bool().Draw(t, "gone"), keyHeartbeat: rapid.Bool().Draw(t, "gone")}
			w.take(wish, gone)
			for range 2 {
				var obs connpatch.Observed
				if w.given.SessionTimeout != nil && rapid.Bool().Draw(t, "refused") {
					obs.Refused = []int32{*w.given.SessionTimeout}
				} else if rapid.Bool().Draw(t, "joined") {
					obs.SessionTimeout = new(effective(s, w.use, keySession))
				}
				w.look(s, obs, settings{rules: r}, time.Now())
				require.Less(t, effective(s, w.use, keyHeartbeat), effective(s, w.use, keySession))
			}
		}
	})
}

func wishOf(value string) wish { return wish{value: value} }

func TestPatchesAreTheNumbersOfTheOverrides(t *testing.T) {
	assert.Equal(t, connpatch.Patches{}, patches(both(), nil))
	assert.Equal(t, connpatch.Patches{}, patches(both(), m{"acks": "all", keySession: "45000", keyHeartbeat: "3000"}), "the client's own values")
	got := patches(both(), m{
		"acks": "0", keySession: "60000", keyHeartbeat: "20000",
		keyFetchMaxWait: "7", keyFetchMinBytes: "8", keyProduceTimeout: "9", keyFetchMaxBytes: "10", keyPartitionMaxBytes: "11",
	})
	assert.Equal(t, connpatch.Patches{
		Acks: new(int16(0)), SessionTimeout: new(int32(60000)), HeartbeatInterval: new(int32(20000)),
		FetchMaxWait: new(int32(7)), FetchMinBytes: new(int32(8)), ProduceTimeout: new(int32(9)),
	}, got)
	leader := both()
	leader.Acks = LeaderAck
	assert.Equal(t, new(int16(-1)), patches(leader, m{"acks": "all"}).Acks)
	assert.Equal(t, fetchBytes{10, 1 << 20}, fetchBytesOf(both(), m{keyFetchMaxBytes: "10"}))

	assert.True(t, samePatches(got, got))
	assert.False(t, samePatches(got, connpatch.Patches{}))
	assert.False(t, samePatches(connpatch.Patches{Acks: new(int16(0))}, connpatch.Patches{Acks: new(int16(1))}))
}
