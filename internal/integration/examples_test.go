package integration_test

import (
	"archive/zip"
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// output runs a program in the root of the repository, and returns what it printed
// on its standard output.
func output(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(withTimeout(t), program, args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", out, stderr.String())
	return string(out)
}

// file writes a file for a program.
func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// authority returns the certificate that signed those of the brokers, as PEM.
func authority(t *testing.T, c *kafkatest.Cluster) []byte {
	t.Helper()
	conn, err := (&tls.Dialer{Config: c.TLSConfig()}).DialContext(withTimeout(t), "tcp", c.SSLAddrs()[0])
	require.NoError(t, err)
	defer conn.Close()
	chain := conn.(*tls.Conn).ConnectionState().VerifiedChains[0]
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: chain[len(chain)-1].Raw})
}

func topicNames(t *testing.T, c *kafkatest.Cluster) []string {
	t.Helper()
	topics, err := admin(t, c).ListTopics(withTimeout(t))
	require.NoError(t, err)
	return topics.Names()
}

func TestTheQuickstartEndsWellOnARealKafkaAndLeavesNothing(t *testing.T) {
	c := kafka(t)
	program := filepath.Join(t.TempDir(), "quickstart")
	output(t, nil, "go", "build", "-o", program, "./examples/quickstart")
	brokers := func(addrs []string) []string { return []string{"-brokers", strings.Join(addrs, ",")} }
	plainly := brokers(c.Addrs())
	scram := append(brokers(c.SASLAddrs()), "-user", kafkatest.Admin,
		"-password-file", file(t, "password", []byte(kafkatest.Password(kafkatest.Admin)+"\n")))
	overTLS := append(brokers(c.SSLAddrs()), "-tls-ca", file(t, "ca.pem", authority(t, c)))
	for _, tt := range []struct {
		what string
		args []string
		says []string
	}{
		{"rpc", plainly, []string{"the cluster does not support config push (KIP-1324); 0 of "}},
		{"topics", append(plainly, "-transport", "topics"), []string{"partitions with a header", "took"}},
		{"topics, SCRAM", append(scram, "-transport", "topics"), []string{"partitions with a header", "took"}},
		{"topics, TLS", append(overTLS, "-transport", "topics"), []string{"partitions with a header", "took"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			out := output(t, nil, program, tt.args...)
			assert.True(t, strings.HasSuffix(out, "\nOK\n"), out)
			for _, said := range tt.says {
				assert.Contains(t, out, said)
			}
			var left []string
			assert.Eventually(t, func() bool { // brokers learn of it one by one
				left = slices.DeleteFunc(topicNames(t, c), func(topic string) bool { return !strings.HasPrefix(topic, "kcfg-quickstart-") })
				return len(left) == 0
			}, patience/4, poll)
			assert.Empty(t, left, "no topic is left")
		})
	}
}

// shellBlock is the block of the README that a marker introduces.
func shellBlock(t *testing.T, marker string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(b), "<!-- "+marker+" -->\n```sh\n")
	require.True(t, ok)
	block, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	return block
}

// aclTool writes a kafka-acls.sh, and returns its directory. It is Kafka's own tool
// where that is among the jars, as in Kafka 3. In Kafka 4 it is not: there the
// script prints its arguments, which apply then takes.
func aclTool(t *testing.T, c *kafkatest.Cluster) (dir string, kafkas bool) {
	t.Helper()
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	jars := filepath.Join(cache, "kcfg-kafkatest", c.Version())
	core, err := zip.OpenReader(filepath.Join(jars, "kafka_2.13-"+c.Version()+".jar"))
	require.NoError(t, err)
	defer core.Close()
	_, err = core.Open("kafka/admin/AclCommand.class")
	kafkas = err == nil
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\"\n"
	if kafkas {
		script = fmt.Sprintf("#!/bin/sh\nexec \"${JAVA_HOME:+$JAVA_HOME/bin/}java\" -cp '%s/*' kafka.admin.AclCommand \"$@\"\n", jars)
	}
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kafka-acls.sh"), []byte(script), 0o700))
	return dir, kafkas
}

// apply does what kafka-acls.sh does with its arguments, one a line.
func apply(t *testing.T, c *kafkatest.Cluster, printed string) {
	t.Helper()
	args := strings.Split(strings.TrimSuffix(printed, "\n"), "\n")
	require.Len(t, args, 9)
	assert.Equal(t, []string{"--bootstrap-server", c.Addrs()[0], "--add", "--allow-principal"}, args[:4])
	assert.Equal(t, "--operation", args[5])
	assert.Equal(t, "--topic", args[7])
	op, err := kmsg.ParseACLOperation(args[6])
	require.NoError(t, err)
	created, err := admin(t, c).CreateACLs(withTimeout(t), kadm.NewACLs().Allow(args[4]).AllowHosts("*").
		Operations(op).Topics(args[8]).ResourcePatternType(kadm.ACLPatternLiteral))
	require.NoError(t, err)
	require.Len(t, created, 1)
	require.NoError(t, created[0].Err)
}

// Users who got the rights that the README's program prints can do with the topics
// what they are for, and nothing else.
func TestTheCommandsThatTheReadmePrintsGiveTheRights(t *testing.T) {
	c := kafka(t)
	s := store{names: client.TopicNames{Dynamic: "_kcfg_dynamic_configs", Clients: "_kcfg_clients"}}
	t.Cleanup(func() { deleteDefaults(t, c, s.names) })
	block := strings.NewReplacer("localhost:9092", c.Addrs()[0], "User:orders", "User:"+kafkatest.Alice, "User:ops", "User:"+kafkatest.Bob).
		Replace(shellBlock(t, "ci:topics"))
	printed := output(t, nil, "sh", "-ec", block)
	_, commands, ok := strings.Cut(printed, "These commands give the rights:\n")
	require.True(t, ok, printed)

	alice := bare(t, nil, append(as(c, kafkatest.Alice), kgo.DisableIdempotentWrite())...)
	bob := s.adminAs(t, c, kafkatest.Bob)
	_, err := bob.Clients(withTimeout(t))
	require.Error(t, err, "not before")
	dir, kafkas := aclTool(t, c)
	t.Logf("with Kafka's own tool: %t", kafkas)
	for command := range strings.Lines(commands) {
		out := output(t, []string{"PATH=" + dir + ":" + os.Getenv("PATH")}, "sh", "-ec", strings.Replace(command, "BROKERS", c.Addrs()[0], 1))
		if !kafkas {
			apply(t, c, out)
		}
	}
	awaitACLs(t, c, kafkatest.Alice, s.names.Dynamic, s.names.Clients)
	awaitACLs(t, c, kafkatest.Bob, s.names.Dynamic, s.names.Clients)

	entity := kcfg.User(kafkatest.Alice)
	altered, err := bob.AlterClientConfigs(withTimeout(t), kcfg.Alter(entity, kcfg.Set("acks", "1")))
	require.NoError(t, err)
	require.NoError(t, altered[0].Err)
	cl := ours(t, append(as(c, kafkatest.Alice), kgo.DisableIdempotentWrite()),
		client.Transport(client.TransportTopics), client.Principal(kafkatest.Alice), client.WithKind(kcfg.KindProducer))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	assert.Equal(t, "1", *state(t, cl, "acks").Wished)
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	recs, err := bob.Clients(withTimeout(t))
	require.NoError(t, err)
	require.Len(t, recs.Records, 1)
	assert.Equal(t, cl.ClientInstanceID(), recs.Records[0].Instance)

	err = alice.ProduceSync(withTimeout(t), &kgo.Record{Topic: s.names.Dynamic, Value: []byte("x")}).FirstErr()
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed, "nothing else")
	_, err = s.adminAs(t, c, kafkatest.Alice).Clients(withTimeout(t))
	require.Error(t, err)
}

// deleteDefaults deletes the topics of the default names, which no other test should
// find, and waits until they are gone.
func deleteDefaults(t *testing.T, c *kafkatest.Cluster, names client.TopicNames) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience) // the test's own has ended
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...))
	require.NoError(t, err)
	defer cl.Close()
	adm := kadm.NewClient(cl)
	_, err = adm.DeleteTopics(ctx, names.Dynamic, names.Clients)
	require.NoError(t, err)
	_, err = adm.DeleteACLs(ctx, kadm.NewACLs().Allow().AllowHosts().Deny().DenyHosts().Operations(kadm.OpAny).
		Topics(names.Dynamic, names.Clients).ResourcePatternType(kadm.ACLPatternLiteral))
	require.NoError(t, err)
	eventually(t, func() bool {
		topics, err := adm.ListTopics(ctx)
		return err == nil && !strings.Contains(strings.Join(topics.Names(), " "), "_kcfg_")
	}, "the topics are deleted")
}
