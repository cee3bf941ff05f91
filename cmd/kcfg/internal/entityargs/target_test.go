package entityargs

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

func target(t *testing.T, args ...string) (Target, error) {
	t.Helper()
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	f := AddFlags(fs)
	require.NoError(t, fs.Parse(args))
	return f.Target()
}

func TestADefaultIsNotSwitchedOff(t *testing.T) {
	for _, flag := range []string{"entity-default", "user-defaults", "client-defaults", "broker-defaults", "ip-defaults"} {
		for _, value := range []string{"false", "", "0", "alice"} {
			fs := pflag.NewFlagSet("", pflag.ContinueOnError)
			f := AddFlags(fs)
			require.ErrorContains(t, fs.Parse([]string{"--" + flag + "=" + value}), "no value", flag)
			assert.Empty(t, len(f.names)+len(f.short))
		}
	}
}

// text writes a target so that all, the default and the empty name differ.
func text(t Target) string {
	var out []string
	for _, p := range t {
		name := "*"
		if p.Named {
			name = output.Name(p.Name)
		}
		out = append(out, p.Type+" "+name)
	}
	return strings.Join(out, ", ")
}

func TestTypesAndNamesArePairedByTheirPlaces(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		// From the documentation and the tests of kafka-configs.sh.
		{"--entity-type users --entity-name user1 --entity-type clients --entity-name clientA", "users user1, clients clientA"},
		{"--entity-type users --entity-type clients --entity-name alice --entity-name orders", "users alice, clients orders"},
		{"--entity-name alice --entity-name orders --entity-type users --entity-type clients", "users alice, clients orders"},
		{"--entity-type clients --entity-name orders --entity-type users --entity-name alice", "clients orders, users alice"},
		{"--entity-type users --entity-default --entity-type clients --entity-default", "users <default>, clients <default>"},
		{"--entity-type users --entity-type clients --entity-default --entity-name orders", "users <default>, clients orders"},
		{"--entity-default --entity-name A --entity-type clients --entity-type users", "clients <default>, users A"},
		{"--entity-type users --entity-name user1 --entity-type clients", "users user1, clients *"},
		{"--entity-type users --entity-type clients --entity-name orders", "users orders, clients *"},
		{"--entity-type topics", "topics *"},
		{"--entity-type brokers --entity-default", "brokers <default>"},
		{"--entity-type=brokers --entity-name=0", "brokers 0"},
		{"--entity-type ips --entity-name 127.0.0.1", "ips 127.0.0.1"},
		{"--entity-type broker-loggers --entity-name 1", "broker-loggers 1"},
		{"--user alice --client orders", "users alice, clients orders"},
		{"--client-id orders --user alice", "clients orders, users alice"},
		{"--user-defaults --client-defaults", "users <default>, clients <default>"},
		{"--user-defaults --client orders", "users <default>, clients orders"},
		{"--broker-defaults", "brokers <default>"},
		{"--ip-defaults", "ips <default>"},
		{"--topic orders", "topics orders"},
		{"--broker 1", "brokers 1"},
		{"--broker-logger 1", "broker-loggers 1"},
		{"--group g", "groups g"},
		{"--client-metrics m", "client-metrics m"},
		{"--ip 10.0.0.1", "ips 10.0.0.1"},
	} {
		got, err := target(t, strings.Fields(tt.args)...)
		require.NoError(t, err, tt.args)
		assert.Equal(t, tt.want, text(got), tt.args)
	}
}

func TestANameMayBeEmptyAndIsNeverTheDefault(t *testing.T) {
	for _, args := range [][]string{{"--user", ""}, {"--user="}, {"--entity-type", "users", "--entity-name", ""}} {
		got, err := target(t, args...)
		require.NoError(t, err)
		assert.Equal(t, `users ""`, text(got), args)
		e, err := got.Entity()
		require.NoError(t, err)
		assert.Equal(t, kcfg.User(""), e)
	}
}

func TestMistakesInEntitiesAreFound(t *testing.T) {
	for args, want := range map[string]string{
		"":                    "whose configurations?",
		"--entity-name alice": "more names",
		"--entity-type user":  `there is no entity type "user"`,
		"--entity-type users --entity-name a --entity-name b": "more names",
		"--entity-type users --entity-type users":             "twice",
		"--user a --user b":                                   "twice",
		"--user a --user-defaults":                            "twice",
		"--client a --client-id b":                            "twice",
		"--entity-type users --entity-type topics":            "only users and clients",
		"--user a --topic b":                                  "only users and clients",
		"--client a --ip b":                                   "only users and clients",
		"--user a --entity-type clients --entity-name b":      "do not go together",
		"--user a --entity-default":                           "do not go together",
		"--entity-type topics --entity-default":               "topics have no default",
		"--entity-type groups --entity-default":               "groups have no default",
		"--entity-type broker-loggers --entity-default":       "broker-loggers have no default",
		"--entity-type brokers --entity-name a":               "its id",
		"--broker 1.0":                                        "its id",
		"--broker-logger x":                                   "its id",
		"--broker 99999999999":                                "its id",
		"--user a\xff":                                        `"a\xff" of users is not UTF-8`,
		"--entity-type topics --entity-name \xff":             "not UTF-8",
		"--user a --client \xff":                              "not UTF-8",
	} {
		_, err := target(t, strings.Fields(args)...)
		require.ErrorContains(t, err, want, args)
	}
	_, err := target(t, "--broker", "")
	require.ErrorContains(t, err, "its id")
}

func TestCompleteAsksForEveryName(t *testing.T) {
	got, err := target(t, "--entity-type", "users", "--entity-name", "a", "--entity-type", "clients")
	require.NoError(t, err)
	require.ErrorContains(t, got.Complete(), "which of the clients?")
	got, err = target(t, "--user-defaults")
	require.NoError(t, err)
	require.NoError(t, got.Complete())
}

func TestResourcesAndWhatKafkasToolPrints(t *testing.T) {
	for _, tt := range []struct {
		args      []string
		resource  kcfg.Resource
		completed string
	}{
		{[]string{"--topic", "orders"}, kcfg.TopicResource("orders"), "Completed updating config for topic orders."},
		{[]string{"--broker", "1"}, kcfg.BrokerResource(1), "Completed updating config for broker 1."},
		{[]string{"--broker-defaults"}, kcfg.ClusterResource(), "Completed updating default config for brokers in the cluster."},
		{[]string{"--group", "g"}, kcfg.GroupResource("g"), "Completed updating config for group g."},
		{[]string{"--client-metrics", "m"}, kcfg.ClientMetricsResource("m"), "Completed updating config for client-metric m."},
		{[]string{"--broker-logger", "1"}, kcfg.ResourceOf(kcfg.ResourceBrokerLogger, "1"), "Completed updating config for broker-logger 1."},
		{[]string{"--user", "alice", "--client-id", "orders"}, kcfg.Resource{}, "Completed updating config for user alice."},
		{[]string{"--entity-type", "clients", "--entity-name", "orders", "--entity-type", "users", "--entity-name", "alice"}, kcfg.Resource{}, "Completed updating config for client orders."},
		{[]string{"--user-defaults"}, kcfg.Resource{}, "Completed updating default config for users in the cluster."},
		{[]string{"--user", ""}, kcfg.Resource{}, `Completed updating config for user "".`},
		{[]string{"--user", "a\x1b[2J"}, kcfg.Resource{}, `Completed updating config for user "a\x1b[2J".`},
		{[]string{"--ip", "10.0.0.1"}, kcfg.Resource{}, "Completed updating config for ip 10.0.0.1."},
	} {
		got, err := target(t, tt.args...)
		require.NoError(t, err)
		assert.Equal(t, tt.resource, got.Resource(), tt.args)
		assert.Equal(t, tt.completed, got.Completed(), tt.args)
		if !tt.resource.IsZero() {
			assert.Equal(t, got.Parts()[0], PartOf(tt.resource), tt.args)
		}
	}
}

func TestATargetMatchesExactlyWhatIsNamedAndAllThatIsNot(t *testing.T) {
	part := func(kind, name string) kcfg.EntityPart { return kcfg.EntityPart{Type: kind, Name: &name} }
	entities := map[string][]kcfg.EntityPart{
		"alice":         {part("user", "alice")},
		"alice/orders":  {part("user", "alice"), part("client-id", "orders")},
		"bob/orders":    {part("user", "bob"), part("client-id", "orders")},
		"/orders":       {part("client-id", "orders")},
		"default":       {{Type: "user"}},
		"empty":         {part("user", "")},
		"alice/default": {part("user", "alice"), {Type: "client-id"}},
		"ip":            {part("ip", "10.0.0.1")},
	}
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"--user", "alice"}, []string{"alice"}},
		{[]string{"--user", ""}, []string{"empty"}},
		{[]string{"--user-defaults"}, []string{"default"}},
		{[]string{"--user", "alice", "--client", "orders"}, []string{"alice/orders"}},
		{[]string{"--user", "alice", "--client-defaults"}, []string{"alice/default"}},
		{[]string{"--client", "orders"}, []string{"/orders"}},
		{[]string{"--entity-type", "users"}, []string{"alice", "alice/orders", "bob/orders", "default", "empty", "alice/default"}},
		{[]string{"--entity-type", "clients"}, []string{"alice/orders", "bob/orders", "/orders", "alice/default"}},
		{[]string{"--entity-type", "users", "--entity-name", "alice", "--entity-type", "clients"}, []string{"alice/orders", "alice/default"}},
		{[]string{"--entity-type", "ips"}, []string{"ip"}},
	} {
		got, err := target(t, tt.args...)
		require.NoError(t, err)
		var matched []string
		for name, e := range entities {
			if got.Matches(e) {
				matched = append(matched, name)
			}
		}
		assert.ElementsMatch(t, tt.want, matched, tt.args)
	}
}

func TestEveryTypeHasANameOnTheWire(t *testing.T) {
	for _, kind := range Types() {
		assert.NotEmpty(t, wire[kind], kind)
		assert.NotEmpty(t, singular(kind))
	}
}

// However types, names and defaults are mixed, the first name or default belongs to the
// first type.
func TestTheOrderOfTypesAmongNamesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		types := rapid.Permutation([]string{Users, Clients}).Draw(rt, "types")
		names := rapid.SliceOfN(rapid.Ptr(rapid.String(), true), 2, 2).Draw(rt, "names")
		var args []string
		nt, nn := 0, 0
		for nt < len(types) || nn < len(names) {
			if nn == len(names) || nt < len(types) && rapid.Bool().Draw(rt, "type") {
				args = append(args, "--entity-type", types[nt])
				nt++
				continue
			}
			if names[nn] == nil {
				args = append(args, "--entity-default")
			} else {
				args = append(args, "--entity-name", *names[nn])
			}
			nn++
		}
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		f := AddFlags(fs)
		require.NoError(rt, fs.Parse(args))
		got, err := f.Target()
		require.NoError(rt, err)
		require.Equal(rt, Target{{types[0], true, names[0]}, {types[1], true, names[1]}}, got)
	})
}
