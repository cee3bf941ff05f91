package topicstore

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

func TestSetupTellsTheCommandsThatGiveTheRights(t *testing.T) {
	plan := kcfg.TopicSetup{Applications: []string{"User:alice", "User:CN=orders app,O=$(x)"}, Operators: []string{"User:*"}}
	s := &Store{cfg: Config{Names: Names{Dynamic: DefaultDynamicTopic, Clients: "it's"}}}
	const add = "kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal "
	assert.Equal(t, []string{
		add + `User:alice --operation Read --topic _kcfg_dynamic_configs`,
		add + `User:alice --operation Write --topic 'it'\''s'`,
		add + `'User:CN=orders app,O=$(x)' --operation Read --topic _kcfg_dynamic_configs`,
		add + `'User:CN=orders app,O=$(x)' --operation Write --topic 'it'\''s'`,
		add + `'User:*' --operation Read --topic _kcfg_dynamic_configs`,
		add + `'User:*' --operation Write --topic _kcfg_dynamic_configs`,
		add + `'User:*' --operation Read --topic 'it'\''s'`,
	}, commands(Rights(s.cfg.Names, plan.Applications, plan.Operators)))

	c := cluster(t)
	made, err := store(t, c, nil).Setup(withTimeout(t), kcfg.TopicSetup{Operators: []string{"User:bob"}})
	require.NoError(t, err)
	assert.Equal(t, []string{
		add + `User:bob --operation Read --topic _kcfg_dynamic_configs`,
		add + `User:bob --operation Write --topic _kcfg_dynamic_configs`,
		add + `User:bob --operation Read --topic _kcfg_clients`,
	}, made.ACLs)
	assert.False(t, made.ACLsApplied)
}

func TestQuoteMakesOneWordForAShell(t *testing.T) {
	for in, want := range map[string]string{
		"User:alice": "User:alice", "": "''", "a b": "'a b'", "$x": "'$x'", "`x`": "'`x`'", "a'b": `'a'\''b'`,
		"a\nb": "'a\nb'", `a"b`: `'a"b'`, "*": "'*'", "~": "'~'", "a;b": "'a;b'", "!x": "'!x'", "\u00fc": "'\u00fc'",
	} {
		assert.Equal(t, want, Quote(in))
	}
}

// secured is a cluster with users, of whom only admin may do anything.
func secured(t *testing.T) *kfake.Cluster {
	t.Helper()
	return cluster(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "admin"),
		kfake.User("PLAIN", "alice", "pw"), kfake.User("PLAIN", "operator", "pw"), kfake.User("PLAIN", "mallory", "pw"))
}

func as(user, pass string) kgo.Opt {
	return kgo.SASL(plain.Auth{User: user, Pass: pass}.AsMechanism())
}

// storeAs is the store of a user of a secured cluster.
func storeAs(t *testing.T, c *kfake.Cluster, user, pass string) *Store {
	t.Helper()
	return New(bare(t, c, as(user, pass)), configured(func(cfg *Config) { cfg.Principal = &user }))
}

// topicRights are those of somebody who may do anything with topics.
func topicRights() []kfake.ACL {
	return []kfake.ACL{{
		Resource: kmsg.ACLResourceTypeTopic, Name: "*", Pattern: kmsg.ACLResourcePatternTypeLiteral,
		Operation: kmsg.ACLOperationAll, Allow: true,
	}}
}

func denied(t *testing.T, err error) {
	t.Helper()
	assert.True(t, is[*cfgerrors.AuthorizationError](err), "%T: %v", err, err)
}

func TestTheRightsThatSetupGivesAreEnoughAndNotMore(t *testing.T) {
	c := secured(t)
	boss := storeAs(t, c, "admin", "admin")
	plan := kcfg.TopicSetup{Applications: []string{"User:alice"}, Operators: []string{"User:operator"}}
	made, err := boss.Setup(withTimeout(t), plan)
	require.NoError(t, err)
	assert.Len(t, made.ACLs, 5)
	assert.False(t, made.ACLsApplied)
	app, op, other := storeAs(t, c, "alice", "pw"), storeAs(t, c, "operator", "pw"), storeAs(t, c, "mallory", "pw")
	_, err = app.DescribeSelf(withTimeout(t), "orders", nil)
	denied(t, err)

	plan.ApplyACLs = true
	made, err = boss.Setup(withTimeout(t), plan)
	require.NoError(t, err)
	assert.True(t, made.ACLsApplied)
	alter(t, op, kcfg.User("alice"), kcfg.Set("acks", "1"))
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, app))
	_, err = app.Push(withTimeout(t), clean(t, acksEntry()))
	require.NoError(t, err)
	assert.Len(t, told(t, op), 1)
	_, err = op.Describe(withTimeout(t), kcfg.Filter{})
	require.NoError(t, err)

	before := written(c, DefaultDynamicTopic)
	refused, err := app.Alter(withTimeout(t), false, []kcfg.Alteration{kcfg.Alter(kcfg.User("alice"), kcfg.Set("acks", "0"))})
	denied(t, err)
	denied(t, refused.Altered[0].Err)
	_, err = app.Clients(withTimeout(t))
	denied(t, err)
	_, err = op.Push(withTimeout(t), clean(t, acksEntry()))
	denied(t, err)
	_, err = other.DescribeSelf(withTimeout(t), "orders", nil)
	denied(t, err)
	_, err = other.Push(withTimeout(t), clean(t, acksEntry()))
	denied(t, err)
	assert.Equal(t, before, written(c, DefaultDynamicTopic))
	assert.EqualValues(t, 1, written(c, DefaultClientsTopic))
}

func TestTheACLsThatSetupMakesAreLiteralAllowAndForTheTwoTopics(t *testing.T) {
	c := secured(t)
	_, err := storeAs(t, c, "admin", "admin").Setup(withTimeout(t), kcfg.TopicSetup{
		Applications: []string{"User:alice"}, Operators: []string{"User:operator"}, ApplyACLs: true,
	})
	require.NoError(t, err)
	adm := kadm.NewClient(bare(t, c, as("admin", "admin")))
	b := kadm.NewACLs().AnyResource().ResourcePatternType(kadm.ACLPatternAny).Operations().Allow().AllowHosts().Deny().DenyHosts()
	results, err := adm.DescribeACLs(withTimeout(t), b)
	require.NoError(t, err)
	var got []string
	for _, r := range results {
		for _, a := range r.Described {
			got = append(got, a.Principal+" "+a.Operation.String()+" "+a.Name+" "+a.Pattern.String()+" "+a.Permission.String()+" "+a.Host)
		}
	}
	slices.Sort(got)
	assert.Equal(t, []string{
		"User:alice READ _kcfg_dynamic_configs LITERAL ALLOW *",
		"User:alice WRITE _kcfg_clients LITERAL ALLOW *",
		"User:operator READ _kcfg_clients LITERAL ALLOW *",
		"User:operator READ _kcfg_dynamic_configs LITERAL ALLOW *",
		"User:operator WRITE _kcfg_dynamic_configs LITERAL ALLOW *",
	}, slices.Compact(got))
}

func TestSetupThatMayNotMakeACLsSaysSoAfterTheRest(t *testing.T) {
	c := cluster(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "admin"),
		kfake.User("PLAIN", "maker", "pw", topicRights()...))
	made, err := storeAs(t, c, "maker", "pw").Setup(withTimeout(t), kcfg.TopicSetup{Applications: []string{"User:alice"}, ApplyACLs: true})
	denied(t, err)
	assert.Equal(t, partitions, made.Headers)
	assert.False(t, made.ACLsApplied)
	assert.Len(t, made.ACLs, 2, "the commands are told all the same")
}
