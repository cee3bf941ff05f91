package client_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// limitAdmin is newAdmin whose names are judged with the options.
func limitAdmin(t *testing.T, c *fakebroker.Cluster, opts ...client.AdminOption) (*client.Admin, *client.Client, *logger) {
	t.Helper()
	log := &logger{}
	cl := newClient(t, seeds(c, kgo.WithLogger(log)), client.DisableConfigsPush(), client.DisableDynamicConfigs())
	return adminOf(t, cl.Client, opts...), cl, log
}

func TestAnAdminSendsNoNameThatNoRequestCanHold(t *testing.T) {
	c := dynamicCluster(t)
	a, _, _ := limitAdmin(t, c)
	name := strings.Repeat("x", 32_768)
	bad := []kcfg.Alteration{
		kcfg.Alter(kcfg.User(name), kcfg.Set("acks", "1")),
		kcfg.Alter(alice.Client(name), kcfg.Set("acks", "1")),
	}
	good := kcfg.Alter(orders, kcfg.Set("acks", "1"))
	for _, alter := range []func() ([]kcfg.Altered, error){
		func() ([]kcfg.Altered, error) { return a.AlterClientConfigs(withTimeout(t), bad[0], good, bad[1]) },
		func() ([]kcfg.Altered, error) {
			return a.ValidateAlterClientConfigs(withTimeout(t), bad[0], good, bad[1])
		},
	} {
		out, err := alter()
		require.NoError(t, err)
		require.Len(t, out, 3)
		assert.Equal(t, "ACL principal", tooLarge(t, out[0].Err).Type)
		require.NoError(t, out[1].Err, "the others are sent")
		assert.Equal(t, orders, out[1].Entity)
		assert.Equal(t, "client id", tooLarge(t, out[2].Err).Type)
		assert.NotContains(t, out[0].Err.Error(), "xxx")
	}
	assert.Equal(t, 2, c.Count(fakebroker.AnyNode, alterKey))
	out, err := a.AlterClientConfigs(withTimeout(t), bad...)
	require.NoError(t, err)
	require.Len(t, out, 2)
	assert.Equal(t, 2, c.Count(fakebroker.AnyNode, alterKey), "with none left, nothing is")

	for _, f := range []kcfg.Filter{kcfg.FilterUser(name), kcfg.FilterUser("alice").Client(name)} {
		_, err := a.DescribeClientConfigs(withTimeout(t), f)
		assert.Equal(t, 32_767, tooLarge(t, err).Limit)
	}
	assert.Zero(t, c.Count(fakebroker.AnyNode, describeKey))
	_, err = a.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser("alice"))
	require.NoError(t, err)
	assert.Equal(t, 1, c.Count(fakebroker.AnyNode, describeKey))
}

func TestAnAdminWarnsOnceOfANameThatKafka5IsToRefuse(t *testing.T) {
	c := dynamicCluster(t)
	a, cl, log := limitAdmin(t, c)
	alter(t, a, kcfg.Alter(kcfg.User(han(249)).Client(han(249)), kcfg.Set("acks", "1")))
	assert.Empty(t, cl.Status().Warnings)
	for n := range 3 {
		alter(t, a, kcfg.Alter(kcfg.User(han(250+n)), kcfg.Set("acks", "1")))
	}
	require.Len(t, log.about("Kafka 5.0"), 1)
	assert.NotContains(t, log.about("Kafka 5.0")[0], han(2))
	assert.Len(t, cl.Status().Warnings, 1)
	describe(t, a, kcfg.FilterUser("alice").Client(han(250)))
	assert.Len(t, cl.Status().Warnings, 2, "a client id is another kind of name")
}

func TestAnAdminEnforcesLimitsIfItOrItsClientIsToldTo(t *testing.T) {
	c := dynamicCluster(t)
	told, _, _ := limitAdmin(t, c, client.EnforceIdentifierLimits())
	inherits := adminOf(t, newClient(t, seeds(c), client.EnforceIdentifierLimits()).Client)
	for _, a := range []*client.Admin{told, inherits} {
		alter(t, a, kcfg.Alter(kcfg.User(han(249)), kcfg.Set("acks", "1")))
		out, err := a.AlterClientConfigs(withTimeout(t), kcfg.Alter(kcfg.User(han(250)), kcfg.Set("acks", "1")))
		require.NoError(t, err)
		e := tooLarge(t, out[0].Err)
		assert.Equal(t, 250, e.Length)
		assert.Equal(t, 249, e.Limit)
	}
}

func TestPrincipalsOfTopicsAreChecked(t *testing.T) {
	c := cluster(t)
	log := &logger{}
	cl, err := kgo.NewClient(seeds(c, kgo.WithLogger(log))...)
	require.NoError(t, err)
	defer cl.Close()
	long := "User:" + strings.Repeat("x", 249)
	strict := adminOf(t, cl, overTopics(), client.EnforceIdentifierLimits())
	for _, s := range []kcfg.TopicSetup{{Applications: []string{"User:a", long}}, {Operators: []string{long}}} {
		_, err := strict.SetupTopics(withTimeout(t), s)
		assert.Equal(t, 254, tooLarge(t, err).Length)
		assert.Zero(t, c.Count(fakebroker.AnyNode, 19), "no topic was made")
	}
	a := adminOf(t, cl, overTopics())
	for range 2 {
		_, err := a.SetupTopics(withTimeout(t), kcfg.TopicSetup{Applications: []string{long}})
		require.NoError(t, err)
	}
	assert.Positive(t, c.Count(fakebroker.AnyNode, 19))
	assert.Len(t, log.about("Kafka 5.0"), 1, "on a client without a Plugin too")

	_, err = client.New(nil, client.Principal(strings.Repeat("x", 250)), client.EnforceIdentifierLimits())
	require.ErrorContains(t, err, "client: Principal: ")
	assert.Equal(t, 250, tooLarge(t, err).Length)
	newClient(t, nil, client.Principal(strings.Repeat("x", 249)), client.EnforceIdentifierLimits())
}
