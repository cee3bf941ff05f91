package fleet_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/fleet"
)

var (
	alice  = kcfg.User("alice")
	orders = alice.Client("orders")
)

func has(e kcfg.Entity, kvs ...string) kcfg.Described {
	d := kcfg.Described{Entity: e}
	for i := 0; i < len(kvs); i += 2 {
		d.Values = append(d.Values, kcfg.KeyValue{Key: kvs[i], Value: kvs[i+1]})
	}
	return d
}

func TestWishedTakesWhatIsSetForTheClientIDKeyByKey(t *testing.T) {
	described := []kcfg.Described{
		has(orders, "acks", "1"),
		has(alice, "acks", "0", "session.timeout.ms", "12000", kcfg.SupportedConfigs, "{}"),
		has(alice.Client(""), "acks", "all"),
		has(alice.DefaultClient(), "acks", "9"),
		has(kcfg.DefaultUser(), "linger.ms", "9"),
		has(kcfg.User("bob"), "acks", "9"),
		has(kcfg.User(""), "acks", "8"),
	}
	for _, tt := range []struct {
		name, client string
		user         *string
		want         map[string]fleet.Wish
	}{
		{"the client id of the user", "orders", new("alice"), map[string]fleet.Wish{"acks": {"1", orders}, "session.timeout.ms": {"12000", alice}}},
		{"another client id", "carts", new("alice"), map[string]fleet.Wish{"acks": {"0", alice}, "session.timeout.ms": {"12000", alice}}},
		{"the empty client id", "", new("alice"), map[string]fleet.Wish{"acks": {"all", alice.Client("")}, "session.timeout.ms": {"12000", alice}}},
		{"the empty user", "orders", new(""), map[string]fleet.Wish{"acks": {"8", kcfg.User("")}}},
		{"a user of whom nothing is set", "orders", new("carol"), map[string]fleet.Wish{}},
		{"a client that does not know its user", "orders", nil, map[string]fleet.Wish{}},
	} {
		assert.Equal(t, tt.want, fleet.Wished(described, tt.user, tt.client), tt.name)
	}
}

func record(states ...kcfg.KeyState) kcfg.ClientRecord {
	return kcfg.ClientRecord{Instance: "i", Principal: new("alice"), ClientID: "orders", Kinds: kcfg.KindProducer, Supported: []string{"acks"}, Dynamic: states}
}

func TestOutcomesSayWhatBecameOfAnAlteration(t *testing.T) {
	acks := func(wished *string, s kcfg.OverrideState) kcfg.KeyState {
		return kcfg.KeyState{Key: "acks", Wished: wished, State: s, Reason: "why", InForce: new("all")}
	}
	one := new("1")
	for _, tt := range []struct {
		name   string
		record kcfg.ClientRecord
		set    []kcfg.Described
		state  fleet.OutcomeState
		reason string
	}{
		{"applied", record(acks(one, kcfg.OverrideApplied)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeTaken, "why"},
		{"what it does anyway", record(acks(one, kcfg.OverrideStatic)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeTaken, "why"},
		{"rejected", record(acks(one, kcfg.OverrideRejected)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeRefused, "why"},
		{"not applicable", record(acks(one, kcfg.OverrideNotApplicable)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeRefused, "why"},
		{"unsupported", record(acks(one, kcfg.OverrideUnsupported)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeRefused, "why"},
		{"unsupported, and its value is not kept", record(acks(nil, kcfg.OverrideUnsupported)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeRefused, "why"},
		{"accepted", record(acks(one, kcfg.OverridePending)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomePending, "why"},
		{"another value so far", record(acks(new("0"), kcfg.OverrideApplied)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeUnanswered, ""},
		{"another one refused so far", record(acks(new("0"), kcfg.OverrideRejected)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeUnanswered, ""},
		{"no wish so far", record(acks(nil, kcfg.OverrideStatic)), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeUnanswered, ""},
		{"nothing of the key so far", record(), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeUnanswered, ""},
		{"a state of a later library", record(acks(one, "new")), []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeUnanswered, ""},
		{"set for the client id", record(acks(new("0"), kcfg.OverrideApplied)), []kcfg.Described{has(alice, "acks", "1"), has(orders, "acks", "0")}, fleet.OutcomeOverruled, `it is set for <user "alice", client-id "orders">`},
		{"set for another client id", record(acks(one, kcfg.OverrideApplied)), []kcfg.Described{has(alice, "acks", "1"), has(alice.Client("x"), "acks", "0")}, fleet.OutcomeTaken, "why"},
		{"takes none", kcfg.ClientRecord{Instance: "i", Principal: new("alice"), ClientID: "orders", Kinds: kcfg.KindProducer}, []kcfg.Described{has(alice, "acks", "1")}, fleet.OutcomeRefused, "the client takes no dynamic configurations"},

		{"removed", record(acks(nil, kcfg.OverrideStatic)), nil, fleet.OutcomeTaken, ""},
		{"removed, and no longer told", record(), nil, fleet.OutcomeTaken, ""},
		{"removed, and it waits for a second answer", record(acks(nil, kcfg.OverridePending)), nil, fleet.OutcomePending, "why"},
		{"removed, and still told", record(acks(one, kcfg.OverrideApplied)), nil, fleet.OutcomeUnanswered, ""},
		{"removed, and still told as what it cannot use", record(acks(nil, kcfg.OverrideUnsupported)), nil, fleet.OutcomeUnanswered, ""},
		{"removed from one that takes none", kcfg.ClientRecord{Instance: "i", Principal: new("alice"), ClientID: "orders", Kinds: kcfg.KindProducer}, nil, fleet.OutcomeTaken, ""},
	} {
		got := fleet.Outcomes([]kcfg.ClientRecord{tt.record}, tt.set, alice, []string{"acks"})
		require.Len(t, got, 1, tt.name)
		assert.Equal(t, tt.state, got[0].State, tt.name)
		assert.Equal(t, tt.reason, got[0].Reason, tt.name)
	}
}

// What is removed from a client id leaves it to what is set for the user.
func TestRemovalForAClientIDIsTakenOnceTheUsersValueIs(t *testing.T) {
	state := kcfg.KeyState{Key: "acks", Wished: new("0"), InForce: new("0"), State: kcfg.OverrideApplied}
	set := []kcfg.Described{has(alice, "acks", "1")}
	got := fleet.Outcomes([]kcfg.ClientRecord{record(state)}, set, orders, []string{"acks"})
	assert.Equal(t, fleet.OutcomeUnanswered, got[0].State)
	state.Wished = new("1")
	got = fleet.Outcomes([]kcfg.ClientRecord{record(state)}, set, orders, []string{"acks"})
	assert.Equal(t, fleet.OutcomeTaken, got[0].State)
	assert.Equal(t, "1", *got[0].Wished)
}

func TestOnlyClientsThatTheEntityMatchesHaveAnOutcome(t *testing.T) {
	as := func(instance string, user *string, id string) kcfg.ClientRecord {
		return kcfg.ClientRecord{Instance: instance, Principal: user, ClientID: id, Supported: []string{"acks"}}
	}
	records := []kcfg.ClientRecord{
		as("4", new("alice"), "orders"), as("3", new("alice"), "carts"), as("2", new("bob"), "orders"),
		as("1", nil, "orders"), as("0", new(""), ""), as("5", new("alice"), ""),
	}
	for _, tt := range []struct {
		entity kcfg.Entity
		want   []string
	}{
		{alice, []string{"3", "4", "5"}},
		{orders, []string{"4"}},
		{alice.Client(""), []string{"5"}},
		{kcfg.User(""), []string{"0"}},
		{alice.DefaultClient(), nil},
		{kcfg.DefaultUser(), nil},
		{kcfg.Entity{}, nil},
	} {
		var got, prospects []string
		for _, o := range fleet.Outcomes(records, nil, tt.entity, []string{"acks"}) {
			got = append(got, o.Instance)
		}
		for _, p := range fleet.Prospects(records, nil, kcfg.Alter(tt.entity, kcfg.Set("acks", "1"))) {
			prospects = append(prospects, p.Instance)
		}
		assert.Equal(t, tt.want, got, tt.entity.String())
		assert.Equal(t, tt.want, prospects, tt.entity.String())
	}
}

func TestOutcomesAndProspectsAreSortedByInstanceAndKey(t *testing.T) {
	a, b := record(), record()
	a.Instance, b.Instance = "a", "b"
	var got []string
	for _, o := range fleet.Outcomes([]kcfg.ClientRecord{b, a}, nil, alice, []string{"y", "x"}) {
		got = append(got, o.Instance+o.Key)
	}
	assert.Equal(t, []string{"ax", "ay", "bx", "by"}, got)
}

func TestAKeyThatMeansNothingToAClientIsNotRefusedByIt(t *testing.T) {
	set := []kcfg.Described{has(alice, "acks", "1"), has(alice, "session.timeout.ms", "10000"), has(alice, "linger.ms", "5")}
	for name, tt := range map[string]struct {
		kinds kcfg.Kind
		want  map[string]fleet.OutcomeState
	}{
		"producer": {kcfg.KindProducer, map[string]fleet.OutcomeState{"acks": fleet.OutcomeUnanswered, "session.timeout.ms": fleet.OutcomeUnconcerned, "linger.ms": fleet.OutcomeUnanswered}},
		"consumer": {kcfg.KindConsumer, map[string]fleet.OutcomeState{"acks": fleet.OutcomeUnconcerned, "session.timeout.ms": fleet.OutcomeUnanswered, "linger.ms": fleet.OutcomeUnanswered}},
		"both":     {kcfg.KindProducer | kcfg.KindConsumer, map[string]fleet.OutcomeState{"acks": fleet.OutcomeUnanswered, "session.timeout.ms": fleet.OutcomeUnanswered, "linger.ms": fleet.OutcomeUnanswered}},
		// It says that the group has a config for that.
		"share": {kcfg.KindShare, map[string]fleet.OutcomeState{"acks": fleet.OutcomeUnconcerned, "session.timeout.ms": fleet.OutcomeUnanswered, "linger.ms": fleet.OutcomeUnanswered}},
	} {
		r := record()
		r.Kinds = tt.kinds
		got := make(map[string]fleet.OutcomeState)
		for _, o := range fleet.Outcomes([]kcfg.ClientRecord{r}, set, alice, []string{"acks", "session.timeout.ms", "linger.ms"}) {
			got[o.Key] = o.State
		}
		assert.Equal(t, tt.want, got, name)
	}
}

func TestFinalStatesAreThoseThatNobodyWaitsFor(t *testing.T) {
	for state, want := range map[fleet.OutcomeState]bool{
		fleet.OutcomeTaken: true, fleet.OutcomeRefused: true, fleet.OutcomeOverruled: true, fleet.OutcomeUnconcerned: true, fleet.OutcomePending: false, fleet.OutcomeUnanswered: false,
	} {
		assert.Equal(t, want, state.Final(), state)
	}
}
