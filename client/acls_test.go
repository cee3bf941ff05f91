package client_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// commandsOf are the commands of ACLs, without what all begin with.
func commandsOf(acls []client.ACL) (out []string) {
	for _, a := range acls {
		out = append(out, strings.TrimPrefix(a.String(), "kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal "))
	}
	return out
}

func TestRequiredACLsAreThoseOfThePlan(t *testing.T) {
	resources := []kcfg.Resource{
		kcfg.TopicResource("it's"), kcfg.GroupResource("g"), kcfg.BrokerResource(1), kcfg.ClusterResource(),
		kcfg.ClientMetricsResource("m"), kcfg.ClientResource(alice),
	}
	for name, tt := range map[string]struct {
		plan client.ACLPlan
		want []string
	}{
		"nobody": {client.ACLPlan{Resources: resources}, nil},
		"over the RPCs": {client.ACLPlan{Applications: []string{"User:app"}, Operators: []string{"User:ops"}}, []string{
			"User:ops --operation DescribeConfigs --cluster", "User:ops --operation AlterConfigs --cluster",
		}},
		"self-requests too": {client.ACLPlan{Applications: []string{"User:app"}, AuthorizeSelf: true}, []string{
			"User:app --operation DescribeConfigs --cluster",
		}},
		"over topics": {client.ACLPlan{Applications: []string{"User:app"}, Operators: []string{"User:ops"}, Transport: client.TransportTopics, Topics: client.TopicNames{Clients: "c"}}, []string{
			"User:app --operation Read --topic _kcfg_dynamic_configs", "User:app --operation Write --topic c",
			"User:ops --operation Read --topic _kcfg_dynamic_configs", "User:ops --operation Write --topic _kcfg_dynamic_configs",
			"User:ops --operation Read --topic c",
		}},
		"auto": {client.ACLPlan{Operators: []string{"User:ops"}, Transport: client.TransportAuto}, []string{
			"User:ops --operation Read --topic _kcfg_clients",
			"User:ops --operation Read --topic _kcfg_dynamic_configs", "User:ops --operation Write --topic _kcfg_dynamic_configs",
			"User:ops --operation DescribeConfigs --cluster", "User:ops --operation AlterConfigs --cluster",
		}},
		"of other resources": {client.ACLPlan{Operators: []string{"User:*"}, Resources: resources}, []string{
			`'User:*' --operation DescribeConfigs --topic 'it'\''s'`, `'User:*' --operation AlterConfigs --topic 'it'\''s'`,
			"'User:*' --operation DescribeConfigs --group g", "'User:*' --operation AlterConfigs --group g",
			"'User:*' --operation DescribeConfigs --cluster", "'User:*' --operation AlterConfigs --cluster",
		}},
		"installers": {client.ACLPlan{Installers: []string{"User:i"}, Transport: client.TransportTopics, Topics: client.TopicNames{Dynamic: "a", Clients: "b"}}, []string{
			"User:i --operation Read --topic a", "User:i --operation Write --topic a", "User:i --operation Create --topic a",
			"User:i --operation DescribeConfigs --topic a", "User:i --operation AlterConfigs --topic a",
			"User:i --operation Read --topic b", "User:i --operation Write --topic b", "User:i --operation Create --topic b",
			"User:i --operation DescribeConfigs --topic b", "User:i --operation AlterConfigs --topic b",
		}},
	} {
		got := client.RequiredACLs(tt.plan)
		assert.ElementsMatch(t, tt.want, commandsOf(got), name)
		assert.Equal(t, got, client.RequiredACLs(tt.plan), "in a fixed order")
		for _, a := range got {
			require.NoError(t, a.Builder().ValidateCreate(), "%s", a)
		}
	}
}

func TestRequiredACLsOverTopicsAreThoseOfSetupTopics(t *testing.T) {
	made, err := operator(t, unmodified(t)).SetupTopics(withTimeout(t), kcfg.TopicSetup{Applications: []string{"User:app"}, Operators: []string{"User:ops"}})
	require.NoError(t, err)
	var got []string
	for _, a := range client.RequiredACLs(client.ACLPlan{Applications: []string{"User:app"}, Operators: []string{"User:ops"}, Transport: client.TransportTopics}) {
		got = append(got, a.Command())
	}
	assert.ElementsMatch(t, made.ACLs, got)
}

// grantsOf are ACLs as the reference broker takes them.
func grantsOf(t *testing.T, acls []client.ACL) (out []fakebroker.Grant) {
	t.Helper()
	for _, a := range acls {
		g := fakebroker.Grant{Principal: strings.TrimPrefix(a.Principal, "User:"), Resource: kcfg.ClusterResource()}
		switch a.Type {
		case kmsg.ACLResourceTypeTopic:
			g.Resource = kcfg.TopicResource(a.Name)
		case kmsg.ACLResourceTypeGroup:
			g.Resource = kcfg.GroupResource(a.Name)
		}
		switch a.Operation {
		case kadm.OpDescribeConfigs:
			g.Operation = fakebroker.DescribeConfigs
		case kadm.OpAlterConfigs:
			g.Operation = fakebroker.AlterConfigs
		default:
			require.Fail(t, "an operation that the reference broker does not ask for", "%s", a)
		}
		out = append(out, g)
	}
	return out
}

// everything are alterations of one resource of each kind.
func everything() []kcfg.ConfigAlteration {
	return []kcfg.ConfigAlteration{
		kcfg.AlterConfig(ordersTopic, kcfg.SetConfig(segmentMillis, "3600000")),
		kcfg.AlterConfig(kcfg.GroupResource("g"), kcfg.SetConfig("consumer.session.timeout.ms", "50000")),
		kcfg.AlterConfig(kcfg.BrokerResource(0), kcfg.SetConfig("log.retention.ms", "7200000")),
		kcfg.AlterConfig(kcfg.ClientMetricsResource("m"), kcfg.SetConfig("interval.ms", "60000")),
		kcfg.AlterConfig(kcfg.ClientResource(alice), kcfg.SetConfig("acks", "1")),
	}
}

// outcomes describes and alters everything, and returns the errors.
func outcomes(t *testing.T, a *client.Admin) (described, altered []error) {
	t.Helper()
	var rs []kcfg.Resource
	for _, one := range everything() {
		rs = append(rs, one.Resource)
	}
	told, err := a.DescribeConfigs(withTimeout(t), rs...)
	require.NoError(t, err)
	for _, r := range told {
		described = append(described, r.Err)
	}
	made, err := a.AlterConfigs(withTimeout(t), everything()...)
	require.NoError(t, err)
	for _, r := range made {
		altered = append(altered, r.Err)
	}
	return described, altered
}

func TestRequiredACLsAreEnoughAndEachIsNeeded(t *testing.T) {
	plan := client.ACLPlan{Operators: []string{"User:ops"}}
	for _, one := range everything() {
		plan.Resources = append(plan.Resources, one.Resource)
	}
	acls := client.RequiredACLs(plan)
	run := func(acls []client.ACL) (described, altered []error) {
		c := dynamicCluster(t, fakebroker.SASL(saslUser("ops")), fakebroker.Grants(grantsOf(t, acls)...))
		return outcomes(t, newAdmin(t, c, as("ops")))
	}
	described, altered := run(acls)
	for i, one := range everything() {
		require.NoError(t, described[i], "%s", one.Resource)
		require.NoError(t, altered[i], "%s", one.Resource)
	}
	for _, without := range acls {
		// In the reference broker the cluster covers all, so without a right on a
		// topic it is left out too.
		var rest []client.ACL
		for _, a := range acls {
			if a != without && (a.Type != kmsg.ACLResourceTypeCluster || without.Type == kmsg.ACLResourceTypeCluster) {
				rest = append(rest, a)
			}
		}
		described, altered := run(rest)
		var denied int
		for _, err := range append(described, altered...) {
			if e, ok := asAuthorization(err); ok && e.Operation == operationOf(without) && e.Resource == onOf(without) {
				denied++
			}
		}
		assert.NotZero(t, denied, "without %s", without)
	}
}

func operationOf(a client.ACL) string {
	return map[kadm.ACLOperation]string{kadm.OpDescribeConfigs: "DescribeConfigs", kadm.OpAlterConfigs: "AlterConfigs"}[a.Operation]
}

func asAuthorization(err error) (*cfgerrors.AuthorizationError, bool) {
	return errors.AsType[*cfgerrors.AuthorizationError](err)
}

// onOf is the resource of an ACL as errors name it.
func onOf(a client.ACL) string {
	switch a.Type {
	case kmsg.ACLResourceTypeTopic:
		return kcfg.TopicResource(a.Name).String()
	case kmsg.ACLResourceTypeGroup:
		return kcfg.GroupResource(a.Name).String()
	}
	return "cluster"
}

func TestAMissingRightSaysWhichOperationOnWhichResource(t *testing.T) {
	c := dynamicCluster(t, fakebroker.SASL(saslUser("ops")), fakebroker.Grants())
	described, altered := outcomes(t, newAdmin(t, c, as("ops")))
	wantOn := []string{`topic "orders"`, `group "g"`, "cluster", "cluster", "cluster"}
	codes := []error{kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.ClusterAuthorizationFailed}
	for i, on := range wantOn {
		for op, err := range map[string]error{"DescribeConfigs": described[i], "AlterConfigs": altered[i]} {
			e, ok := asAuthorization(err)
			require.True(t, ok, "%s on %s: %v", op, on, err)
			require.ErrorIs(t, err, codes[i])
			assert.Equal(t, op, e.Operation)
			assert.Equal(t, on, e.Resource)
			assert.Contains(t, err.Error(), op+" on "+on)
		}
	}
	assert.Zero(t, c.ClientConfigWrites())
}

func TestAnOperationOnTheClusterCoversEveryResourceAndAllImpliesBoth(t *testing.T) {
	grant := func(op fakebroker.Operation, r kcfg.Resource) fakebroker.Grant {
		return fakebroker.Grant{Principal: "ops", Operation: op, Resource: r}
	}
	all, none := []bool{true, true, true, true, true}, make([]bool, 5)
	topic := []bool{true, false, false, false, false}
	for name, tt := range map[string]struct {
		grant           fakebroker.Grant
		describe, alter []bool
	}{
		"All on the cluster":         {grant(fakebroker.All, kcfg.ClusterResource()), all, all},
		"DescribeConfigs on it":      {grant(fakebroker.DescribeConfigs, kcfg.ClusterResource()), all, none},
		"AlterConfigs on it":         {grant(fakebroker.AlterConfigs, kcfg.ClusterResource()), none, all},
		"All on the topic":           {grant(fakebroker.All, ordersTopic), topic, topic},
		"AlterConfigs on the topic":  {grant(fakebroker.AlterConfigs, ordersTopic), none, topic},
		"All on another topic":       {grant(fakebroker.All, kcfg.TopicResource("other")), none, none},
		"All for somebody else":      {fakebroker.Grant{Principal: "x", Operation: fakebroker.All, Resource: kcfg.ClusterResource()}, none, none},
		"a group named as the topic": {grant(fakebroker.All, kcfg.GroupResource("orders")), none, none},
	} {
		c := dynamicCluster(t, fakebroker.SASL(saslUser("ops")), fakebroker.Grants(tt.grant))
		described, altered := outcomes(t, newAdmin(t, c, as("ops")))
		for i := range all {
			assert.Equal(t, tt.describe[i], described[i] == nil, "%s: describe %s: %v", name, everything()[i].Resource, described[i])
			assert.Equal(t, tt.alter[i], altered[i] == nil, "%s: alter %s: %v", name, everything()[i].Resource, altered[i])
		}
	}
}

// What kfake's own authorizer, which has released Kafka's rules, refuses is typed
// the same.
func TestARightThatKfakeMissesIsTypedTheSame(t *testing.T) {
	c := dynamicCluster(t, fakebroker.SASL(saslUser("ops")), fakebroker.KfakeOpts(kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "admin")))
	described, altered := outcomes(t, bareAdmin(t, c, as("ops")))
	for i, on := range []string{`topic "orders"`, "", "cluster"} {
		if on == "" {
			continue // kfake asks for no rights on groups
		}
		for op, err := range map[string]error{"DescribeConfigs": described[i], "AlterConfigs": altered[i]} {
			e, ok := asAuthorization(err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, op+on, e.Operation+e.Resource)
		}
	}
}
