package cli

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func kafkaAdmin(t *testing.T, c *fakebroker.Cluster) *kadm.Client {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return kadm.NewClient(cl)
}

func TestSetupMakesTheTopicsAndMendsThem(t *testing.T) {
	c, at := broker(t)
	who := []string{"--application", "User:orders", "--operator", "User:CN=ops,O=It's $5"}
	golden(t, "setup", ok(t, append(append([]string{"setup"}, at...), who...)...))

	value := "604800000"
	_, err := kafkaAdmin(t, c).AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "retention.ms", Value: &value}}, "_kcfg_clients")
	require.NoError(t, err)
	golden(t, "setup_again", ok(t, append([]string{"setup"}, at...)...))
	golden(t, "setup_json", ok(t, append([]string{"setup", "-o", "json"}, at...)...))
	golden(t, "setup_yaml", ok(t, append(append([]string{"setup", "-o", "yaml"}, at...), who...)...))

	cl, err := client.New([]kgo.Opt{kgo.SeedBrokers(c.Addrs()...)}, client.Transport(client.TransportTopics))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.PushConfig(t.Context()), "clients can use them")
}

func TestSetupMakesTopicsOfOtherNames(t *testing.T) {
	c, at := broker(t, fakebroker.Brokers(2))
	ok(t, append([]string{"setup", "--dynamic-topic", "d", "--clients-topic", "c", "--replicas", "2"}, at...)...)
	topics, err := kafkaAdmin(t, c).ListTopics(t.Context(), "c", "d")
	require.NoError(t, err)
	require.NoError(t, topics.Error())
	assert.Equal(t, 2, topics["d"].Partitions.NumReplicas())
}

func TestSetupGivesTheRights(t *testing.T) {
	c, at := broker(t)
	out := ok(t, append([]string{"setup", "--apply-acls", "--application", "User:orders"}, at...)...)
	assert.Contains(t, out, "These rights were given:")
	assert.Len(t, allACLs(t, c), 2)
}

func allACLs(t *testing.T, c *fakebroker.Cluster) (out []kadm.DescribedACL) {
	t.Helper()
	got, err := kafkaAdmin(t, c).DescribeACLs(t.Context(), kadm.NewACLs().AnyResource().ResourcePatternType(kadm.ACLPatternAny).
		Operations(kadm.OpAny).Allow().AllowHosts().Deny().DenyHosts())
	require.NoError(t, err)
	for _, g := range got {
		require.NoError(t, g.Err)
		out = append(out, g.Described...)
	}
	return out
}

func TestSetupLeavesATopicAloneThatIsNotOurs(t *testing.T) {
	c, at := broker(t, fakebroker.Topics(12, "_kcfg_dynamic_configs"))
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.ProduceSync(t.Context(), &kgo.Record{Topic: "_kcfg_dynamic_configs", Value: []byte("x")}).FirstErr())
	r := run(t, append([]string{"setup"}, at...)...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.err, "records and no header")
	assert.Empty(t, r.out, "nothing was made")
}

func TestSetupSaysWhatItMadeBeforeItFailed(t *testing.T) {
	// The headers cannot be written.
	c, at := broker(t)
	c.Script(fakebroker.Fault{Keys: []int16{0}, Never: true, Count: -1})
	r := run(t, append([]string{"setup", "-o", "json", "--timeout", "2s"}, at...)...)
	assert.Equal(t, codeFailed, r.code, "partly done, although time ran out: %s", r.err)
	var made kcfg.TopicsMade
	require.NoError(t, json.Unmarshal([]byte(r.out), &made), r.out)
	require.Len(t, made.Topics, 2)
	assert.True(t, made.Topics[0].Created)
	assert.Zero(t, made.Headers)
}

func TestWhatSetupCannotDoIsAMistakeInArguments(t *testing.T) {
	c, at := broker(t)
	for _, args := range [][]string{
		{"--transport", "rpc"}, {"--replicas", "-1"}, {"--application", "orders"}, {"--operator", ":ops"}, {"--operator", "User:"}, {"--apply-acls"}, {"extra"},
	} {
		r := run(t, append(append([]string{"setup"}, at...), args...)...)
		assert.Equal(t, codeUsage, r.code, "%q: %s", args, r.err)
	}
	config := fileWith(t, "security.protocol=SASL_SSL\nsasl.mechanism=GSSAPI\n")
	r := run(t, append([]string{"setup", "--command-config", config}, at...)...)
	assert.Equal(t, codeUsage, r.code)
	assert.Contains(t, r.err, "sasl.mechanism")
	assert.Zero(t, c.Connections(fakebroker.AnyNode), "nothing was sent")
	assert.Equal(t, codeUsage, run(t, "setup").code, "no cluster")
}

func TestNothingThatAnswersIsToldApartFromNothingThatListens(t *testing.T) {
	c, at := broker(t)
	c.Script(fakebroker.Fault{Keys: []int16{18}, Never: true, Count: -1}) // ApiVersions
	r := run(t, append([]string{"setup", "--timeout", "1s"}, at...)...)
	assert.Equal(t, codeTimedOut, r.code, r.err)
	assert.Contains(t, r.err, "no broker of "+c.Addrs()[0]+" answers")

	start := time.Now()
	c.Close()
	r = run(t, append([]string{"setup"}, at...)...)
	assert.Equal(t, codeFailed, r.code, r.err)
	assert.Contains(t, r.err, "unable to reach a broker of "+c.Addrs()[0])
	assert.Less(t, time.Since(start), 25*time.Second, "it does not go on trying")
}

func TestWhoIsNotLetInIsTold(t *testing.T) {
	_, at := broker(t, fakebroker.SASL(fakebroker.User{Mechanism: "SCRAM-SHA-256", Name: "alice", Password: "wonder"}))
	password := fileWith(t, "wonder\n")
	r := run(t, append([]string{"setup", "--sasl-user", "alice", "--sasl-password-file", fileWith(t, "other")}, at...)...)
	assert.Equal(t, codeNotAllowed, r.code, r.err)
	assert.Contains(t, r.err, "let nobody in")
	assert.NotContains(t, r.err, "other")
	r = run(t, append([]string{"setup"}, at...)...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.err, "closed the connection")
	r = run(t, append([]string{"setup", "--tls"}, at...)...)
	assert.Equal(t, codeFailed, r.code)
	ok(t, append([]string{"setup", "--sasl-user", "alice", "--sasl-password-file", password}, at...)...)
}
