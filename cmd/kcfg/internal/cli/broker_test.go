package cli

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/sensitive"
)

// listening runs kcfg broker on free ports, and returns the first address.
func listening(t *testing.T, args ...string) (*running, string) {
	t.Helper()
	r := begin(t, append([]string{"broker", "--listen", "127.0.0.1:0"}, args...)...)
	t.Cleanup(func() { r.end() })
	r.says(t, "listening on ")
	_, rest, _ := strings.Cut(r.out.String(), "listening on ")
	addr, _, _ := strings.Cut(rest, "\n")
	return r, addr
}

func newClient(t *testing.T, addr string, opts ...client.Option) *client.Client {
	t.Helper()
	cl, err := client.New([]kgo.Opt{kgo.SeedBrokers(addr), kgo.ClientID("orders\x1b[31m api")}, opts...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

func TestTheBrokerTellsWhoPushedWhichKeysAndNoValue(t *testing.T) {
	r, addr := listening(t, "--topic", "orders:3", "--topic", "payments")
	cl := newClient(t, addr, client.ExtraConfig("app.color", "ultramarine", sensitive.String))
	require.NoError(t, cl.PushConfig(t.Context()))
	r.says(t, "client pushed its configuration")
	out := r.out.String()
	assert.Contains(t, out, "principal=ANONYMOUS")
	assert.Contains(t, out, "linger.ms")
	assert.Contains(t, out, "app.color")
	assert.NotContains(t, out, "ultramarine")
	assert.NotContains(t, out, "\x1b")
	topics, err := kadm.NewClient(cl.Client).ListTopics(t.Context())
	require.NoError(t, err)
	assert.Len(t, topics["orders"].Partitions, 3)
	assert.Len(t, topics["payments"].Partitions, 1)
	assert.Equal(t, codeOK, r.end(), "an interrupt is how it ends")
}

func TestADemonstrationHasFourLiveClientsAndEnds(t *testing.T) {
	r, addr := listening(t, "--demo")
	at := []string{"--bootstrap-server", addr}
	assert.Contains(t, ok(t, append(at, "clients")...), "4 clients")
	out := ok(t, append(at, "drift")...)
	assert.Contains(t, out, "linger.ms")
	assert.Contains(t, out, "session.timeout.ms")
	assert.Contains(t, run(t, append(at, "alter", "--user", "ANONYMOUS", "--client-id", "orders-api", "set", "acks=1", "--watch")...).out, "taken")
	assert.Equal(t, codeOK, r.end())
	assert.Equal(t, codeUsage, run(t, "broker", "--demo", "--user", "a:b").code)
}

func TestABrokerThatIsSetUpServesTopicsAtOnce(t *testing.T) {
	_, addr := listening(t, "--setup", "--policy", "none", "--dynamic-configs=false", "--nodes", "3")
	cl := newClient(t, addr, client.Transport(client.TransportTopics))
	require.NoError(t, cl.PushConfig(t.Context()))
	require.ErrorIs(t, newClient(t, addr).PushConfig(t.Context()), cfgerrors.ErrUnsupported, "the RPC is off")
}

func TestTheBrokerHasARuleForSessions(t *testing.T) {
	_, addr := listening(t, "--max-session", "1m", "--identifier-limits")
	admin, err := client.NewAdmin(newClient(t, addr).Client)
	require.NoError(t, err)
	for value, want := range map[string]error{"60000": nil, "60001": kerr.PolicyViolation} {
		out, err := admin.AlterClientConfigs(t.Context(), kcfg.Alter(kcfg.User("alice"), kcfg.Set("session.timeout.ms", value)))
		require.NoError(t, err)
		require.ErrorIs(t, out[0].Err, want, value)
	}
}

func TestTheBrokerLetsItsUsersInAndNobodyElse(t *testing.T) {
	users := fileWith(t, "# users\n\nbob:build:er:PLAIN\r\n")
	_, addr := listening(t, "--user", "alice:wonder", "--users-file", users, "--setup")
	setup := []string{"setup", "--bootstrap-server", addr, "--sasl-user"}
	assert.Contains(t, ok(t, append(setup, "alice", "--sasl-password-file", fileWith(t, "wonder"))...), "was there")
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.SASL(plain.Auth{User: "bob", Pass: "build:er"}.AsMechanism()))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.Ping(t.Context()))
	assert.Equal(t, codeNotAllowed, run(t, append(setup, "alice", "--sasl-password-file", fileWith(t, "x"))...).code)
	assert.NotEqual(t, codeOK, run(t, "setup", "--bootstrap-server", addr).code)
}

func TestAPortThatIsTakenIsSaid(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	r := run(t, "broker", "--listen", l.Addr().String())
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.err, "unable to listen on "+l.Addr().String())
	assert.Empty(t, r.out)
}

func TestWhatTheBrokerCannotDoIsAMistake(t *testing.T) {
	for _, args := range [][]string{
		{"--listen", "0.0.0.0:9092"}, {"--listen", "example.com:1"}, {"--listen", "127.0.0.1"}, {"--listen", "127.0.0.1:x"}, {"--listen", "127.0.0.1:65535", "--nodes", "2"},
		{"--nodes", "0"}, {"--nodes", "101"}, {"--topic", ":3"}, {"--topic", "a:0"}, {"--topic", "a:b"}, {"--topic", "a/b"}, {"--topic", ".."}, {"--policy", "deny"}, {"--user", "wonder-5ecret"}, {"--user", ":wonder-5ecret"},
		{"--user", "a:"}, {"--users-file", "no/such/file"}, {"--users-file", ""}, {"--users-file", fileWith(t, "")}, {"--users-file", fileWith(t, "a:b\nwonder-5ecret")}, {"--max-session", "-1s"},
		{"--bootstrap-server", "localhost:9092"}, {"--command-config", "x"}, {"--tls"}, {"extra"},
	} {
		r := run(t, append([]string{"broker"}, args...)...)
		assert.Equal(t, codeUsage, r.code, "%q: %s", args, r.err)
		assert.NotContains(t, r.err, "5ecret")
	}
}
