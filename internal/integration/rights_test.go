package integration_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// allow lets a principal read and write a topic, and waits until every node knows.
func allow(t *testing.T, c *kafkatest.Cluster, principal, topic string) {
	t.Helper()
	b := kadm.NewACLs().Topics(topic).ResourcePatternType(kadm.ACLPatternLiteral).
		Operations(kadm.OpRead, kadm.OpWrite).Allow(principal).AllowHosts("*")
	created, err := admin(t, c).CreateACLs(withTimeout(t), b)
	require.NoError(t, err)
	for _, one := range created {
		require.NoError(t, one.Err)
	}
	awaitACLs(t, c, strings.TrimPrefix(principal, "User:"), topic)
}

// awaitACLs waits until a user may look at a topic, whichever node is asked.
func awaitACLs(t *testing.T, c *kafkatest.Cluster, user string, topics ...string) {
	t.Helper()
	for i := range c.SASLAddrs() {
		adm := kadm.NewClient(bare(t, c.SASLAddrs()[i:i+1], kgo.SASL(scramAs(user, kafkatest.Password(user)))))
		eventually(t, func() bool {
			got, err := adm.ListTopics(withTimeout(t), topics...)
			return err == nil && got.Error() == nil
		}, "the ACLs are known everywhere")
	}
}

// secured is a pair of topics on which Alice is an application and Bob an operator.
func secured(t *testing.T, c *kafkatest.Cluster) store {
	t.Helper()
	s := setUp(t, c, kcfg.TopicSetup{
		Applications: []string{"User:" + kafkatest.Alice}, Operators: []string{"User:" + kafkatest.Bob}, ApplyACLs: true,
	})
	awaitACLs(t, c, kafkatest.Alice, s.names.Dynamic, s.names.Clients)
	awaitACLs(t, c, kafkatest.Bob, s.names.Dynamic, s.names.Clients)
	return s
}

// adminAs is an Admin of a user's.
func (s store) adminAs(t *testing.T, c *kafkatest.Cluster, user string) *client.Admin {
	t.Helper()
	a, err := client.NewAdmin(bare(t, nil, as(c, user)...), client.Transport(client.TransportTopics), client.Topics(s.names))
	require.NoError(t, err)
	return a
}

func TestTheRightsOfAnApplicationAndAnOperatorAreEnoughAndNoMore(t *testing.T) {
	c := kafka(t)
	s := secured(t, c)
	topic := newTopic(t, c, 3, 3)
	allow(t, c, "User:"+kafkatest.Alice, topic)
	alice := kcfg.User(kafkatest.Alice)

	// The operator sets, and sees what is set and who is there.
	bob := s.adminAs(t, c, kafkatest.Bob)
	out, err := bob.AlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "1")))
	require.NoError(t, err)
	require.NoError(t, out[0].Err)

	// The application takes it, and tells of itself.
	cl := ours(t, append(as(c, kafkatest.Alice), kgo.DisableIdempotentWrite()), append(s.where(), client.Principal(kafkatest.Alice))...)
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, topic, 10)
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	eventually(t, func() bool {
		recs, err := bob.Clients(withTimeout(t))
		return err == nil && len(recs.Records) == 1 && recs.Records[0].Instance == cl.ClientInstanceID()
	}, "the operator sees it")

	// The application can neither set anything, nor see who is there, nor set up.
	evil := s.adminAs(t, c, kafkatest.Alice)
	denied := func(err error) {
		t.Helper()
		_, ok := asType[*cfgerrors.AuthorizationError](err)
		assert.True(t, ok, "%v", err)
	}
	for _, call := range []func() ([]kcfg.Altered, error){
		func() ([]kcfg.Altered, error) {
			return evil.AlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "0")))
		},
		func() ([]kcfg.Altered, error) {
			return evil.ValidateAlterClientConfigs(withTimeout(t), kcfg.Alter(alice, kcfg.Set("acks", "0")))
		},
	} {
		out, err := call()
		denied(err)
		require.Len(t, out, 1)
		denied(out[0].Err)
	}
	_, err = evil.Clients(withTimeout(t))
	denied(err)
	_, err = evil.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
	denied(err)
	raw := bare(t, nil, append(as(c, kafkatest.Alice), kgo.DisableIdempotentWrite())...)
	require.ErrorIs(t, raw.ProduceSync(withTimeout(t), &kgo.Record{Topic: s.names.Dynamic, Value: []byte("x")}).FirstErr(), kerr.TopicAuthorizationFailed)
	got, err := bob.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser(kafkatest.Alice).StrictOnly())
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, []kcfg.KeyValue{{Key: "acks", Value: "1"}}, got[0].Values, "nothing of it was set")

	// The operator cannot speak for a client.
	operator := bare(t, nil, append(as(c, kafkatest.Bob), kgo.DisableIdempotentWrite())...)
	require.ErrorIs(t, operator.ProduceSync(withTimeout(t), &kgo.Record{Topic: s.names.Clients, Value: []byte("x")}).FirstErr(), kerr.TopicAuthorizationFailed)
}

func TestAForgedRecordOfAClientChangesNobodysDecision(t *testing.T) {
	c := kafka(t)
	s := secured(t, c)
	topic := newTopic(t, c, 3, 3)
	allow(t, c, "User:"+kafkatest.Alice, topic)
	s.set(t, kcfg.User(kafkatest.Alice), kcfg.Set("acks", "1"))
	cl := ours(t, append(as(c, kafkatest.Alice), kgo.DisableIdempotentWrite()), append(s.where(), client.Principal(kafkatest.Alice))...)
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, topic, 10)
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
	require.NoError(t, cl.PushConfig(withTimeout(t)))

	// Alice may write any record of a client, that of another user's too.
	forged := kcfg.ClientRecord{
		Version: 1, Instance: "00000000-0000-4000-8000-000000000000", Principal: new("admin"), ClientID: "root",
		Software: kcfg.Software{Name: "kgo", Version: "v9"}, Supported: []string{"acks"},
	}
	value, err := json.Marshal(forged)
	require.NoError(t, err)
	raw := bare(t, nil, append(as(c, kafkatest.Alice), kgo.DisableIdempotentWrite())...)
	for _, r := range []*kgo.Record{
		{Key: []byte(`[1,"` + forged.Instance + `"]`), Value: value},
		{Key: []byte(`[1,"` + cl.ClientInstanceID() + `"]`), Value: value}, // for another instance
		{Key: []byte(`[1,"alice",null,"acks"]`), Value: []byte(`{"version":1,"value":"0"}`)},
		{Key: []byte(`[1]`), Value: []byte(`{"version":1,"cluster":"x","topicId":"","clientsTopicId":"","partitions":12}`)},
		{Key: []byte("garbage"), Value: []byte{0xff}},
	} {
		r.Topic = s.names.Clients
		require.NoError(t, raw.ProduceSync(withTimeout(t), r).FirstErr())
	}
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, topic, 10)
	assert.Equal(t, "1", *state(t, cl, "acks").InForce)
	got, err := s.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser(kafkatest.Alice).StrictOnly())
	require.NoError(t, err)
	assert.Equal(t, []kcfg.KeyValue{{Key: "acks", Value: "1"}}, got[0].Values)
	recs, err := s.Clients(withTimeout(t))
	require.NoError(t, err)
	for _, r := range recs.Records {
		assert.Contains(t, []string{forged.Instance, cl.ClientInstanceID()}, r.Instance)
	}
}
