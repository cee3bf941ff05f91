package fleet_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/fleet"
)

func TestAQueryMeansTheClientsOfWhichAllOfItHolds(t *testing.T) {
	plain := consumer("b1", nil)
	nobody := consumer("b2", func(r *kcfg.ClientRecord) { r.Principal, r.ClientID, r.Group, r.Host = nil, "", "", "" })
	empty := consumer("c3", func(r *kcfg.ClientRecord) {
		r.Principal, r.Software.Name = new(""), "other"
		r.Kinds |= kcfg.KindProducer
	})
	tuned := consumer("c4", func(r *kcfg.ClientRecord) {
		config(r, "fetch.min.bytes", "100")
		override(r, "session.timeout.ms", "1", kcfg.OverrideRejected)
		r.At = noon.Add(-kcfg.ClientAliveFor - time.Second)
	})
	leaky := consumer("d5", func(r *kcfg.ClientRecord) { config(r, "db.password", "hunter2") })
	all := []kcfg.ClientRecord{plain, nobody, empty, tuned, leaky}
	for name, tt := range map[string]struct {
		q    fleet.Query
		want []string
	}{
		"everybody":         {fleet.Query{}, []string{"b1", "b2", "c3", "c4", "d5"}},
		"user":              {fleet.Query{User: new("alice")}, []string{"b1", "c4", "d5"}},
		"the empty user":    {fleet.Query{User: new("")}, []string{"c3"}},
		"not a part":        {fleet.Query{User: new("alic")}, []string{}},
		"not another case":  {fleet.Query{ClientID: new("Orders")}, []string{}},
		"client id":         {fleet.Query{ClientID: new("orders")}, []string{"b1", "c3", "c4", "d5"}},
		"the empty one":     {fleet.Query{ClientID: new("")}, []string{"b2"}},
		"group":             {fleet.Query{Group: new("billing"), User: new("")}, []string{"c3"}},
		"no group":          {fleet.Query{Group: new("")}, []string{"b2"}},
		"host":              {fleet.Query{Host: new("a"), Instance: "c"}, []string{"c3", "c4"}},
		"software":          {fleet.Query{Software: new("other")}, []string{"c3"}},
		"software, version": {fleet.Query{Software: new("other/v1.22.3")}, []string{"c3"}},
		"kind":              {fleet.Query{Kind: kcfg.KindProducer}, []string{"c3"}},
		"kinds":             {fleet.Query{Kind: kcfg.KindProducer | kcfg.KindShare}, []string{}},
		"instance":          {fleet.Query{Instance: "b"}, []string{"b1", "b2"}},
		"state":             {fleet.Query{State: kcfg.OverrideRejected}, []string{"c4"}},
		"state of a key":    {fleet.Query{State: kcfg.OverrideRejected, StateKey: "acks"}, []string{}},
		"a key, any state":  {fleet.Query{StateKey: "acks"}, []string{}},
		"static":            {fleet.Query{State: kcfg.OverrideStatic, StateKey: "session.timeout.ms"}, []string{"b1", "b2", "c3", "d5"}},
		"deviates":          {fleet.Query{Deviates: true}, []string{"c4", "d5"}},
		"config":            {fleet.Query{Configs: map[string]string{"fetch.min.bytes": "100"}}, []string{"c4"}},
		"default config":    {fleet.Query{Configs: map[string]string{"fetch.min.bytes": "1"}, Instance: "b"}, []string{"b1", "b2"}},
		"two configs":       {fleet.Query{Configs: map[string]string{"fetch.min.bytes": "100", "acks": "1"}}, []string{}},
		"no guessing":       {fleet.Query{Configs: map[string]string{"db.password": "hunter2"}}, []string{}},
		"alive":             {fleet.Query{NotStale: noon, Instance: "c"}, []string{"c3"}},
	} {
		assert.Equal(t, tt.want, instances(tt.q.Select(all)), name)
	}
}

func TestANameIsAnInstanceOrAClientIDOrTheBeginningOfAnInstance(t *testing.T) {
	all := []kcfg.ClientRecord{
		consumer("aa", nil),
		consumer("aab", func(r *kcfg.ClientRecord) { r.ClientID = "aa" }),
		consumer("b", func(r *kcfg.ClientRecord) { r.ClientID = "aab" }),
		consumer("c", func(r *kcfg.ClientRecord) { r.ClientID = "" }),
		consumer("", func(r *kcfg.ClientRecord) { r.ClientID = "c" }),
	}
	for _, tt := range []struct {
		name       string
		want       []string
		byInstance bool
	}{
		{"aa", []string{"aa"}, true},
		{"c", []string{"c"}, true},
		{"aab", []string{"aab"}, true},
		{"a", []string{"aa", "aab"}, true},
		{"orders", []string{"aa"}, false},
		{"", []string{"c"}, false},
		{"nobody", []string{}, false},
	} {
		found, byInstance := fleet.Named(all, tt.name)
		assert.Equal(t, tt.want, instances(found), "%q", tt.name)
		assert.Equal(t, tt.byInstance, byInstance, "%q", tt.name)
	}
	found, byInstance := fleet.Named(all[1:], "aa")
	assert.Equal(t, []string{"aab"}, instances(found), "a client id goes before a beginning")
	assert.False(t, byInstance)
}

func TestDeviationsAreWhatTheApplicationChose(t *testing.T) {
	r := consumer("a", func(r *kcfg.ClientRecord) {
		config(r, "session.timeout.ms", "30000")
		config(r, "group.id", "billing")
		override(r, "heartbeat.interval.ms", "1000", kcfg.OverrideApplied)
		config(r, "heartbeat.interval.ms", "1000") // clients tell what is in force
	})
	assert.Equal(t, []kcfg.ClientConfig{{Key: "session.timeout.ms", Value: "30000", Type: "INT"}}, fleet.Deviations(r))
}

func TestTheFirstOfTwoConfigsOfAKeyCounts(t *testing.T) {
	r := consumer("a", func(r *kcfg.ClientRecord) {
		r.Configs = []kcfg.ClientConfig{
			{Key: "b", Value: "1"}, {Key: "a", Value: "1", Default: true}, {Key: "a", Value: "2"}, {Key: "b", Value: "2"}, {Key: "c", Default: true},
		}
	})
	assert.Equal(t, []kcfg.ClientConfig{{Key: "b", Value: "1"}}, fleet.Deviations(r))
}

func TestStatesAreCountedTheGoodOnesFirst(t *testing.T) {
	r := kcfg.ClientRecord{Dynamic: []kcfg.KeyState{
		{Key: "z", State: kcfg.OverrideRejected}, {Key: "a", State: kcfg.OverrideApplied}, {Key: "b", State: kcfg.OverrideApplied},
		{Key: "c", State: kcfg.OverrideStatic}, {Key: "d", State: "strange"}, {Key: "a", State: kcfg.OverridePending},
	}}
	assert.Equal(t, []fleet.StateCount{{State: kcfg.OverrideApplied, Keys: 2}, {State: kcfg.OverrideRejected, Keys: 1}}, fleet.States(r))
}

func TestValuesThatShouldNeverHaveLeftAClientAreNotShown(t *testing.T) {
	for _, c := range []kcfg.ClientConfig{
		{Key: "sasl.jaas.config", Value: "x", Type: "STRING"},
		{Key: "db.password", Value: "x", Type: "STRING"},
		{Key: "custom", Value: "x", Type: "PASSWORD"},
		{Key: "custom", Value: "x", Type: "nonsense"},
		{Key: "client.rack", Value: "https://me:secret@example.com", Type: "STRING"},
	} {
		assert.Equal(t, fleet.Redacted, fleet.Shown(c), c.Key)
	}
	assert.Equal(t, "5", fleet.Shown(kcfg.ClientConfig{Key: "linger.ms", Value: "5", Type: "LONG"}))
	in := kcfg.KeyState{Key: "acks", Wished: new("password=x"), InForce: new("1"), Reason: "password=x"}
	got := fleet.ShownState(in)
	assert.Equal(t, kcfg.KeyState{Key: "acks", Wished: new(fleet.Redacted), InForce: new("1"), Reason: fleet.Redacted}, got)
	assert.Equal(t, "password=x", *in.Wished, "the record is as it was")
}

func TestClientsThatAreTheSameInAnOrderAreSortedByInstance(t *testing.T) {
	a := consumer("a", func(r *kcfg.ClientRecord) {
		r.Host, r.ClientID, r.Since, r.Principal = "z", "2", noon.Add(time.Hour), nil
	})
	b := consumer("b", func(r *kcfg.ClientRecord) {
		config(r, "session.timeout.ms", "1")
		r.Group, r.Software.Version, r.At = "a", "v1.0.0", noon.Add(-time.Hour)
	})
	c := consumer("c", nil)
	given := []kcfg.ClientRecord{c, a, b}
	for by, want := range map[fleet.Order][]string{
		"":                    {"a", "b", "c"},
		fleet.OrderInstance:   {"a", "b", "c"},
		fleet.OrderPrincipal:  {"a", "b", "c"},
		fleet.OrderClientID:   {"a", "b", "c"},
		fleet.OrderGroup:      {"b", "a", "c"},
		fleet.OrderHost:       {"b", "c", "a"},
		fleet.OrderSoftware:   {"b", "a", "c"},
		fleet.OrderSince:      {"b", "c", "a"},
		fleet.OrderAt:         {"b", "a", "c"},
		fleet.OrderDeviations: {"b", "a", "c"},
	} {
		assert.Equal(t, want, instances(fleet.Sort(given, by)), by)
	}
	assert.Equal(t, []string{"c", "a", "b"}, instances(given), "what was given stays")
}

func TestEveryOrderHasAName(t *testing.T) {
	for _, o := range fleet.Orders() {
		got, err := fleet.ParseOrder(string(o))
		require.NoError(t, err)
		assert.Equal(t, o, got)
	}
	_, err := fleet.ParseOrder("size")
	require.ErrorContains(t, err, "deviations")
	for _, b := range fleet.Bys() {
		got, err := fleet.ParseBy(string(b))
		require.NoError(t, err)
		assert.Equal(t, b, got)
	}
	_, err = fleet.ParseBy("host")
	require.ErrorContains(t, err, "group")
	assert.True(t, slices.IsSorted(fleet.Bys()))
}

func TestARecordIsStaleWhenItIsTooOldOrItsClockTooFarAhead(t *testing.T) {
	for ago, want := range map[time.Duration]bool{
		0: false, time.Hour: false, -5 * time.Hour: false,
		kcfg.ClientAliveFor: false, kcfg.ClientAliveFor + 1: true, -kcfg.ClientAliveFor - 1: true,
		1 << 62: true, -1 << 62: true,
	} {
		assert.Equal(t, want, fleet.Stale(kcfg.ClientRecord{At: noon.Add(-ago)}, noon), ago)
	}
	assert.True(t, fleet.Stale(kcfg.ClientRecord{}, noon), "it never told when")
	assert.True(t, fleet.Stale(kcfg.ClientRecord{At: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}, noon))
}
