package fakebroker

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/wire"
)

// asks returns the request of a client that asks for its own configurations.
func asks(clientID string, supported ...string) *wire.DescribeClientConfigsRequest {
	req := wire.NewDescribeClientConfigsRequest(kcfg.DefaultProtocol())
	req.Components = []wire.DescribeComponent{{EntityType: "client-id", Match: &clientID}}
	req.SupportedConfigs = append([]string{}, supported...)
	req.ResolveEntity, req.Strict = true, true
	return req
}

// introduce makes the client say who it is, as kgo does first.
func (r *rawClient) introduce(name, version string) *rawClient {
	req := requestAt(kmsg.NewPtrApiVersionsRequest(), 4)
	req.ClientSoftwareName, req.ClientSoftwareVersion = name, version
	r.send(req, 1)
	r.read()
	return r
}

func (r *rawClient) describe(req *wire.DescribeClientConfigsRequest) *wire.DescribeClientConfigsResponse {
	r.t.Helper()
	r.send(req, 2)
	resp := wire.NewDescribeClientConfigsResponse(kcfg.DefaultProtocol())
	require.NoError(r.t, resp.ReadFrom(r.read()[answerHead:]))
	return resp
}

func (r *rawClient) alter(req *wire.AlterClientConfigsRequest) *wire.AlterClientConfigsResponse {
	r.t.Helper()
	r.send(req, 3)
	resp := wire.NewAlterClientConfigsResponse(kcfg.DefaultProtocol())
	require.NoError(r.t, resp.ReadFrom(r.read()[answerHead:]))
	return resp
}

// self returns the one resolved entry.
func (r *rawClient) self(clientID string, supported ...string) (kcfg.Entity, []kcfg.KeyValue) {
	r.t.Helper()
	resp := r.describe(asks(clientID, supported...))
	require.Zero(r.t, resp.ErrorCode)
	require.Len(r.t, resp.Entries, 1)
	e, err := kcfg.EntityFromParts(resp.Entries[0].Entity...)
	require.NoError(r.t, err)
	return e, resp.Entries[0].Values
}

func supportedOf(t *testing.T, c *Cluster, e kcfg.Entity) map[string][]string {
	t.Helper()
	text, ok := c.ClientConfigs()[e][kcfg.SupportedConfigs]
	if !ok {
		return nil
	}
	var out map[string][]string
	require.NoError(t, json.Unmarshal([]byte(text), &out))
	return out
}

func TestAClientsOwnConfigurationsWinKeyByKey(t *testing.T) {
	t.Parallel()
	c := start(t, DynamicConfigs())
	user := kcfg.User("ANONYMOUS")
	c.SetClientConfigs(user, kcfg.Set("acks", "all"), kcfg.Set("session.timeout.ms", "30000"), kcfg.Set("supported.configs", "{}"))
	c.SetClientConfigs(user.Client("orders"), kcfg.Set("acks", "1"))
	c.SetClientConfigs(user.DefaultClient(), kcfg.Set("heartbeat.interval.ms", "1"))
	c.SetClientConfigs(kcfg.DefaultUser(), kcfg.Set("heartbeat.interval.ms", "1"))
	c.SetClientConfigs(kcfg.User("bob").Client("orders"), kcfg.Set("acks", "0"))
	r := dial(t, c, 0).introduce("kgo", "v1")

	e, values := r.self("orders", "acks")
	require.Equal(t, user.Client("orders"), e)
	require.Equal(t, []kcfg.KeyValue{{Key: "acks", Value: "1"}, {Key: "session.timeout.ms", Value: "30000"}}, values, "and never what was registered")
	e, values = r.self("carts")
	require.Equal(t, user.Client("carts"), e)
	require.Equal(t, []kcfg.KeyValue{{Key: "acks", Value: "all"}, {Key: "session.timeout.ms", Value: "30000"}}, values)

	alone := asks("")
	alone.Components = nil
	resp := r.describe(alone)
	require.Len(t, resp.Entries, 1)
	require.Equal(t, user.Parts(), resp.Entries[0].Entity)
	require.Equal(t, values, resp.Entries[0].Values)
}

func TestASelfAnswerHasOneEntryWhereNothingIsSet(t *testing.T) {
	t.Parallel()
	e, values := dial(t, start(t, DynamicConfigs()), 0).self("")
	require.Equal(t, kcfg.User("ANONYMOUS").Client(""), e)
	require.Empty(t, values)
}

func TestTheBrokerAddsThePrincipalOfTheConnection(t *testing.T) {
	t.Parallel()
	for _, name := range []string{mechanismPlain, mechanismScram512} {
		c := saslCluster(t, name, DynamicConfigs())
		c.SetClientConfigs(kcfg.User("a,lice="), kcfg.Set("acks", "1"))
		c.SetClientConfigs(kcfg.User("bob"), kcfg.Set("acks", "0"))
		for user, tt := range map[string]struct{ password, acks string }{"a,lice=": {"wonder", "1"}, "bob": {"builder", "0"}} {
			r := dial(t, c, 0).introduce("kgo", "v1")
			r.authenticate(2, mechanism(name, user, tt.password))
			e, values := r.self("orders", "acks")
			require.Equal(t, kcfg.User(user).Client("orders"), e)
			require.Equal(t, []kcfg.KeyValue{{Key: "acks", Value: tt.acks}}, values)
			require.Equal(t, map[string][]string{"kgo/v1": {"acks"}}, supportedOf(t, c, e))
		}
		early := dial(t, c, 0)
		early.send(asks("orders"), 1)
		early.requireClosed()
	}
}

func TestSupportedKeysAreRegisteredSortedOnTheExactEntity(t *testing.T) {
	t.Parallel()
	c := start(t, DynamicConfigs())
	e := kcfg.User("ANONYMOUS").Client("orders")
	r := dial(t, c, 0).introduce("kgo", "v1.22.3")
	r.self("orders", "session.timeout.ms", "acks", "acks")
	require.Equal(t, map[kcfg.Entity]map[string]string{e: {"supported.configs": `{"kgo/v1.22.3":["acks","session.timeout.ms"]}`}}, c.ClientConfigs())
	require.Equal(t, 1, c.ClientConfigWrites())
	for range 3 {
		r.self("orders", "acks", "session.timeout.ms")
	}
	require.Equal(t, 1, c.ClientConfigWrites(), "unchanged registrations write nothing")
	dial(t, c, 0).introduce("java", "4").self("orders", "acks")
	dial(t, c, 0).self("orders", "acks")
	require.Equal(t, map[string][]string{
		"java/4": {"acks"}, "kgo/v1.22.3": {"acks", "session.timeout.ms"}, "unknown/unknown": {"acks"},
	}, supportedOf(t, c, e))

	// An operator removes it, and it comes back as clients ask again.
	remove := wire.NewAlterClientConfigsRequest(kcfg.DefaultProtocol())
	remove.Entries = []wire.AlterEntry{{Entity: e.Parts(), Ops: []kcfg.Op{kcfg.Remove("supported.configs")}}}
	require.Zero(t, r.alter(remove).Entries[0].ErrorCode)
	require.Empty(t, c.ClientConfigs())
	r.self("orders", "acks")
	require.Equal(t, map[string][]string{"kgo/v1.22.3": {"acks"}}, supportedOf(t, c, e))

	null, user := asks("carts"), asks("carts", "acks")
	null.SupportedConfigs, user.Components = nil, nil
	r.describe(null)
	r.describe(user)
	require.Len(t, c.ClientConfigs(), 1, "no list registers nothing, and neither does a client without an id")
}

func TestRegistrationIsBounded(t *testing.T) {
	t.Parallel()
	c := start(t, DynamicConfigs())
	e := kcfg.User("ANONYMOUS").Client("orders")
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("key.%03d", i))
	}
	r := dial(t, c, 0).introduce("kgo", "v1")
	r.self("orders", append(many, strings.Repeat("k", 128), strings.Repeat("k", 129), "", "\xff")...)
	require.Equal(t, many[:64], supportedOf(t, c, e)["kgo/v1"])
	r.self("orders", strings.Repeat("k", 128), strings.Repeat("k", 129), "", "\xff")
	require.Equal(t, []string{strings.Repeat("k", 128)}, supportedOf(t, c, e)["kgo/v1"])
	dial(t, c, 0).introduce("kgo", strings.Repeat("9", 125)).self("orders", "acks")
	require.Len(t, supportedOf(t, c, e), 1)
	for i := range 70 {
		dial(t, c, 0).introduce("kgo", fmt.Sprint("n", i)).self("orders", "acks")
	}
	require.Len(t, supportedOf(t, c, e), 64)
	r.self("orders", "acks")
	require.Equal(t, []string{"acks"}, supportedOf(t, c, e)["kgo/v1"], "a known version can still change")
}

func TestARegistrationFitsInAKafkaString(t *testing.T) {
	t.Parallel()
	var keys []string
	for i := range 64 {
		keys = append(keys, fmt.Sprintf("%0128d", i))
	}
	text := ""
	for i := range 64 {
		next, ok := registered(text, fmt.Sprint("kgo/", i), keys)
		if !ok {
			require.Less(t, i, 10)
			return
		}
		require.LessOrEqual(t, len(next), wire.MaxStringLen)
		text = next
	}
	t.Fatal("nothing was refused")
}

func FuzzRegistered(f *testing.F) {
	f.Add("", "kgo/v1", "acks")
	f.Add(`{"kgo/v1":["acks"]}`, "kgo/v2", "acks")
	f.Add("null", "a", "b")
	f.Add("{", "a", "\xff")
	f.Add(`{"a":null}`, "a/\x00", "\u2028")
	f.Fuzz(func(t *testing.T, old, software, key string) {
		next, ok := registered(old, software, []string{key, "acks", key})
		if !ok {
			return
		}
		var all map[string][]string
		require.NoError(t, json.Unmarshal([]byte(next), &all))
		require.True(t, slices.IsSorted(all[software]))
		require.Contains(t, all[software], "acks")
		require.LessOrEqual(t, len(next), wire.MaxStringLen)
		_, again := registered(next, software, []string{"acks", key})
		require.False(t, again, "the same says nothing new")
	})
}

func TestOnlyASelfRequestIsExemptAndTheSwitchFollowsTheText(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		opts := []Option{DynamicConfigs(), Authorizer(func(rc RequestContext, op Operation) bool {
			require.Equal(t, "ANONYMOUS", rc.Principal)
			require.Contains(t, []string{"DescribeConfigs", "AlterConfigs"}, op.String())
			return false
		})}
		if strict {
			opts = append(opts, AuthorizeSelf())
		}
		c := start(t, opts...)
		r := dial(t, c, 0).introduce("kgo", "v1")
		resp := r.describe(asks("orders", "acks"))
		require.Equal(t, map[bool]int16{true: kerr.ClusterAuthorizationFailed.Code}[strict], resp.ErrorCode)
		require.Equal(t, strict, resp.Entries == nil)
		require.Equal(t, strict, len(c.ClientConfigs()) == 0, "who is refused registers nothing")

		other := wire.NewDescribeClientConfigsRequest(kcfg.DefaultProtocol())
		resp = r.describe(other)
		require.Equal(t, kerr.ClusterAuthorizationFailed.Code, resp.ErrorCode)
		require.Nil(t, resp.Entries)
		require.Equal(t, "DescribeConfigs on the cluster is not allowed", *resp.ErrorMessage)
	}
}

func TestASelfRequestNamesItsClientIDAndNothingElse(t *testing.T) {
	t.Parallel()
	c := start(t, DynamicConfigs())
	name := "alice"
	r := dial(t, c, 0)
	for what, change := range map[string]func(*wire.DescribeClientConfigsRequest){
		"a user": func(q *wire.DescribeClientConfigsRequest) { q.Components[0].EntityType = "user" },
		"a user besides": func(q *wire.DescribeClientConfigsRequest) {
			q.Components = append(q.Components, wire.DescribeComponent{EntityType: "user", Match: &name})
		},
		"any client": func(q *wire.DescribeClientConfigsRequest) {
			q.Components[0] = wire.DescribeComponent{EntityType: "client-id", MatchType: 2}
		},
		"default client": func(q *wire.DescribeClientConfigsRequest) {
			q.Components[0] = wire.DescribeComponent{EntityType: "client-id", MatchType: 1}
		},
		"a name too many":   func(q *wire.DescribeClientConfigsRequest) { q.Components[0].MatchType = 1 },
		"a name too few":    func(q *wire.DescribeClientConfigsRequest) { q.Components[0].Match = nil },
		"an unknown match":  func(q *wire.DescribeClientConfigsRequest) { q.Components[0].MatchType = -1 },
		"an unknown type":   func(q *wire.DescribeClientConfigsRequest) { q.Components[0].EntityType = "ip\n" },
		"not UTF-8":         func(q *wire.DescribeClientConfigsRequest) { bad := "\xff"; q.Components[0].Match = &bad },
		"no self-request":   func(q *wire.DescribeClientConfigsRequest) { q.ResolveEntity = false },
		"a component twice": func(q *wire.DescribeClientConfigsRequest) { q.Components = append(q.Components, q.Components[0]) },
	} {
		req := asks("orders", "acks")
		change(req)
		resp := r.describe(req)
		require.Equal(t, kerr.InvalidRequest.Code, resp.ErrorCode, what)
		require.Nil(t, resp.Entries, what)
		require.NotContains(t, *resp.ErrorMessage, "\n")
	}
	require.Empty(t, c.ClientConfigs())
}

func TestEntitiesThatCannotBeAreRefusedOneByOne(t *testing.T) {
	t.Parallel()
	c := start(t, DynamicConfigs())
	name, bad := "alice", "\xff"
	ops := []kcfg.Op{kcfg.Set("acks", "1")}
	req := wire.NewAlterClientConfigsRequest(kcfg.DefaultProtocol())
	req.Entries = []wire.AlterEntry{
		{Ops: ops},
		{Entity: []kcfg.EntityPart{{Type: "ip", Name: &name}}, Ops: ops},
		{Entity: []kcfg.EntityPart{{Type: "user", Name: &name}, {Type: "user", Name: &name}}, Ops: ops},
		{Entity: []kcfg.EntityPart{{Type: "user", Name: &bad}}, Ops: ops},
		{Entity: []kcfg.EntityPart{{Type: "user"}, {Type: "client-id", Name: &name}}, Ops: ops},
		{Entity: []kcfg.EntityPart{{Type: "client-id", Name: &name}, {Type: "user", Name: &name}}, Ops: ops},
	}
	resp := dial(t, c, 0).alter(req)
	require.Len(t, resp.Entries, len(req.Entries))
	for i, got := range resp.Entries {
		require.Equal(t, req.Entries[i].Entity, got.Entity)
		require.Equal(t, i < 5, got.ErrorCode == kerr.InvalidRequest.Code, "%d: %v", i, got)
	}
	require.Equal(t, map[kcfg.Entity]map[string]string{kcfg.User(name).Client(name): {"acks": "1"}}, c.ClientConfigs())
	require.Equal(t, req.Entries, c.Requests()[0].Alter.Entries)
	require.Len(t, c.Requests()[0].Answer.Altered, len(req.Entries))
	require.Equal(t, AlterOutcome{}, c.Requests()[0].Answer.Altered[5])
}

func TestEachRPCIsAdvertisedAndServedIfItIsEnabled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		opts          []Option
		push, dynamic bool
	}{
		{"nothing", nil, false, false},
		{"push", []Option{Policy(&RecordPolicy{})}, true, false},
		{"dynamic", []Option{DynamicConfigs()}, false, true},
		{"both", []Option{DynamicConfigs(), Policy(&RecordPolicy{})}, true, true},
	} {
		c := start(t, tt.opts...)
		r := dial(t, c, 0)
		r.send(apiVersionsRequest(4), 1)
		resp := answerOf(t, r.read(), kmsg.NewPtrApiVersionsResponse(), 4)
		_, _, feature := levels(resp, "kcfg.protocol")
		require.Equal(t, tt.dynamic, hasKey(resp, 900), tt.name)
		require.Equal(t, tt.dynamic, hasKey(resp, 901), tt.name)
		require.Equal(t, tt.push, hasKey(resp, 902), tt.name)
		require.Equal(t, tt.push || tt.dynamic, feature, tt.name)
		if tt.dynamic {
			r.self("orders")
		} else {
			r.send(asks("orders"), 2)
			r.requireClosed()
		}
	}
}

func TestTheScriptAndTheThrottleApplyToAllRPCs(t *testing.T) {
	t.Parallel()
	c := start(t, DynamicConfigs(), Throttle(25e6))
	r := dial(t, c, 0)
	req := wire.NewAlterClientConfigsRequest(kcfg.DefaultProtocol())
	e := kcfg.User("alice")
	req.Entries = []wire.AlterEntry{{Entity: e.Parts(), Ops: []kcfg.Op{kcfg.Set("acks", "1")}}, {Entity: e.Client("b").Parts()}}
	c.Script(Fault{Code: 44, Message: "no", ThrottleMillis: 70, Count: 2})
	described, altered := r.describe(asks("orders", "acks")), r.alter(req)
	require.EqualValues(t, 44, described.ErrorCode)
	require.EqualValues(t, 70, described.ThrottleMillis)
	require.Nil(t, described.Entries)
	require.EqualValues(t, 70, altered.ThrottleMillis)
	require.Len(t, altered.Entries, 2)
	for _, a := range altered.Entries {
		require.EqualValues(t, 44, a.ErrorCode)
		require.Equal(t, "no", *a.ErrorMessage)
	}
	require.Empty(t, c.ClientConfigs())
	require.EqualValues(t, 25, r.describe(asks("orders", "acks")).ThrottleMillis)
	require.EqualValues(t, 25, r.alter(req).ThrottleMillis)
	require.Equal(t, []string{"acks"}, c.Requests()[0].Describe.SupportedConfigs)
	require.Equal(t, Answer{Outcome: Answered, Code: 44, Message: "no", ThrottleMillis: 70}, c.Requests()[0].Answer)
}
