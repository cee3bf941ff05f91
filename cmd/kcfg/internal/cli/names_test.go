package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// hardNames are names that something on the way could take for something else.
func hardNames() []string {
	return []string{
		"", " ", "a/b", "a%2Fb", "%", "a b", "  a  b  ", `say "hi"`, "it's", `a\b`, "a,b", "a=b", "[a]", "a;b", "null", "true", "1", "1e3", "~", "-", "--user", "-x",
		"<default>", "default", "CN=orders, O=\u00c4rger", "\u6f22\u5b57", "\U0001f600", "e\u0301", "\u202eabc", "a\tb", "a\nb", "\x1b[2J", "\u0085", "yes", "12:30", "#a", "*a", "&a", "{a}", "a: b", "User:alice",
	}
}

// entityDoc is what the documents say of an entity.
type entityDoc struct {
	Type string  `json:"type" yaml:"type"`
	Name *string `json:"name" yaml:"name"`
}

type describedDoc struct {
	Entities []struct {
		Entity  []entityDoc `json:"entity" yaml:"entity"`
		Configs []struct {
			Key   string  `json:"key" yaml:"key"`
			Value *string `json:"value" yaml:"value"`
			Kind  string  `json:"kind" yaml:"kind"`
		} `json:"configs" yaml:"configs"`
	} `json:"entities" yaml:"entities"`
}

type alteredDoc struct {
	Entity []entityDoc `json:"entity" yaml:"entity"`
}

// read reads a document in one of the forms.
func read(t *testing.T, form, text string, into any) {
	t.Helper()
	decode := map[string]func([]byte, any) error{"json": json.Unmarshal, "yaml": yaml.Unmarshal}[form]
	require.NoError(t, decode([]byte(text), into), text)
}

func TestNamesMakeTheRoundTripThroughArgumentsTransportsQuotasAndDocuments(t *testing.T) {
	rpc, rpcFlags := broker(t, fakebroker.DynamicConfigs())
	topics, _, topicFlags := setUp(t)
	for _, via := range []struct {
		name  string
		flags []string
		c     *fakebroker.Cluster
	}{
		{"rpc", append(slices.Clone(rpcFlags), "--transport", "rpc"), rpc},
		{"topics", append(slices.Clone(topicFlags), "--transport", "topics"), topics},
	} {
		t.Run(via.name, func(t *testing.T) {
			for i, name := range hardNames() {
				client := hardNames()[len(hardNames())-1-i]
				namesRoundTrip(t, via.flags, name, client, i%2 == 0)
			}
			allNames(t, via.flags)
		})
	}
	var users []string
	for e := range rpc.ClientConfigs() {
		user, _ := e.UserName()
		users = append(users, *user)
	}
	assert.ElementsMatch(t, hardNames(), users, "and they are what the broker got")
}

func namesRoundTrip(t *testing.T, flags []string, user, id string, long bool) {
	t.Helper()
	form, naming := "json", []string{"--user=" + user, "--client-id=" + id}
	if long {
		form, naming = "yaml", []string{"--entity-type", "users", "--entity-type", "clients", "--entity-name=" + user, "--entity-name=" + id}
	}
	want := []entityDoc{{"user", &user}, {"client-id", &id}}
	args := append(slices.Clone(flags), "alter", "-o", form)
	out := ok(t, append(append(args, naming...), "set", "acks=1", "producer_byte_rate=7")...)
	var doc alteredDoc
	read(t, form, out, &doc)
	require.Equal(t, want, doc.Entity, "%q %q", user, id)

	args = append(slices.Clone(flags), "describe", "-o", form)
	out = ok(t, append(args, naming...)...)
	var told describedDoc
	read(t, form, out, &told)
	require.Len(t, told.Entities, 1, out)
	require.Equal(t, want, told.Entities[0].Entity, out)
	require.Len(t, told.Entities[0].Configs, 2, "of both APIs: %s", out)
}

// allNames describes everybody in every form.
func allNames(t *testing.T, flags []string) {
	t.Helper()
	for _, form := range []string{"json", "yaml"} {
		out := ok(t, append(slices.Clone(flags), "describe", "--entity-type", "users", "-o", form)...)
		var told describedDoc
		read(t, form, out, &told)
		var users, ids []string
		for _, e := range told.Entities {
			users, ids = append(users, *e.Entity[0].Name), append(ids, *e.Entity[1].Name)
		}
		assert.ElementsMatch(t, hardNames(), users)
		assert.ElementsMatch(t, hardNames(), ids)
		assert.False(t, unprintable(out), out)
	}
	table := ok(t, append(slices.Clone(flags), "describe", "--entity-type", "users")...)
	assert.False(t, unprintable(table), "%q", table)
	assert.Equal(t, 1+2*len(hardNames()), strings.Count(table, "\n"), "%q", table)
}

// unprintable reports whether there is something that a terminal may obey.
func unprintable(s string) bool {
	return strings.ContainsAny(s, "\x1b\t\u202e\u0085\x00")
}

func TestTheDefaultIsNoNameInEveryForm(t *testing.T) {
	_, flags := broker(t, fakebroker.DynamicConfigs())
	ok(t, append(flags, "alter", "--entity-type", "users", "--entity-default", "set", "producer_byte_rate=1")...)
	ok(t, append(flags, "alter", "--user", "", "set", "producer_byte_rate=2")...)
	for _, form := range []string{"json", "yaml"} {
		for _, tt := range []struct {
			args  []string
			name  *string
			value string
		}{
			{[]string{"--user-defaults"}, nil, "1"},
			{[]string{"--user", ""}, new(""), "2"},
		} {
			var told describedDoc
			read(t, form, ok(t, append(append(flags, "describe", "-o", form), tt.args...)...), &told)
			require.Len(t, told.Entities, 1)
			assert.Equal(t, []entityDoc{{"user", tt.name}}, told.Entities[0].Entity)
			assert.Equal(t, tt.value, *told.Entities[0].Configs[0].Value)
		}
	}
	table := ok(t, append(flags, "describe", "--entity-type", "users")...)
	assert.Contains(t, table, "<default>  -")
	assert.Contains(t, table, `""         -`)
}

func TestValuesMakeTheRoundTripToo(t *testing.T) {
	c, flags := broker(t, fakebroker.DynamicConfigs(), fakebroker.Topics(1, "orders"))
	for _, value := range hardNames() {
		c.SetClientConfigs(kcfg.User("alice"), kcfg.Set("x", value))
		for _, form := range []string{"json", "yaml"} {
			var told describedDoc
			read(t, form, ok(t, append(flags, "describe", "--user", "alice", "-o", form)...), &told)
			require.Equal(t, value, *told.Entities[0].Configs[0].Value)
		}
		require.False(t, unprintable(ok(t, append(flags, "describe", "--user", "alice")...)))
	}
}
