package fleet_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/fleet"
)

func session(value string) func(r *kcfg.ClientRecord) {
	return func(r *kcfg.ClientRecord) { config(r, "session.timeout.ms", value) }
}

func TestDriftIsWhatDiffersWithinOneClientID(t *testing.T) {
	got := fleet.FindDrift([]kcfg.ClientRecord{
		consumer("e", session("30000")), consumer("a", nil), consumer("b", nil), consumer("c", nil), consumer("d", nil),
		consumer("f", func(r *kcfg.ClientRecord) { r.ClientID = "payments"; session("1")(r) }),
	}, fleet.DriftOptions{})
	assert.Equal(t, fleet.Drift{Clients: 6, Groups: []fleet.GroupDrift{{
		By: fleet.ByClientID, Name: "orders", Clients: 5,
		Keys: []fleet.KeyDrift{{
			Key: "session.timeout.ms", Kinds: kcfg.KindConsumer, Clients: 5, Default: new("45000"),
			Values: []fleet.DriftValue{
				{Value: "45000", Clients: 4, Defaults: 4, Instances: []string{"a", "b", "c"}},
				{Value: "30000", Clients: 1, Instances: []string{"e"}},
			},
		}},
	}}}, got)
}

func keysOf(d fleet.Drift) map[string][]string {
	out := make(map[string][]string)
	for _, g := range d.Groups {
		for _, k := range g.Keys {
			out[g.Name] = append(out[g.Name], k.Key)
		}
	}
	return out
}

func TestWhatDiffersByNatureIsLeftOutUnlessItIsNamed(t *testing.T) {
	two := []kcfg.ClientRecord{
		consumer("a", func(r *kcfg.ClientRecord) { config(r, "transactional.id", "a"); config(r, "group.instance.id", "a") }),
		consumer("b", func(r *kcfg.ClientRecord) {
			config(r, "transactional.id", "b")
			config(r, "group.instance.id", "b")
			config(r, "client.id", "other")
		}),
	}
	assert.Empty(t, keysOf(fleet.FindDrift(two, fleet.DriftOptions{By: fleet.ByGroup})))
	assert.Equal(t, map[string][]string{"orders": {"client.id"}}, keysOf(fleet.FindDrift(two, fleet.DriftOptions{})))
	assert.Equal(t, map[string][]string{"billing": {"client.id", "client.rack"}},
		keysOf(fleet.FindDrift(two, fleet.DriftOptions{By: fleet.ByGroup, Keys: []string{"client.rack", "client.id", "acks"}})))
}

func TestClientsWithoutAGroupAreNotComparedByGroup(t *testing.T) {
	none := func(r *kcfg.ClientRecord) { r.Group = "" }
	got := fleet.FindDrift([]kcfg.ClientRecord{
		consumer("a", none), consumer("b", func(r *kcfg.ClientRecord) { none(r); session("1")(r) }),
		consumer("c", nil), consumer("d", session("1")),
	}, fleet.DriftOptions{By: fleet.ByGroup})
	assert.Equal(t, 4, got.Clients)
	assert.Equal(t, 2, got.Ungrouped)
	assert.Equal(t, map[string][]string{"billing": {"session.timeout.ms"}}, keysOf(got))
}

func TestAnOverrideThatAllHaveIsNoDriftAndOneThatSomeHaveIs(t *testing.T) {
	applied := func(r *kcfg.ClientRecord) { override(r, "session.timeout.ms", "20000", kcfg.OverrideApplied) }
	pending := func(r *kcfg.ClientRecord) { override(r, "session.timeout.ms", "20000", kcfg.OverridePending) }
	// Whatever their own values are.
	a, b := consumer("a", applied), consumer("b", func(r *kcfg.ClientRecord) { session("30000")(r); applied(r) })
	assert.Empty(t, fleet.FindDrift([]kcfg.ClientRecord{a, b}, fleet.DriftOptions{}).Groups)

	got := fleet.FindDrift([]kcfg.ClientRecord{a, b, consumer("c", pending)}, fleet.DriftOptions{})
	require.Len(t, got.Groups, 1)
	assert.Equal(t, []fleet.DriftValue{
		{Value: "20000", Clients: 2, Overrides: 2, Instances: []string{"a", "b"}},
		{Value: "45000", Clients: 1, Defaults: 1, Instances: []string{"c"}},
	}, got.Groups[0].Keys[0].Values)
}

func TestOnlyClientsToWhichAKeyMeansTheSameAreCompared(t *testing.T) {
	producer := func(timeout string) func(r *kcfg.ClientRecord) {
		return func(r *kcfg.ClientRecord) {
			r.Kinds = kcfg.KindProducer
			r.Configs = []kcfg.ClientConfig{{Key: "request.timeout.ms", Value: timeout, Type: "INT", Default: timeout == "20000"}}
		}
	}
	share := consumer("s", func(r *kcfg.ClientRecord) {
		r.Kinds = kcfg.KindShare
		r.Configs = []kcfg.ClientConfig{{Key: "fetch.min.bytes", Value: "7", Type: "INT", Default: true}}
	})
	all := []kcfg.ClientRecord{consumer("a", nil), consumer("b", producer("20000")), share}
	assert.Empty(t, fleet.FindDrift(all, fleet.DriftOptions{}).Groups)

	got := fleet.FindDrift(append(all, consumer("c", producer("1"))), fleet.DriftOptions{})
	require.Len(t, got.Groups, 1)
	require.Len(t, got.Groups[0].Keys, 1)
	k := got.Groups[0].Keys[0]
	assert.Equal(t, kcfg.KindProducer, k.Kinds)
	assert.Equal(t, 2, k.Clients)
	assert.Equal(t, "20000", *k.Default)
}

func TestFromDefaultsFindsWhatAloneDeviatesToo(t *testing.T) {
	overridden := func(r *kcfg.ClientRecord) { override(r, "session.timeout.ms", "20000", kcfg.OverrideApplied) }
	got := fleet.FindDrift([]kcfg.ClientRecord{
		consumer("a", session("30000")),
		consumer("b", func(r *kcfg.ClientRecord) { r.ClientID = "overridden"; overridden(r) }),
		consumer("c", func(r *kcfg.ClientRecord) { r.ClientID = "plain" }),
	}, fleet.DriftOptions{FromDefaults: true})
	assert.Equal(t, map[string][]string{"orders": {"session.timeout.ms"}}, keysOf(got), "an operator's override is nobody's deviation")
	assert.Equal(t, "45000", *got.Groups[0].Keys[0].Default, "another client tells it")
}

func TestADefaultIsThatOfTheClientsThatAreCompared(t *testing.T) {
	inflight := func(clientID, value string, isDefault bool) func(r *kcfg.ClientRecord) {
		return func(r *kcfg.ClientRecord) {
			r.ClientID = clientID
			r.Configs = []kcfg.ClientConfig{{Key: "max.in.flight.requests.per.connection", Value: value, Type: "INT", Default: isDefault}}
		}
	}
	got := fleet.FindDrift([]kcfg.ClientRecord{
		consumer("a", inflight("one", "5", true)), consumer("b", inflight("one", "2", false)),
		consumer("c", inflight("several", "5", true)), consumer("d", inflight("several", "1", true)),
		consumer("e", inflight("none", "3", false)), consumer("f", inflight("none", "4", false)), consumer("g", inflight("other", "1", true)),
		consumer("h", inflight("other", "1", true)),
	}, fleet.DriftOptions{})
	defaults := make(map[string]*string)
	for _, g := range got.Groups {
		defaults[g.Name] = g.Keys[0].Default
	}
	assert.Equal(t, map[string]*string{"one": new("5"), "several": nil, "none": new("1")}, defaults)
}

func TestADefaultThatNoRecordTellsIsAskedFor(t *testing.T) {
	one := []kcfg.ClientRecord{consumer("a", session("30000"))}
	o := fleet.DriftOptions{FromDefaults: true}
	assert.Nil(t, fleet.FindDrift(one, o).Groups[0].Keys[0].Default)
	o.Default = func(key string, kinds kcfg.Kind) (string, bool) {
		assert.Equal(t, kcfg.KindConsumer, kinds)
		return "45000", key == "session.timeout.ms"
	}
	assert.Equal(t, "45000", *fleet.FindDrift(one, o).Groups[0].Keys[0].Default)
}

func TestADriftIsBoundedWhateverRecordsHold(t *testing.T) {
	long := strings.Repeat("\u6f22", 1_000)
	var all []kcfg.ClientRecord
	for i := range 20 {
		all = append(all, consumer(fmt.Sprintf("%02d", i)+long, func(r *kcfg.ClientRecord) {
			r.ClientID = long
			for k := range 2 * fleet.MaxKeys {
				r.Configs = append(r.Configs, kcfg.ClientConfig{Key: fmt.Sprintf("%d%s", k, strings.Repeat("x", 2*fleet.MaxText)), Value: fmt.Sprintf("%d%s", i, long), Type: "STRING"})
			}
		}))
	}
	got := fleet.FindDrift(all, fleet.DriftOptions{})
	b, err := json.Marshal(got)
	require.NoError(t, err)
	assert.Less(t, len(b), fleet.MaxKeys*(fleet.MaxValues*(fleet.MaxExamples+1)+2)*2*fleet.MaxText)
	require.Len(t, got.Groups, 1)
	g := got.Groups[0]
	assert.Len(t, g.Keys, fleet.MaxKeys)
	assert.Equal(t, fleet.MaxKeys, g.MoreKeys)
	assert.Len(t, g.Keys[0].Values, fleet.MaxValues)
	assert.Equal(t, 10, g.Keys[0].MoreValues)
	assert.Equal(t, 10, g.Keys[0].MoreClients)
	for _, s := range []string{g.Name, g.Keys[0].Key, g.Keys[0].Values[0].Value, g.Keys[0].Values[0].Instances[0]} {
		assert.LessOrEqual(t, len(s), fleet.MaxText)
		assert.True(t, strings.HasSuffix(s, "..."), s)
		assert.True(t, utf8.ValidString(s), s)
	}
}

func TestSecretsAreComparedAndNotShown(t *testing.T) {
	secret := func(v string) func(r *kcfg.ClientRecord) {
		return func(r *kcfg.ClientRecord) { config(r, "db.password", v) }
	}
	got := fleet.FindDrift([]kcfg.ClientRecord{consumer("a", secret("hunter2")), consumer("b", secret("hunter3"))}, fleet.DriftOptions{})
	b, err := json.Marshal(got)
	require.NoError(t, err)
	assert.NotContains(t, string(b), "hunter")
	assert.Equal(t, 2, strings.Count(string(b), fleet.Redacted))
}

func TestNothingThatARecordHoldsPanics(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "client.id", "retries", "\xff"}), rapid.String())
	record := rapid.Custom(func(t *rapid.T) kcfg.ClientRecord {
		r := kcfg.ClientRecord{
			Instance: text.Draw(t, "instance"), ClientID: text.Draw(t, "id"), Group: text.Draw(t, "group"), Kinds: kcfg.Kind(rapid.Byte().Draw(t, "kinds")),
		}
		for range rapid.IntRange(0, 9).Draw(t, "n") {
			r.Configs = append(r.Configs, kcfg.ClientConfig{Key: text.Draw(t, "key"), Value: text.Draw(t, "value"), Type: text.Draw(t, "type"), Default: rapid.Bool().Draw(t, "default")})
			s := kcfg.KeyState{Key: text.Draw(t, "key"), State: rapid.SampledFrom([]kcfg.OverrideState{kcfg.OverrideApplied, kcfg.OverrideStatic, "x"}).Draw(t, "state")}
			if rapid.Bool().Draw(t, "inForce") {
				s.InForce = new(text.Draw(t, "value"))
			}
			r.Dynamic = append(r.Dynamic, s)
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(record, 0, 8).Draw(t, "records")
		for _, by := range fleet.Bys() {
			for _, from := range []bool{false, true} {
				d := fleet.FindDrift(all, fleet.DriftOptions{By: by, FromDefaults: from})
				for _, g := range d.Groups {
					for _, k := range g.Keys {
						n := k.MoreClients
						for _, v := range k.Values {
							n += v.Clients
						}
						require.Equal(t, k.Clients, n)
						require.LessOrEqual(t, k.Clients, g.Clients)
					}
				}
			}
		}
		for _, r := range all {
			fleet.States(r)
			fleet.Deviations(r)
			fleet.Query{Deviates: true, State: kcfg.OverrideApplied, Configs: map[string]string{"a": "a"}}.Match(r)
		}
	})
}

func BenchmarkDriftOf10000Clients(b *testing.B) {
	all := many(10_000)
	for b.Loop() {
		fleet.FindDrift(all, fleet.DriftOptions{})
	}
}

func TestADefaultIsShownAsItsValueIs(t *testing.T) {
	const secret = "hunter2"
	password := func(value string, isDefault bool) func(r *kcfg.ClientRecord) {
		return func(r *kcfg.ClientRecord) {
			r.Configs = []kcfg.ClientConfig{{Key: "my.own", Value: value, Type: "PASSWORD", Default: isDefault}}
		}
	}
	other := consumer("c", password(secret, true))
	other.ClientID = "other"
	for name, records := range map[string][]kcfg.ClientRecord{
		"of its own":        {consumer("a", password(secret, true)), consumer("b", password("x", false))},
		"of another group":  {consumer("a", password("y", false)), consumer("b", password("x", false)), other},
		"of another's type": {consumer("a", func(r *kcfg.ClientRecord) { config(r, "my.own", secret) }), consumer("b", password(secret, false)), consumer("c", password("x", false))},
	} {
		b, err := json.Marshal(fleet.FindDrift(records, fleet.DriftOptions{}))
		require.NoError(t, err)
		assert.Contains(t, string(b), "my.own", name)
		assert.NotContains(t, string(b), secret, name)
	}
}
