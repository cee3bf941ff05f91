package integration_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// binary is the kcfg binary, on a cluster and as one of its users.
type binary struct {
	path string
	at   []string // the flags that name the cluster
}

// commandOf builds the binary, for use in plaintext.
func commandOf(t *testing.T, c *kafkatest.Cluster) binary {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kcfg")
	output(t, nil, "go", "build", "-o", path, "./cmd/kcfg")
	return binary{path, []string{"--bootstrap-server", strings.Join(c.Addrs(), ",")}}
}

// with is the command with other flags to connect.
func (k binary) with(at ...string) binary { return binary{k.path, at} }

// over is the command with more flags in every run, such as those of its topics.
func (k binary) over(s store) binary {
	return k.with(append(slices.Clip(k.at), "--dynamic-topic", s.names.Dynamic, "--clients-topic", s.names.Clients)...)
}

// as is the command as a SASL user, by a file in Kafka's form.
func (k binary) as(t *testing.T, c *kafkatest.Cluster, user, password string) binary {
	t.Helper()
	config := fmt.Sprintf("bootstrap.servers=%s\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\n"+
		"sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n  username=%q \\\n  password=%q;\n",
		strings.Join(c.SASLAddrs(), ","), user, password)
	return k.with("--command-config", file(t, "command.properties", []byte(config)))
}

// result is what a run of the command left behind.
type result struct {
	code     int
	out, err string
}

func (k binary) run(t *testing.T, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(withTimeout(t), k.path, append(args, k.at...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); !ended {
		require.NoError(t, err)
	}
	t.Logf("kcfg %s\n%s%s", strings.Join(args, " "), out.String(), errs.String())
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// ok runs the command and returns what it printed.
func (k binary) ok(t *testing.T, args ...string) string {
	t.Helper()
	r := k.run(t, args...)
	require.Zero(t, r.code, "%s%s", r.out, r.err)
	return r.out
}

func TestCommandSetsUpAndGivesTheRights(t *testing.T) {
	c := kafka(t)
	s := operator(t, c)
	k := commandOf(t, c)
	admin := k.as(t, c, kafkatest.Admin, kafkatest.Password(kafkatest.Admin)).over(s)
	who := []string{"setup", "--application", "User:" + kafkatest.Alice, "--operator", "User:" + kafkatest.Bob}

	bob := k.as(t, c, kafkatest.Bob, kafkatest.Password(kafkatest.Bob)).over(s)
	assert.Equal(t, 3, bob.run(t, "setup").code, "without rights")

	out := admin.ok(t, append(who, "--apply-acls")...)
	assert.Equal(t, 2, strings.Count(out, " created "))
	assert.Contains(t, out, "Partitions that got a header: 12")
	assert.Contains(t, out, "These rights were given:")
	awaitACLs(t, c, kafkatest.Alice, s.names.Dynamic, s.names.Clients)
	awaitACLs(t, c, kafkatest.Bob, s.names.Dynamic, s.names.Clients)

	alice := ours(t, append(as(c, kafkatest.Alice), kgo.DisableIdempotentWrite()), append(s.where(), client.Principal(kafkatest.Alice))...)
	require.NoError(t, alice.PushConfig(withTimeout(t)), "an application may")
	require.NoError(t, alice.RefreshConfigs(withTimeout(t)))

	value := "604800000"
	_, err := kadm.NewClient(bare(t, c.Addrs())).AlterTopicConfigs(withTimeout(t), []kadm.AlterConfig{{Name: "retention.ms", Value: &value}}, s.names.Clients)
	require.NoError(t, err)
	var made kcfg.TopicsMade
	require.NoError(t, json.Unmarshal([]byte(admin.ok(t, append(who, "-o", "json")...)), &made))
	assert.Zero(t, made.Headers, "they are there")
	assert.False(t, made.Topics[0].Created)
	for _, setting := range made.Topics[0].Settings {
		if setting.Key == "retention.ms" {
			assert.Equal(t, kcfg.TopicSetting{Key: "retention.ms", Value: "86400000", Was: value}, setting)
		}
	}
}

func TestCommandCreatesTheACLsThatItLists(t *testing.T) {
	c := kafka(t)
	topic, principal := newTopic(t, c, 1, 1), "User:CN="+name(t)+",O=It's $5"
	k := commandOf(t, c)
	plan := []string{"acls", "--transport", "rpc", "--operator", principal, "--topic", topic, "--apply", "-o", "json"}

	refused := k.as(t, c, kafkatest.Bob, kafkatest.Password(kafkatest.Bob)).run(t, plan...)
	assert.Equal(t, 3, refused.code, refused.err)
	assert.Contains(t, refused.out, `"created": false`)

	var made []struct {
		Principal, Command string
		Created            bool
	}
	require.NoError(t, json.Unmarshal([]byte(k.as(t, c, kafkatest.Admin, kafkatest.Password(kafkatest.Admin)).ok(t, plan...)), &made))
	require.Len(t, made, 4, "describe and alter, on the topic and on the cluster")
	for _, m := range made {
		assert.True(t, m.Created)
		assert.Equal(t, principal, m.Principal)
	}
	all := kadm.NewACLs().AnyResource().ResourcePatternType(kadm.ACLPatternAny).Operations(kadm.OpAny).Allow(principal).AllowHosts()
	eventually(t, func() bool {
		got, err := admin(t, c).DescribeACLs(withTimeout(t), all)
		require.NoError(t, err)
		return len(got) > 0 && len(got[0].Described) == 4
	}, "the ACLs are there")
	_, err := admin(t, c).DeleteACLs(withTimeout(t), all)
	require.NoError(t, err)
}

func TestCommandConnectsInEveryWay(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	k := commandOf(t, c)
	ca := file(t, "ca.pem", authority(t, c))
	secure, sasl := strings.Join(c.SSLAddrs(), ","), strings.Join(c.SASLAddrs(), ",")
	password := file(t, "password", []byte(kafkatest.Password(kafkatest.Admin)+"\n"))
	trusting := "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location=" + ca + "\n"
	plain := "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"admin\" password=\"" +
		kafkatest.Password(kafkatest.Admin) + "\";\n"
	for name, tt := range map[string]struct {
		at   []string
		code int
		says string
	}{
		"plaintext":                   {k.at, 0, ""},
		"TLS":                         {[]string{"--brokers", secure, "--tls-ca", ca}, 0, ""},
		"TLS by a file":               {[]string{"--bootstrap-server", secure, "--command-config", file(t, "ssl.properties", []byte(trusting))}, 0, ""},
		"TLS of somebody unknown":     {[]string{"--bootstrap-server", secure, "--tls"}, 2, "--tls-ca"},
		"TLS where there is none":     {[]string{"--bootstrap-server", c.Addrs()[0], "--tls-ca", ca}, 2, "TLS"},
		"none where there is TLS":     {[]string{"--bootstrap-server", c.SSLAddrs()[0]}, 2, "TLS"},
		"SCRAM":                       {[]string{"--bootstrap-server", sasl, "--sasl-user", kafkatest.Admin, "--sasl-password-file", password}, 0, ""},
		"SCRAM with a wrong password": {[]string{"--bootstrap-server", sasl, "--sasl-user", kafkatest.Alice, "--sasl-password-file", password}, 3, "let nobody in"},
		"PLAIN by a file":             {[]string{"--bootstrap-server", sasl, "--command-config", file(t, "plain.properties", []byte(plain))}, 0, ""},
		"a mechanism that is off":     {[]string{"--bootstrap-server", sasl, "--sasl-user", kafkatest.Admin, "--sasl-password-file", password, "--sasl-mechanism", "SCRAM-SHA-512"}, 3, "does not speak this SASL"},
		"none where there is SASL":    {[]string{"--bootstrap-server", c.SASLAddrs()[0]}, 2, "closed the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			r := k.with(tt.at...).over(s).run(t, "setup")
			assert.Equal(t, tt.code, r.code)
			assert.Contains(t, r.err, tt.says)
			assert.NotContains(t, r.err, kafkatest.Password(kafkatest.Admin))
		})
	}
}
