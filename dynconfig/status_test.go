package dynconfig

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

// stateOf judges a wish and returns the state of one key.
func stateOf(t *testing.T, s Static, key string, wish, use m, obs connpatch.Observed, change func(*situation)) kcfg.KeyState {
	t.Helper()
	_, verdicts := Validate(s, Rules{}, wish)
	in := situation{static: s, verdicts: verdicts, use: use, bytes: fetchBytesOf(s, nil), observed: obs}
	if change != nil {
		change(&in)
	}
	for _, st := range keyStates(&in) {
		if st.Key == key {
			return st
		}
	}
	t.Fatalf("no state of %s", key)
	return kcfg.KeyState{}
}

func TestAKeyIsAppliedOnlyWhenARequestCarriedIt(t *testing.T) {
	var (
		one     = connpatch.Observed{Acks: new(int16(1))}
		all     = connpatch.Observed{Acks: new(int16(-1))}
		joined  = connpatch.Observed{SessionTimeout: new(int32(45000)), Joins: 1}
		rejoins = connpatch.Observed{SessionTimeout: new(int32(12000)), Joins: 2, HeartbeatInterval: new(int32(4000))}
		newer   = connpatch.Observed{Acks: new(int16(-1)), Newer: map[int16]int16{0: 99, 12: 5}}
		none    connpatch.Observed
	)
	for _, tt := range []struct {
		name            string
		s               Static
		key             string
		wish, use       m
		obs             connpatch.Observed
		wished, inForce string
		state           kcfg.OverrideState
		reason          string
	}{
		{"nothing is wished", both(), "acks", nil, nil, all, "", "all", kcfg.OverrideStatic, ""},
		{"before any request", both(), "acks", nil, nil, none, "", "all", kcfg.OverrideStatic, ""},
		{"accepted, no request yet", both(), "acks", m{"acks": "1"}, m{"acks": "1"}, none, "1", "all", kcfg.OverridePending, "next Produce"},
		{"accepted, the last request was before", both(), "acks", m{"acks": "1"}, m{"acks": "1"}, all, "1", "all", kcfg.OverridePending, "next Produce"},
		{"carried", both(), "acks", m{"acks": "1"}, m{"acks": "1"}, one, "1", "1", kcfg.OverrideApplied, ""},
		{"carried, written as -1", both(), "acks", m{"acks": "-1"}, m{"acks": "all"}, all, "-1", "all", kcfg.OverrideApplied, ""},
		{"rejected, the last one stays", both(), "acks", m{"acks": "9"}, m{"acks": "1"}, one, "9", "1", kcfg.OverrideRejected, "none of"},
		{"idempotent", with(idempotent), "acks", m{"acks": "1"}, nil, all, "1", "all", kcfg.OverrideNotApplicable, "DisableIdempotentWrite"},
		{"idempotent, all is no change", with(idempotent), "acks", m{"acks": "all"}, nil, all, "all", "all", kcfg.OverrideStatic, "always waits for all"},
		{"removed, not seen yet", both(), "acks", nil, nil, one, "", "1", kcfg.OverridePending, "was removed"},
		{"removed by one answer", both(), "acks", nil, m{"acks": "1"}, one, "", "1", kcfg.OverridePending, "another one"},
		{"newer than we know", both(), "acks", m{"acks": "1"}, m{"acks": "1"}, newer, "1", "all", kcfg.OverrideNotApplicable, "Produce v99"},
		{"newer, and nothing to patch", both(), "acks", m{"acks": "all"}, m{"acks": "all"}, newer, "all", "all", kcfg.OverrideApplied, ""},

		{"session before the join", both(), keySession, m{keySession: "12000"}, m{keySession: "12000"}, joined, "12000", "45000", kcfg.OverridePending, "next rebalance of the group"},
		{"session after it", both(), keySession, m{keySession: "12000"}, m{keySession: "12000"}, rejoins, "12000", "12000", kcfg.OverrideApplied, ""},
		{"heartbeat before the first beat", both(), keyHeartbeat, m{keyHeartbeat: "4000"}, m{keyHeartbeat: "4000"}, joined, "4000", "3000", kcfg.OverridePending, "next Heartbeat"},
		{"heartbeat at the new pace", both(), keyHeartbeat, m{keyHeartbeat: "4000"}, m{keyHeartbeat: "4000"}, rejoins, "4000", "4000", kcfg.OverrideApplied, ""},
		{"heartbeat, the client's own", both(), keyHeartbeat, m{keyHeartbeat: "3000"}, m{keyHeartbeat: "3000"}, joined, "3000", "3000", kcfg.OverrideApplied, ""},
		{"heartbeat, the client's own, before a join", both(), keyHeartbeat, m{keyHeartbeat: "3000"}, m{keyHeartbeat: "3000"}, none, "3000", "3000", kcfg.OverridePending, ""},
		{"heartbeat above the session in force", both(), keyHeartbeat, m{keySession: "60000", keyHeartbeat: "20000"}, m{keySession: "60000", keyHeartbeat: "20000"}, connpatch.Observed{SessionTimeout: new(int32(10000)), Joins: 1}, "20000", "3000", kcfg.OverridePending, "next JoinGroup"},
		{"heartbeats newer than we know", both(), keyHeartbeat, m{keyHeartbeat: "4000"}, m{keyHeartbeat: "4000"}, newer, "4000", "3000", kcfg.OverrideNotApplicable, "Heartbeat v5"},
		{"a session held back", both(), keySession, m{keySession: "12000"}, m{keySession: "60000", keyHeartbeat: "20000"}, joined, "12000", "45000", kcfg.OverridePending, "does not go with"},
	} {
		st := stateOf(t, tt.s, tt.key, tt.wish, tt.use, tt.obs, nil)
		assert.Equal(t, tt.state, st.State, tt.name)
		assert.Contains(t, st.Reason, tt.reason, tt.name)
		assert.Equal(t, tt.inForce, *st.InForce, tt.name)
		assert.Equal(t, tt.s.value(tt.key), *st.Static, tt.name)
		if tt.wish == nil {
			assert.Nil(t, st.Wished, tt.name)
		} else {
			assert.Equal(t, tt.wished, *st.Wished, tt.name)
		}
	}
}

func TestAFurtherKeyIsAppliedWhenARequestCarriedItOrKgoWasTold(t *testing.T) {
	wish := m{keyFetchMaxWait: "7", keyFetchMinBytes: "8", keyProduceTimeout: "9", keyFetchMaxBytes: "10", keyPartitionMaxBytes: "11"}
	_, verdicts := Validate(both(), everything(), wish)
	in := situation{static: both(), rules: everything(), verdicts: verdicts, use: wish, bytes: fetchBytesOf(both(), nil)}
	for _, st := range keyStates(&in) {
		if wish[st.Key] != "" {
			assert.Equal(t, kcfg.OverridePending, st.State, st.Key)
		}
	}
	in.observed = connpatch.Observed{FetchMaxWait: new(int32(7)), FetchMinBytes: new(int32(8)), ProduceTimeout: new(int32(9))}
	in.bytes = fetchBytes{10, 11}
	states := keyStates(&in)
	require.Len(t, states, len(Keys()))
	for _, st := range states {
		if wish[st.Key] != "" {
			assert.Equal(t, kcfg.OverrideApplied, st.State, st.Key)
			assert.Equal(t, wish[st.Key], *st.InForce, st.Key)
		}
	}
}

func TestAuditOnlyAndSuspensionShowInTheState(t *testing.T) {
	st := stateOf(t, both(), "acks", m{"acks": "1"}, m{"acks": "1"}, connpatch.Observed{}, func(in *situation) { in.auditOnly = true })
	assert.Equal(t, kcfg.OverrideNotApplicable, st.State)
	assert.Contains(t, st.Reason, "AuditOnly")
	st = stateOf(t, both(), "acks", m{"acks": "1"}, m{"acks": "1"}, connpatch.Observed{}, func(in *situation) { in.suspended = "a second client" })
	assert.Equal(t, kcfg.OverridePending, st.State)
	assert.Contains(t, st.Reason, "a second client")
}

func TestTheStateOfAnUnknownKeyHasNoValue(t *testing.T) {
	st := stateOf(t, both(), "sasl.jaas.config", m{"sasl.jaas.config": "secret"}, nil, connpatch.Observed{}, nil)
	assert.Equal(t, kcfg.KeyState{Key: "sasl.jaas.config", State: kcfg.OverrideUnsupported, Reason: st.Reason}, st)
	assert.NotContains(t, st.Reason, "secret")
}

func TestAKeyThatTheClientDoesNotHaveHasNoStaticValue(t *testing.T) {
	s := with(func(s *Static) { s.NewGroup = true })
	st := stateOf(t, s, keySession, m{keySession: "12000"}, nil, connpatch.Observed{}, nil)
	assert.Nil(t, st.Static)
	assert.Nil(t, st.InForce)
	assert.Equal(t, "12000", *st.Wished)
	assert.Contains(t, st.Reason, "consumer.session.timeout.ms")
}
