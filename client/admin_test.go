package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

const (
	describeKey = 900
	alterKey    = 901
)

var (
	alice  = kcfg.User("alice")
	orders = alice.Client("orders")
)

// dynamicCluster is cluster with dynamic configurations.
func dynamicCluster(t *testing.T, opts ...fakebroker.Option) *fakebroker.Cluster {
	t.Helper()
	return cluster(t, append(opts, fakebroker.DynamicConfigs())...)
}

// newAdmin returns the admin of a client of its own.
func newAdmin(t *testing.T, c *fakebroker.Cluster, kopts ...kgo.Opt) *client.Admin {
	t.Helper()
	return adminOf(t, newClient(t, seeds(c, kopts...), client.DisableConfigsPush(), client.DisableDynamicConfigs()).Client)
}

func adminOf(t *testing.T, cl *kgo.Client, opts ...client.AdminOption) *client.Admin {
	t.Helper()
	a, err := client.NewAdmin(cl, opts...)
	require.NoError(t, err)
	return a
}

// alter makes alterations that must succeed.
func alter(t *testing.T, a *client.Admin, alterations ...kcfg.Alteration) {
	t.Helper()
	got, err := a.AlterClientConfigs(withTimeout(t), alterations...)
	require.NoError(t, err)
	require.NoError(t, dynconfig.AlterError(got))
}

func describe(t *testing.T, a *client.Admin, f kcfg.Filter) []kcfg.Described {
	t.Helper()
	got, err := a.DescribeClientConfigs(withTimeout(t), f)
	require.NoError(t, err)
	return got
}

func entitiesOf(ds []kcfg.Described) (out []kcfg.Entity) {
	for _, d := range ds {
		out = append(out, d.Entity)
	}
	return out
}

func codeOf(err error) int16 {
	e, ok := errors.AsType[*kerr.Error](err)
	if !ok {
		return 0
	}
	return e.Code
}

func TestWhatAnAdminAltersItDescribes(t *testing.T) {
	c := dynamicCluster(t)
	for name, cl := range map[string]func() *kgo.Client{
		"New": func() *kgo.Client { return newClient(t, seeds(c), client.DisableDynamicConfigs()).Client },
		"NewPlugin": func() *kgo.Client {
			cl, err := kgo.NewClient(append(client.NewPlugin(client.DisableDynamicConfigs()).Opts(), seeds(c)...)...)
			require.NoError(t, err)
			t.Cleanup(cl.Close)
			return cl
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := adminOf(t, cl())
			alter(t, a,
				kcfg.Alter(orders, kcfg.Set("session.timeout.ms", "30000"), kcfg.Set("acks", "1")),
				kcfg.Alter(alice, kcfg.Set("acks", "all")))
			assert.Equal(t, []kcfg.Described{
				{Entity: alice, Values: []kcfg.KeyValue{{Key: "acks", Value: "all"}}},
				{Entity: orders, Values: []kcfg.KeyValue{{Key: "acks", Value: "1"}, {Key: "session.timeout.ms", Value: "30000"}}},
			}, describe(t, a, kcfg.Filter{}))

			alter(t, a, kcfg.Alter(orders, kcfg.Remove("acks")), kcfg.Alter(alice, kcfg.Remove("acks")))
			assert.Equal(t, []kcfg.Described{
				{Entity: orders, Values: []kcfg.KeyValue{{Key: "session.timeout.ms", Value: "30000"}}},
			}, describe(t, a, kcfg.Filter{}))
			alter(t, a, kcfg.Alter(orders, kcfg.Remove("session.timeout.ms")))
			assert.Empty(t, describe(t, a, kcfg.Filter{}))
			assert.Empty(t, c.ClientConfigs())
		})
	}
}

func TestRemovingWhatIsNotSetSucceedsAndWritesNothing(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	alter(t, a, kcfg.Alter(alice, kcfg.Remove("acks"), kcfg.Remove("supported.configs")), kcfg.Alter(orders))
	assert.Zero(t, c.ClientConfigWrites())
	alter(t, a, kcfg.Alter(alice, kcfg.Set("acks", "0")))
	alter(t, a, kcfg.Alter(alice, kcfg.Set("acks", "0")))
	assert.Equal(t, 1, c.ClientConfigWrites())
}

func TestFiltersChooseEntities(t *testing.T) {
	c := dynamicCluster(t)
	bob := kcfg.User("bob")
	carts, other := alice.Client("carts"), bob.Client("orders")
	fallback := kcfg.DefaultUser().DefaultClient()
	for _, e := range []kcfg.Entity{alice, orders, carts, bob, other, fallback, kcfg.DefaultUser()} {
		c.SetClientConfigs(e, kcfg.Set("acks", "1"))
	}
	a := newAdmin(t, c)
	for _, tt := range []struct {
		name   string
		filter kcfg.Filter
		want   []kcfg.Entity
	}{
		{"all", kcfg.Filter{}, []kcfg.Entity{kcfg.DefaultUser(), fallback, alice, carts, orders, bob, other}},
		{"none, strictly", kcfg.Filter{}.StrictOnly(), nil},
		{"a user", kcfg.FilterUser("alice"), []kcfg.Entity{alice, carts, orders}},
		{"a user, strictly", kcfg.FilterUser("alice").StrictOnly(), []kcfg.Entity{alice}},
		{"a user's client", kcfg.FilterUser("alice").Client("orders"), []kcfg.Entity{orders}},
		{"any client of a user", kcfg.FilterUser("alice").AnyClient().StrictOnly(), []kcfg.Entity{carts, orders}},
		{"a client of any user", kcfg.FilterAnyUser().Client("orders"), []kcfg.Entity{orders, other}},
		{"any user", kcfg.FilterAnyUser().StrictOnly(), []kcfg.Entity{alice, bob}},
		{"the default user", kcfg.FilterDefaultUser(), []kcfg.Entity{kcfg.DefaultUser(), fallback}},
		{"the default client", kcfg.FilterDefaultUser().DefaultClient(), []kcfg.Entity{fallback}},
		{"a client, whoever's", kcfg.Filter{}.Client("orders"), []kcfg.Entity{orders, other}},
		{"a client without a user, strictly", kcfg.Filter{}.Client("orders").StrictOnly(), nil},
		{"nobody", kcfg.FilterUser("Alice"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, entitiesOf(describe(t, a, tt.filter)))
		})
	}
}

func TestAFilterThatMakesNoSenseIsRefused(t *testing.T) {
	a := newAdmin(t, dynamicCluster(t))
	for name, f := range map[string]kcfg.Filter{
		"a type twice":    kcfg.FilterUser("a").Client("b").AnyClient(),
		"an unknown type": {Components: []kcfg.FilterComponent{{Type: "ip", Match: kcfg.MatchAny}}},
		"an unknown rule": {Components: []kcfg.FilterComponent{{Type: kcfg.EntityUser, Match: 3}}},
	} {
		_, err := a.DescribeClientConfigs(withTimeout(t), f)
		require.Error(t, err, name)
		assert.Equal(t, kerr.InvalidRequest.Code, codeOf(err), name)
	}
}

// refused has one bad alteration of each kind, and what must become of it.
func refused() []struct {
	name  string
	a     kcfg.Alteration
	code  int16
	names string
} {
	return []struct {
		name  string
		a     kcfg.Alteration
		code  int16
		names string
	}{
		{"a value that is not acks", kcfg.Alter(alice, kcfg.Set("acks", "quorum-42")), kerr.InvalidConfig.Code, "acks"},
		{"a value that is no number", kcfg.Alter(alice, kcfg.Set("session.timeout.ms", "quorum-42")), kerr.InvalidConfig.Code, "session.timeout.ms"},
		{"a number that is zero", kcfg.Alter(alice, kcfg.Set("heartbeat.interval.ms", "0")), kerr.InvalidConfig.Code, "heartbeat.interval.ms"},
		{"an unknown key", kcfg.Alter(alice, kcfg.Set("acksss", "quorum-42")), kerr.InvalidConfig.Code, "acksss"},
		{"an unknown key removed", kcfg.Alter(alice, kcfg.Remove("acksss")), kerr.InvalidConfig.Code, "acksss"},
		{"a key that is not dynamic", kcfg.Alter(alice, kcfg.Set("linger.ms", "5")), kerr.InvalidConfig.Code, "linger.ms"},
		{"a quota", kcfg.Alter(alice, kcfg.Set("producer_byte_rate", "5000")), kerr.InvalidConfig.Code, "producer_byte_rate"},
		{"what clients register", kcfg.Alter(alice, kcfg.Set("supported.configs", "{}")), kerr.InvalidConfig.Code, "supported.configs"},
		{"one good key and one bad", kcfg.Alter(alice, kcfg.Set("acks", "1"), kcfg.Set("session.timeout.ms", "quorum-42")), kerr.InvalidConfig.Code, "session.timeout.ms"},
		{"a key twice", kcfg.Alter(alice, kcfg.Set("acks", "1"), kcfg.Remove("acks")), kerr.InvalidRequest.Code, "acks"},
		{"the default user", kcfg.Alter(kcfg.DefaultUser(), kcfg.Set("acks", "1")), kerr.InvalidRequest.Code, "user"},
		{"the default client", kcfg.Alter(alice.DefaultClient(), kcfg.Set("acks", "1")), kerr.InvalidRequest.Code, "client-id"},
		{"a client without a user", kcfg.Alter(kcfg.Entity{}.Client("orders"), kcfg.Set("acks", "1")), kerr.InvalidRequest.Code, "user"},
	}
}

func TestWhatIsRefusedIsTypedNamesTheKeyAndChangesNothing(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	for _, tt := range refused() {
		t.Run(tt.name, func(t *testing.T) {
			for name, call := range map[string]func(context.Context, ...kcfg.Alteration) ([]kcfg.Altered, error){
				"alter": a.AlterClientConfigs, "validate": a.ValidateAlterClientConfigs,
			} {
				got, err := call(withTimeout(t), tt.a)
				require.NoError(t, err, "%s: the request as a whole went well", name)
				require.Len(t, got, 1)
				require.Error(t, got[0].Err)
				assert.Equal(t, tt.code, codeOf(got[0].Err), "%s: %v", name, got[0].Err)
				assert.Equal(t, tt.code == kerr.InvalidConfig.Code, isA[*cfgerrors.InvalidConfigError](got[0].Err))
				joined := dynconfig.AlterError(got)
				require.ErrorIs(t, joined, got[0].Err)
				assert.Contains(t, joined.Error(), tt.names)
				assert.Contains(t, joined.Error(), got[0].Entity.String())
				assert.NotContains(t, joined.Error(), "quorum-42")
			}
		})
	}
	assert.Zero(t, c.ClientConfigWrites())
}

func TestOneRefusedEntityDoesNotStopTheRest(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	bob, carol := kcfg.User("bob"), kcfg.User("carol")
	got, err := a.AlterClientConfigs(withTimeout(t),
		kcfg.Alter(alice, kcfg.Set("acks", "1")),
		kcfg.Alter(bob, kcfg.Set("acks", "7")),
		kcfg.Alter(kcfg.User(strings.Repeat("x", 40000)), kcfg.Set("acks", "1")),
		kcfg.Alter(kcfg.Entity{}, kcfg.Set("acks", "1")),
		kcfg.Alter(kcfg.User("not\xffUTF-8"), kcfg.Set("acks", "1")),
		kcfg.Alter(carol, kcfg.Set("acks", "0")),
	)
	require.NoError(t, err)
	require.Len(t, got, 6)
	require.NoError(t, got[0].Err)
	assert.True(t, isA[*cfgerrors.InvalidConfigError](got[1].Err))
	assert.True(t, isA[*cfgerrors.IdentifierTooLargeError](got[2].Err))
	require.Error(t, got[3].Err)
	require.Error(t, got[4].Err)
	require.NoError(t, got[5].Err)
	assert.Len(t, c.ClientConfigs(), 2)
	require.Equal(t, 1, c.Count(fakebroker.AnyNode, alterKey))
	assert.Len(t, c.Requests()[0].Alter.Entries, 3, "the others never left")
}

func TestTheSameEntityTwiceIsRefusedForThatEntityAlone(t *testing.T) {
	c := dynamicCluster(t)
	got, err := newAdmin(t, c).AlterClientConfigs(withTimeout(t),
		kcfg.Alter(alice, kcfg.Set("acks", "1")),
		kcfg.Alter(orders, kcfg.Set("acks", "1")),
		kcfg.Alter(alice, kcfg.Set("acks", "0")),
	)
	require.NoError(t, err)
	assert.Equal(t, kerr.InvalidRequest.Code, codeOf(got[0].Err))
	require.NoError(t, got[1].Err)
	assert.Equal(t, kerr.InvalidRequest.Code, codeOf(got[2].Err))
	assert.Equal(t, map[kcfg.Entity]map[string]string{orders: {"acks": "1"}}, c.ClientConfigs())
}

func TestValidationLeavesNoTrace(t *testing.T) {
	var asked []bool
	policy := fakebroker.AlterPolicyFunc(func(_ context.Context, m fakebroker.AlterMetadata) error {
		asked = append(asked, m.ValidateOnly)
		return nil
	})
	c := dynamicCluster(t, fakebroker.AlterPolicy(policy))
	a := newAdmin(t, c)
	alter(t, a, kcfg.Alter(alice, kcfg.Set("acks", "1")))
	before, writes := c.ClientConfigs(), c.ClientConfigWrites()
	got, err := a.ValidateAlterClientConfigs(withTimeout(t),
		kcfg.Alter(alice, kcfg.Remove("acks")),
		kcfg.Alter(orders, kcfg.Set("session.timeout.ms", "30000")))
	require.NoError(t, err)
	require.NoError(t, dynconfig.AlterError(got))
	assert.Equal(t, before, c.ClientConfigs())
	assert.Equal(t, writes, c.ClientConfigWrites())
	assert.Equal(t, []bool{false, true, true}, asked, "the policy is asked all the same")
}

// lifecyclePolicy is configured and closed, and refuses sessions above a limit.
type lifecyclePolicy struct {
	mu     sync.Mutex
	limit  string
	calls  []fakebroker.AlterMetadata
	closed int
}

func (p *lifecyclePolicy) Configure(configs map[string]string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = configs["forbidden"]
	return nil
}

func (p *lifecyclePolicy) Validate(_ context.Context, m fakebroker.AlterMetadata) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, m)
	if v, ok := m.Configs()["session.timeout.ms"]; ok && v == p.limit {
		return fmt.Errorf("session.timeout.ms of %s is not for %s", v, m.Resource.Entity())
	}
	if _, ok := m.Configs()["heartbeat.interval.ms"]; ok {
		panic("hunter2")
	}
	return nil
}

func (p *lifecyclePolicy) Close() error {
	p.closed++
	return nil
}

func TestAPolicyRefusesAnEntityAndTheRestIsApplied(t *testing.T) {
	policy := &lifecyclePolicy{}
	c := dynamicCluster(t, fakebroker.AlterPolicy(policy), fakebroker.PolicyConfigs(map[string]string{"forbidden": "60000"}))
	a := newAdmin(t, c, kgo.ClientID("operator"))
	batch := []kcfg.Alteration{
		kcfg.Alter(alice, kcfg.Set("session.timeout.ms", "60000")),
		kcfg.Alter(orders, kcfg.Set("acks", "1"), kcfg.Remove("session.timeout.ms")),
		kcfg.Alter(kcfg.User("bob"), kcfg.Set("heartbeat.interval.ms", "3000")),
	}
	validated, err := a.ValidateAlterClientConfigs(withTimeout(t), batch...)
	require.NoError(t, err)
	assert.Empty(t, c.ClientConfigs())
	got, err := a.AlterClientConfigs(withTimeout(t), batch...)
	require.NoError(t, err)
	for i := range got {
		assert.Equal(t, fmt.Sprint(validated[i]), fmt.Sprint(got[i]), "validation says what will be")
	}
	require.True(t, isA[*cfgerrors.PolicyViolationError](got[0].Err), "%v", got[0].Err)
	assert.Contains(t, got[0].Err.Error(), "session.timeout.ms")
	assert.NotContains(t, got[0].Err.Error(), "60000")
	require.NoError(t, got[1].Err)
	assert.Equal(t, kerr.UnknownServerError.Code, codeOf(got[2].Err))
	assert.NotContains(t, got[2].Err.Error(), "hunter2")
	assert.Equal(t, map[kcfg.Entity]map[string]string{orders: {"acks": "1"}}, c.ClientConfigs())

	m := policy.calls[len(policy.calls)-2]
	assert.Equal(t, orders, m.Resource.Entity())
	assert.Equal(t, map[string]string{"acks": "1"}, m.Configs())
	assert.Equal(t, []string{"session.timeout.ms"}, m.Removed())
	assert.Equal(t, "operator", m.Context.ClientID)

	require.NoError(t, c.Reconfigure(nil))
	alter(t, a, batch[0])
	c.Close()
	c.Close()
	assert.Equal(t, 1, policy.closed)
}

func TestAPolicyIsNotAskedAboutWhatIsInvalid(t *testing.T) {
	policy := &lifecyclePolicy{}
	a := newAdmin(t, dynamicCluster(t, fakebroker.AlterPolicy(policy)))
	for _, tt := range refused() {
		_, err := a.AlterClientConfigs(withTimeout(t), tt.a)
		require.NoError(t, err)
	}
	assert.Empty(t, policy.calls)
}

func saslUser(name string) fakebroker.User {
	return fakebroker.User{Mechanism: "PLAIN", Name: name, Password: "wonder"}
}

func as(name string) kgo.Opt { return kgo.SASL(plain.Auth{User: name, Pass: "wonder"}.AsMechanism()) }

func TestTheAuthorizerDecidesByPrincipalAndOperation(t *testing.T) {
	allow := func(rc fakebroker.RequestContext, op fakebroker.Operation) bool {
		return rc.Principal == "operator" || rc.Principal == "auditor" && op == fakebroker.DescribeConfigs
	}
	c := dynamicCluster(t, fakebroker.Authorizer(allow), fakebroker.SASL(saslUser("operator"), saslUser("auditor"), saslUser("alice")))
	operator, auditor, user := newAdmin(t, c, as("operator")), newAdmin(t, c, as("auditor")), newAdmin(t, c, as("alice"))

	alter(t, operator, kcfg.Alter(alice, kcfg.Set("acks", "1")))
	assert.Len(t, describe(t, operator, kcfg.Filter{}), 1)
	assert.Len(t, describe(t, auditor, kcfg.Filter{}), 1)
	for name, a := range map[string]*client.Admin{"auditor": auditor, "alice": user} {
		for _, call := range []func(context.Context, ...kcfg.Alteration) ([]kcfg.Altered, error){a.AlterClientConfigs, a.ValidateAlterClientConfigs} {
			got, err := call(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "0")), kcfg.Alter(orders, kcfg.Set("acks", "0")))
			require.NoError(t, err)
			for _, o := range got {
				assert.True(t, isA[*cfgerrors.AuthorizationError](o.Err), "%s: %v", name, o.Err)
				require.ErrorIs(t, o.Err, kerr.ClusterAuthorizationFailed)
			}
		}
	}
	_, err := user.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser("alice"))
	require.True(t, isA[*cfgerrors.AuthorizationError](err), "%v: to name oneself is no self-request", err)
	assert.Equal(t, map[kcfg.Entity]map[string]string{alice: {"acks": "1"}}, c.ClientConfigs())
}

func TestOddNamesComeBackAsTheyWent(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	names := []string{"", " ", "a/b", "100%", "%2F", `say "hi"`, "it's", "<default>", "default", "a,b", "\t\n", "\x00", "\u00e4\u6f22\U0001f680", "User:alice", strings.Repeat("x", 32767)}
	var all []kcfg.Alteration
	for _, n := range names {
		all = append(all, kcfg.Alter(kcfg.User(n), kcfg.Set("acks", "1")), kcfg.Alter(alice.Client(n), kcfg.Set("acks", "0")))
	}
	alter(t, a, all...)
	assert.Len(t, c.ClientConfigs(), len(all))
	for _, n := range names {
		assert.Equal(t, []kcfg.Entity{kcfg.User(n)}, entitiesOf(describe(t, a, kcfg.FilterUser(n).StrictOnly())), "%q", n)
		assert.Equal(t, []kcfg.Entity{alice.Client(n)}, entitiesOf(describe(t, a, kcfg.FilterUser("alice").Client(n))), "%q", n)
	}
	sent := c.Count(fakebroker.AnyNode, describeKey)
	_, err := a.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser(strings.Repeat("x", 32768)))
	assert.True(t, isA[*cfgerrors.IdentifierTooLargeError](err), "%v", err)
	_, err = a.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser("\xff"))
	require.ErrorContains(t, err, "UTF-8")
	require.NotErrorIs(t, err, context.DeadlineExceeded, "there is no other try")
	assert.Equal(t, sent, c.Count(fakebroker.AnyNode, describeKey))
}

func TestNothingToAlterSendsNothing(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	for _, call := range []func(context.Context, ...kcfg.Alteration) ([]kcfg.Altered, error){a.AlterClientConfigs, a.ValidateAlterClientConfigs} {
		got, err := call(withTimeout(t))
		require.NoError(t, err)
		assert.Empty(t, got)
		require.NoError(t, dynconfig.AlterError(got))
	}
	assert.Zero(t, c.Connections(fakebroker.AnyNode))
}

func TestABareClientIsToldSoAndSendsNothing(t *testing.T) {
	c := dynamicCluster(t)
	bare, err := kgo.NewClient(seeds(c)...)
	require.NoError(t, err)
	defer bare.Close()
	first := newClient(t, seeds(c), client.DisableDynamicConfigs())
	second, err := kgo.NewClient(first.Opts()...)
	require.NoError(t, err)
	defer second.Close()
	for name, cl := range map[string]*kgo.Client{"bare": bare, "a second one on a Plugin": second} {
		a := adminOf(t, cl)
		_, err = a.DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
		require.ErrorIs(t, err, cfgerrors.ErrNotInstrumented, name)
		_, err = a.AlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "1")))
		require.ErrorIs(t, err, cfgerrors.ErrNotInstrumented, name)
		_, err = a.ValidateAlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "1")))
		require.ErrorIs(t, err, cfgerrors.ErrNotInstrumented, name)
	}
	assert.Zero(t, c.Connections(fakebroker.AnyNode))
}

func TestAnAdminNeedsAClientAndSaneOptions(t *testing.T) {
	_, err := client.NewAdmin(nil)
	require.Error(t, err)
	cl := newClient(t, nil)
	_, err = client.NewAdmin(cl.Client, nil)
	require.Error(t, err)
	_, err = client.NewAdmin(cl.Client, client.AdminTimeout(0))
	require.Error(t, err)
}

func TestAClusterWithoutTheRPCsGetsNoRequestOfOurs(t *testing.T) {
	for name, opts := range map[string][]fakebroker.Option{
		"push only":    {},
		"nothing":      {fakebroker.WithSupport(fakebroker.Unsupported)},
		"key only":     {fakebroker.DynamicConfigs(), fakebroker.WithSupport(fakebroker.KeyOnly)},
		"feature only": {fakebroker.DynamicConfigs(), fakebroker.WithSupport(fakebroker.FeatureOnly)},
	} {
		t.Run(name, func(t *testing.T) {
			c := cluster(t, append(opts, fakebroker.Brokers(3))...)
			a := newAdmin(t, c)
			_, err := a.DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
			require.ErrorIs(t, err, cfgerrors.ErrUnsupported)
			require.ErrorIs(t, err, errors.ErrUnsupported)
			got, err := a.AlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "1")))
			require.ErrorIs(t, err, cfgerrors.ErrUnsupported)
			require.Len(t, got, 1)
			require.ErrorIs(t, got[0].Err, cfgerrors.ErrUnsupported)
			assert.Empty(t, c.Requests())
		})
	}
}

func TestABrokerThatDoesNotServeWhatItAdvertisesIsUnsupported(t *testing.T) {
	a := newAdmin(t, dynamicCluster(t, fakebroker.WithSupport(fakebroker.Unserved)))
	_, err := a.DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
	require.ErrorIs(t, err, cfgerrors.ErrUnsupported)
	got, err := a.AlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "1")))
	require.NoError(t, err)
	require.ErrorIs(t, got[0].Err, cfgerrors.ErrUnsupported)
}

func TestOptionsThatKeepTheRPCsFromKgoAreUnsupported(t *testing.T) {
	c := dynamicCluster(t)
	cl := newClient(t, seeds(c, kgo.MaxVersions(kversion.Stable())))
	_, err := adminOf(t, cl.Client).DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
	require.ErrorIs(t, err, cfgerrors.ErrUnsupported)
	require.ErrorContains(t, err, "client.MaxVersions")

	p := client.NewPlugin(client.PushTimeout(-1))
	broken, err := kgo.NewClient(append(p.Opts(), seeds(c)...)...)
	require.NoError(t, err)
	defer broken.Close()
	_, err = adminOf(t, broken).DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
	require.ErrorIs(t, err, p.Err())
	assert.Empty(t, c.Requests())
}

func TestTheOneBrokerThatHasTheRPCsIsFound(t *testing.T) {
	for node := range int32(3) {
		c := dynamicCluster(t, fakebroker.Brokers(3), fakebroker.SupportedBy(node))
		a := newAdmin(t, c)
		alter(t, a, kcfg.Alter(alice, kcfg.Set("acks", "1")))
		assert.Equal(t, 1, c.Count(node, alterKey))
	}
}

func TestTheStoreIsTheClustersAndNotABrokers(t *testing.T) {
	c := dynamicCluster(t, fakebroker.Brokers(3))
	alter(t, newAdmin(t, c), kcfg.Alter(alice, kcfg.Set("acks", "1")))
	for _, addr := range c.Addrs() {
		a := adminOf(t, newClient(t, []kgo.Opt{kgo.SeedBrokers(addr)}, client.DisableDynamicConfigs()).Client)
		assert.Len(t, describe(t, a, kcfg.Filter{}), 1)
	}
}

func TestADowngradeEndsInUnsupported(t *testing.T) {
	c := dynamicCluster(t, fakebroker.Brokers(2))
	a := newAdmin(t, c)
	alter(t, a, kcfg.Alter(alice, kcfg.Set("acks", "1")))
	require.NoError(t, c.SetSupport())
	c.CloseConnections()
	_, err := a.DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
	require.ErrorIs(t, err, cfgerrors.ErrUnsupported)
	require.NoError(t, c.SetSupport(1))
	c.CloseConnections()
	assert.Len(t, describe(t, a, kcfg.Filter{}), 1, "and an upgrade is noticed")
	assert.Len(t, c.Requests(), 2)
}

func TestABrokerThatAnswersNobodyDoesNotHideAnother(t *testing.T) {
	c := dynamicCluster(t, fakebroker.Brokers(2))
	c.Script(fakebroker.Fault{Keys: []int16{describeKey}, Nodes: []int32{0}, Close: fakebroker.CloseBeforeAnswer, Count: -1})
	assert.Empty(t, describe(t, newAdmin(t, c), kcfg.Filter{}))
}

func TestABrokenConnectionIsTriedAgain(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	c.Script(fakebroker.Fault{Keys: []int16{describeKey}, Close: fakebroker.CloseOnReceipt},
		fakebroker.Fault{Keys: []int16{alterKey}, Close: fakebroker.CloseBeforeAnswer},
		fakebroker.Fault{Keys: []int16{describeKey}, Code: kerr.RequestTimedOut.Code})
	assert.Empty(t, describe(t, a, kcfg.Filter{}))
	alter(t, a, kcfg.Alter(alice, kcfg.Set("acks", "1")))
	assert.Len(t, describe(t, a, kcfg.Filter{}), 1)
	assert.Equal(t, 2, c.Count(fakebroker.AnyNode, alterKey), "it was made twice, which does no harm")
	assert.Zero(t, c.ClearScript())
}

func TestGarbageIsAnErrorAndNoCrash(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	for _, garbage := range [][]byte{{}, {0, 0, 0, 0}, make([]byte, 7), []byte("\x00\x00\x00\x00\x00\x00\xff\xff\x7f\xff\xff\xff")} {
		c.Script(fakebroker.Fault{Keys: []int16{describeKey, alterKey}, Garbage: garbage, Count: -1})
		_, err := a.DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
		require.ErrorContains(t, err, "DescribeClientConfigsResponse")
		got, err := a.AlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "1")))
		if err != nil {
			require.ErrorContains(t, err, "AlterClientConfigsResponse")
		}
		require.Error(t, dynconfig.AlterError(got))
		c.ClearScript()
	}
	// An answer without entries and without an error, and one without the outcome.
	c.Script(fakebroker.Fault{Keys: []int16{describeKey}, Garbage: []byte("\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff")},
		fakebroker.Fault{Keys: []int16{alterKey}, Garbage: make([]byte, 8)})
	_, err := a.DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
	require.ErrorIs(t, err, dynconfig.ErrBadAnswer)
	got, err := a.AlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "1")))
	require.NoError(t, err)
	require.ErrorIs(t, got[0].Err, dynconfig.ErrBadAnswer)
}

func TestWhatIsRegisteredIsNotAmongTheValues(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	c.SetClientConfigs(orders, kcfg.Set("supported.configs", `{"kgo/v1":["session.timeout.ms","acks"],"x/1":[]}`), kcfg.Set("acks", "1"))
	assert.Equal(t, []kcfg.Described{{
		Entity:    orders,
		Values:    []kcfg.KeyValue{{Key: "acks", Value: "1"}},
		Supported: map[string][]string{"kgo/v1": {"acks", "session.timeout.ms"}, "x/1": {}},
	}}, describe(t, a, kcfg.Filter{}))

	c.SetClientConfigs(alice, kcfg.Set("supported.configs", "{secret"))
	got, err := a.DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
	require.ErrorIs(t, err, dynconfig.ErrBadAnswer)
	require.ErrorContains(t, err, `supported.configs of <user "alice">`)
	assert.NotContains(t, err.Error(), "secret")
	assert.Len(t, got, 2, "the rest is there")

	alter(t, a, kcfg.Alter(alice, kcfg.Remove("supported.configs")))
	assert.Len(t, describe(t, a, kcfg.Filter{}), 1)
}

func TestTwoOperatorsAtOnce(t *testing.T) {
	c := dynamicCluster(t, fakebroker.Brokers(3))
	shared := newAdmin(t, c)
	var wg sync.WaitGroup
	for i := range 4 {
		a := shared
		if i >= 2 {
			a = newAdmin(t, c)
		}
		wg.Go(func() {
			for n := range 20 {
				got, err := a.AlterClientConfigs(withTimeout(t),
					kcfg.Alter(alice, kcfg.Set("acks", "1"), kcfg.Set("session.timeout.ms", fmt.Sprint(1000*(i+1)+n))),
					kcfg.Alter(kcfg.User(fmt.Sprint(i)), kcfg.Set("session.timeout.ms", fmt.Sprint(1000+n))))
				assert.NoError(t, err)
				assert.NoError(t, dynconfig.AlterError(got))
				ds, err := a.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser("alice"))
				assert.NoError(t, err)
				if assert.Len(t, ds, 1) {
					assert.Len(t, ds[0].Values, 2, "both keys or none")
				}
			}
		})
	}
	wg.Wait()
	assert.Len(t, c.ClientConfigs(), 5)
	for i := range 4 {
		assert.Equal(t, map[string]string{"session.timeout.ms": "1019"}, c.ClientConfigs()[kcfg.User(fmt.Sprint(i))])
	}
}

func TestThrottleDelaysTheNextCall(t *testing.T) {
	c := dynamicCluster(t)
	c.Script(fakebroker.Fault{Keys: []int16{alterKey}, ThrottleMillis: 200})
	a := newAdmin(t, c)
	alter(t, a, kcfg.Alter(alice, kcfg.Set("acks", "1")))
	describe(t, a, kcfg.Filter{})
	reqs := c.Requests()
	assert.GreaterOrEqual(t, reqs[1].Time.Sub(reqs[0].Time), 190*time.Millisecond)
}

func TestACallEndsWithItsContextItsTimeoutAndItsClient(t *testing.T) {
	c := dynamicCluster(t)
	c.Script(fakebroker.Fault{Keys: []int16{describeKey}, Never: true, Count: -1})
	cl := newClient(t, seeds(c), client.DisableConfigsPush(), client.DisableDynamicConfigs())

	cause := errors.New("the operator went home")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
	defer cancel()
	_, err := adminOf(t, cl.Client).DescribeClientConfigs(ctx, kcfg.Filter{})
	require.ErrorIs(t, err, cause)
	_, err = adminOf(t, cl.Client, client.AdminTimeout(50*time.Millisecond)).DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
	require.ErrorIs(t, err, context.DeadlineExceeded)

	done := make(chan error, 1)
	seen := len(c.Requests())
	a, waiting := adminOf(t, cl.Client), withTimeout(t)
	go func() {
		_, err := a.DescribeClientConfigs(waiting, kcfg.Filter{})
		done <- err
	}()
	require.NoError(t, c.WaitRequests(withTimeout(t), max(seen, 1)))
	cl.Close()
	require.ErrorIs(t, <-done, cfgerrors.ErrClosed)
	_, err = adminOf(t, cl.Client).DescribeClientConfigs(withTimeout(t), kcfg.Filter{})
	require.ErrorIs(t, err, cfgerrors.ErrClosed)
}

func TestQuotasOfTheSameEntityAreAnotherMatter(t *testing.T) {
	c := dynamicCluster(t)
	cl := newClient(t, seeds(c), client.DisableDynamicConfigs())
	a := adminOf(t, cl.Client)
	alter(t, a, kcfg.Alter(alice, kcfg.Set("acks", "1")))

	user := "alice"
	set := kmsg.NewPtrAlterClientQuotasRequest()
	set.Entries = []kmsg.AlterClientQuotasRequestEntry{{
		Entity: []kmsg.AlterClientQuotasRequestEntryEntity{{Type: "user", Name: &user}},
		Ops:    []kmsg.AlterClientQuotasRequestEntryOp{{Key: "producer_byte_rate", Value: 60000}},
	}}
	resp, err := set.RequestWith(withTimeout(t), cl.Client)
	require.NoError(t, err)
	require.Zero(t, resp.Entries[0].ErrorCode)

	quotas := func() []kmsg.DescribeClientQuotasResponseEntryValue {
		got, err := kmsg.NewPtrDescribeClientQuotasRequest().RequestWith(withTimeout(t), cl.Client)
		require.NoError(t, err)
		require.Zero(t, got.ErrorCode)
		require.Len(t, got.Entries, 1)
		return got.Entries[0].Values
	}
	assert.Equal(t, []kcfg.Described{{Entity: alice, Values: []kcfg.KeyValue{{Key: "acks", Value: "1"}}}}, describe(t, a, kcfg.Filter{}))
	require.Len(t, quotas(), 1)
	assert.Equal(t, "producer_byte_rate", quotas()[0].Key)

	alter(t, a, kcfg.Alter(alice, kcfg.Remove("acks")))
	assert.Len(t, quotas(), 1)
}

func TestWhatIsDescribedMarshals(t *testing.T) {
	c := dynamicCluster(t)
	a := newAdmin(t, c)
	alter(t, a, kcfg.Alter(orders, kcfg.Set("acks", "1")))
	text, err := json.Marshal(describe(t, a, kcfg.Filter{}))
	require.NoError(t, err)
	assert.JSONEq(t, `[{"entity":[{"type":"user","name":"alice"},{"type":"client-id","name":"orders"}],"values":[{"key":"acks","value":"1"}]}]`, string(text))
}
