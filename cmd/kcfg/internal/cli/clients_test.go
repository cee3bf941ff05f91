package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/fleet"
)

func TestTheReadVerbsPrintEveryForm(t *testing.T) {
	records := someFleet()
	_, at := fleetOf(t, records...)
	for name, args := range map[string][]string{
		"clients":             {"clients"},
		"clients-stale":       {"clients", "--stale", "--sort", "client-id"},
		"clients-color":       {"clients", "--color", "always", "--user", "alice"},
		"clients-json":        {"clients", "-o", "json"},
		"clients-yaml":        {"clients", "-o", "yaml", "--user", "alice", "--stale"},
		"clients-none":        {"clients", "--user", "nobody"},
		"clients-none-json":   {"clients", "--user", "nobody", "-o", "json"},
		"show":                {"show", "orders"},
		"show-hostile":        {"show", instance(5)},
		"show-json":           {"show", instance(5), "-o", "json"},
		"show-yaml":           {"show", instance(2)[:8], "-o", "yaml"},
		"show-stale":          {"show", "dead"},
		"drift":               {"drift"},
		"drift-from-defaults": {"drift", "--from-defaults", "--stale"},
		"drift-group":         {"drift", "--by", "group"},
		"drift-json":          {"drift", "-o", "json"},
		"drift-yaml":          {"drift", "--by", "group", "-o", "yaml"},
		"drift-none":          {"drift", "--key", "acks"},
	} {
		t.Run(name, func(t *testing.T) {
			out := ok(t, append(args, at...)...)
			assert.NotContains(t, out, "hunter2")
			assert.NotContains(t, strings.NewReplacer("\x1b[1m", "", "\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[0m", "").Replace(out), "\x1b")
			golden(t, name, fixed(out, records))
		})
	}
}

// listed returns the instances that kcfg clients lists.
func listed(t *testing.T, args ...string) []string {
	t.Helper()
	var v struct {
		Clients []struct {
			Instance string `json:"instance"`
		} `json:"clients"`
	}
	require.NoError(t, json.Unmarshal([]byte(ok(t, append([]string{"clients", "-o", "json"}, args...)...)), &v))
	out := []string{}
	for _, c := range v.Clients {
		out = append(out, strings.TrimLeft(c.Instance[:8], "0"))
	}
	return out
}

func TestClientsAreChosenAndSortedByFlags(t *testing.T) {
	_, at := fleetOf(t, someFleet()...)
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"1", "2", "3", "5"}},
		{[]string{"--stale"}, []string{"1", "2", "3", "4", "5"}},
		{[]string{"--user", "alice"}, []string{"1", "2"}},
		{[]string{"--user", "a\x1b[31mb/c%2F \"d\""}, []string{"5"}},
		{[]string{"--client-id", ""}, []string{"3"}},
		{[]string{"--client-id", "-"}, []string{"5"}},
		{[]string{"--group", ""}, []string{"3"}},
		{[]string{"--host", "zo\u00eb  \u202e"}, []string{"5"}},
		{[]string{"--software", "kgo/v1.22.3"}, []string{"1", "2", "3"}},
		{[]string{"--kind", "producer"}, []string{"3"}},
		{[]string{"--kind", "consumer,producer"}, []string{"3"}},
		{[]string{"--state", "pending"}, []string{"3"}},
		{[]string{"--state", "heartbeat.interval.ms=rejected"}, []string{"2"}},
		{[]string{"--state", "session.timeout.ms=rejected"}, []string{}},
		{[]string{"--deviates"}, []string{"2", "5"}},
		{[]string{"--config", "session.timeout.ms=30000"}, []string{"2"}},
		{[]string{"--config", "db.password=hunter2"}, []string{}},
		{[]string{"--instance", instance(2)[:8]}, []string{"2"}},
		{[]string{"--sort", "deviations"}, []string{"5", "2", "1", "3"}},
		{[]string{"--sort", "instance", "--reverse"}, []string{"5", "3", "2", "1"}},
	} {
		assert.Equal(t, tt.want, listed(t, append(tt.args, at...)...), "%q", tt.args)
	}
}

func TestWrongFlagsOfTheReadVerbsSendNothing(t *testing.T) {
	for _, args := range [][]string{
		{"clients", "--sort", "size"}, {"clients", "--kind", "stream"}, {"clients", "--state", "fine"}, {"clients", "--state", "acks=fine"},
		{"clients", "--config", "acks"}, {"clients", "--config", "=1"}, {"clients", "--config", "a=1", "--config", "a=2"}, {"clients", "x"},
		{"show"}, {"show", ""}, {"show", "a", "b"}, {"show", "a", "--client-id", "b"}, {"show", "--instance", "a", "--client-id", ""}, {"show", "--instance", ""},
		{"drift", "--by", "host"}, {"drift", "session.timeout.ms"},
		// A variable of a script that is not set would show everything, or nothing.
		{"clients", "--kind", ""}, {"clients", "--state", ""}, {"clients", "--instance", ""}, {"drift", "--kind="}, {"drift", "--key", ""},
		{"clients", "--kind", "none"}, {"check", "-", "--kind", "none"}, {"check", "-", "--kind", ""},
	} {
		// Nothing listens there.
		r := run(t, append(args, "--bootstrap-server", "127.0.0.1:1")...)
		assert.Equal(t, codeUsage, r.code, "%q: %s", args, r.err)
		assert.Empty(t, r.out)
	}
}

func TestOverTheRPCsNobodyCanListClients(t *testing.T) {
	_, at := fleetOf(t)
	for _, verb := range [][]string{{"clients"}, {"show", "a"}, {"drift"}} {
		r := run(t, append(append(verb, "--transport", "rpc"), at...)...)
		assert.Equal(t, codeFailed, r.code)
		assert.Contains(t, r.err, "over the RPCs nobody can list clients")
	}
}

func TestWithoutTheTopicsThereIsNothingToListAndTheHintSaysWhy(t *testing.T) {
	_, at := broker(t)
	r := run(t, append([]string{"clients"}, at...)...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.err, "kcfg setup")
	assert.Contains(t, r.err, clientsTopic)
}

func TestALiveClientIsListedWithWhatItDoes(t *testing.T) {
	c, at := fleetOf(t)
	cl, err := client.NewProducer([]kgo.Opt{
		kgo.SeedBrokers(c.Addrs()...), kgo.ClientID("orders-api"), kgo.DisableIdempotentWrite(), kgo.ProducerLinger(7 * time.Millisecond),
	}, client.Transport(client.TransportTopics))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.Ping(t.Context()))
	require.NoError(t, cl.PushConfig(t.Context()))
	var v clientsView
	require.NoError(t, json.Unmarshal([]byte(ok(t, append([]string{"clients", "-o", "json"}, at...)...)), &v))
	require.Len(t, v.Clients, 1)
	got := v.Clients[0]
	assert.Equal(t, cl.ClientInstanceID(), got.Instance)
	assert.Equal(t, "orders-api", got.ClientID)
	assert.Equal(t, "ANONYMOUS", *got.Principal)
	assert.Equal(t, kcfg.KindProducer, got.Kinds)
	assert.Contains(t, got.Deviations, configView{"linger.ms", "7", "LONG"})
	assert.Contains(t, ok(t, append([]string{"show", "orders-api"}, at...)...), "linger.ms")
	assert.Contains(t, ok(t, append([]string{"drift", "--from-defaults"}, at...)...), "10", "kgo's default, which this client does not tell")
	require.NoError(t, cl.PushConfig(t.Context()))
	cl.Close()
	assert.Empty(t, listed(t, at...))
}

func TestShowFindsClientsByEitherName(t *testing.T) {
	records := []kcfg.ClientRecord{
		consumerRecord(1, nil), consumerRecord(2, func(r *kcfg.ClientRecord) { r.ClientID = instance(1) }),
		consumerRecord(0x22, func(r *kcfg.ClientRecord) { r.ClientID = "" }),
	}
	_, at := fleetOf(t, records...)
	shown := func(args ...string) []string {
		var v showView
		require.NoError(t, json.Unmarshal([]byte(ok(t, append(append([]string{"show", "-o", "json"}, args...), at...)...)), &v))
		out := []string{}
		for _, c := range v.Clients {
			out = append(out, c.Instance)
		}
		return out
	}
	assert.Equal(t, []string{instance(1)}, shown(instance(1)), "an instance goes before a client id")
	assert.Equal(t, []string{instance(2)}, shown("--client-id", instance(1)))
	assert.Equal(t, []string{instance(2)}, shown(instance(2)[:8]))
	assert.Equal(t, []string{instance(2)}, shown("--instance", instance(2)[:8]))
	assert.Equal(t, []string{instance(1)}, shown("orders"))
	assert.Equal(t, []string{instance(0x22)}, shown("--client-id", ""))

	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"nobody"}, "instance or client id nobody"},
		{[]string{"--instance", "orders"}, "instance orders"},
		{[]string{"--client-id", "00000"}, "client id 00000"},
		{[]string{"000000"}, "3 instances begin with 000000"},
		{[]string{"a\x1bb"}, `"a\x1bb"`},
	} {
		r := run(t, append(append([]string{"show"}, tt.args...), at...)...)
		assert.Equal(t, codeFailed, r.code)
		assert.Contains(t, r.err, tt.want)
		assert.Empty(t, r.out)
	}
}

func TestDriftTakesWhatUsersMayType(t *testing.T) {
	_, at := fleetOf(t, consumerRecord(1, nil), consumerRecord(2, func(r *kcfg.ClientRecord) {
		r.Configs[1].Value, r.Configs[1].Default = "100", false
		r.Configs[3].Value, r.Configs[3].Default = "30000", false
	}))
	found := func(args ...string) fleet.Drift {
		var d fleet.Drift
		require.NoError(t, json.Unmarshal([]byte(ok(t, append(append([]string{"drift", "-o", "json"}, args...), at...)...)), &d))
		return d
	}
	for _, args := range [][]string{nil, {"--by", "client-id"}, {"--by", "client.id"}, {"--by", "key"}} {
		d := found(args...)
		require.Len(t, d.Groups, 1, args)
		assert.Equal(t, fleet.ByClientID, d.Groups[0].By)
		assert.Len(t, d.Groups[0].Keys, 2)
	}
	for _, args := range [][]string{{"--by", "session.timeout.ms", "--by", "group"}, {"--by=group.id", "--key", "session.timeout.ms"}} {
		d := found(args...)
		require.Len(t, d.Groups, 1, args)
		assert.Equal(t, fleet.ByGroup, d.Groups[0].By)
		require.Len(t, d.Groups[0].Keys, 1)
		assert.Equal(t, "session.timeout.ms", d.Groups[0].Keys[0].Key)
	}
	assert.Empty(t, found("--key", "acks").Groups)
}

func TestTwoHundredClientsAreListed(t *testing.T) {
	var records []kcfg.ClientRecord
	for n := range 200 {
		records = append(records, consumerRecord(n, func(r *kcfg.ClientRecord) {
			if n%50 == 0 {
				r.Configs[3].Value, r.Configs[3].Default = "30000", false
			}
		}))
	}
	_, at := fleetOf(t, records...)
	assert.Len(t, listed(t, at...), 200)
	assert.Contains(t, ok(t, append([]string{"drift"}, at...)...), "196 of 200")
	assert.Contains(t, ok(t, append([]string{"show", "orders"}, at...)...), "200 clients; ")
}

func TestWhatIsNotUnderstoodIsLeftOutAndSaid(t *testing.T) {
	later := consumerRecord(7, func(r *kcfg.ClientRecord) { r.Version = 2 })
	_, at := fleetOf(t, consumerRecord(1, nil), later)
	for _, args := range [][]string{{"clients"}, {"drift"}, {"show", instance(1)}, {"alter", "--user", "alice", "set", "session.timeout.ms=20000", "--dry-run"}} {
		r := run(t, append(args, at...)...)
		assert.Equal(t, codeOK, r.code, "%q", args)
		assert.Equal(t, "kcfg: left out: 1 record that this version does not understand\n", r.err, "%q", args)
	}
}
