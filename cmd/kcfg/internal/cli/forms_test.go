package cli

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// inEveryForm runs the command in every form and compares what it prints with the
// golden files, after fixed has replaced what varies.
func inEveryForm(t *testing.T, name string, fixed func(string) string, want int, args ...string) {
	t.Helper()
	for _, format := range output.Formats() {
		r := run(t, append(args, "--output", format)...)
		require.Equal(t, want, r.code, "%s%s", r.out, r.err)
		golden(t, name+"."+format, fixed(r.out))
	}
}

func asItIs(s string) string { return s }

var (
	times    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	versions = regexp.MustCompile(`kgo/[a-z0-9.]+`)
	brokers  = regexp.MustCompile(` to broker [a-z0-9_]+:`)
	hosts    = regexp.MustCompile(`(?m)^\s*"?host"?: .*\n`)
)

// ofClient replaces what varies in what is shown of a client.
func ofClient(cl *client.Client) func(string) string {
	return func(s string) string {
		s = strings.ReplaceAll(s, cl.ClientInstanceID(), "00000000-0000-4000-8000-000000000001")
		s = times.ReplaceAllString(s, "2026-11-30T12:00:00Z")
		s = versions.ReplaceAllString(s, "kgo/v1.0.0")
		return hosts.ReplaceAllString(s, "")
	}
}

func TestFormsOfDescribe(t *testing.T) {
	c, a, flags := setUp(t)
	cl := alive(t, c, a, "orders-api", noIdempotence())
	ok(t, append(flags, "alter", "--user", "ANONYMOUS", "--client-id", "orders-api", "set", "acks=1", "producer_byte_rate=60000.5")...)
	ok(t, append(flags, "alter", "--user-defaults", "set", "request_percentage=50")...)
	ok(t, append(flags, "alter", "--client", "orders-api", "set", "consumer_byte_rate=100000")...)
	ok(t, append(flags, "alter", "--ip", "10.0.0.1", "set", "connection_creation_rate=5")...)
	ok(t, append(flags, "alter", "--user", "alice", "set", "acks=all")...)
	ok(t, append(flags, "alter", "--topic", "orders", "set", "retention.ms=1000", "cleanup.policy=compact,delete")...)
	ok(t, append(flags, "alter", "--broker", "0", "set", "log.cleaner.threads=2", "ssl.keystore.password=hunter2")...)

	inEveryForm(t, "describe-users", ofClient(cl), codeOK, append(flags, "describe", "--entity-type", "users")...)
	inEveryForm(t, "describe-clients", ofClient(cl), codeOK, append(flags, "describe", "--entity-type", "clients")...)
	inEveryForm(t, "describe-ips", asItIs, codeOK, append(flags, "describe", "--entity-type", "ips")...)
	inEveryForm(t, "describe-topic", asItIs, codeOK, append(flags, "describe", "--topic", "orders")...)
	inEveryForm(t, "describe-broker", ofBroker(c), codeOK, append(flags, "describe", "--broker", "0")...)
	inEveryForm(t, "describe-nothing", asItIs, codeOK, append(flags, "describe", "--user", "nobody")...)
}

// ofBroker replaces what varies in what is shown of a broker.
func ofBroker(c *fakebroker.Cluster) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, c.Addrs()[0], "127.0.0.1:9092") }
}

func TestFormsOfAlter(t *testing.T) {
	_, _, flags := setUp(t)
	inEveryForm(t, "alter", asItIs, codeOK, append(flags, "alter", "--user", "alice", "--client-id", "orders", "--add-config", "acks=1,producer_byte_rate=60000", "--delete-config", "session.timeout.ms")...)
	inEveryForm(t, "alter-partly", asItIs, codeFailed, append(flags, "alter", "--user", "alice", "set", "acks=nonsense", "producer_byte_rate=60000")...)
}

func TestFormsOfADryRun(t *testing.T) {
	c, a, flags := setUp(t)
	cl := alive(t, c, a, "orders-api", noIdempotence())
	ok(t, append(flags, "alter", "--user", "ANONYMOUS", "set", "session.timeout.ms=12000", "producer_byte_rate=1")...)
	inEveryForm(t, "dry-run", ofClient(cl), codeOK, append(flags, "alter", "--dry-run", "--user", "ANONYMOUS", "--add-config", "acks=1,producer_byte_rate=60000,heartbeat.interval.ms=4000", "--delete-config", "session.timeout.ms,request_percentage")...)
	ok(t, append(flags, "alter", "--topic", "orders", "set", "retention.ms=1000")...)
	inEveryForm(t, "dry-run-topic", asItIs, codeOK, append(flags, "alter", "--dry-run", "--topic", "orders", "append", "cleanup.policy=compact", "delete", "retention.ms", "set", "max.message.bytes=2000")...)
}

func TestFormsOfAWatch(t *testing.T) {
	c, a, flags := setUp(t)
	cl := alive(t, c, a, "orders-api", noIdempotence())
	inEveryForm(t, "watch", ofClient(cl), codeOK, append(flags, "alter", "--user", "ANONYMOUS", "set", "acks=1", "--watch", "--watch-interval", "50ms", "--watch-timeout", "50s")...)
	inEveryForm(t, "watch-unconcerned", ofClient(cl), codeOK, append(flags, "alter", "--user", "ANONYMOUS", "set", "heartbeat.interval.ms=4000", "--watch")...)
	idempotent := alive(t, c, a, "payments", nil)
	inEveryForm(t, "watch-refused", ofClient(idempotent), codeFailed, append(flags, "alter", "--user", "ANONYMOUS", "--client-id", "payments", "set", "acks=1", "--watch", "--watch-interval", "50ms", "--watch-timeout", "50s")...)
	idempotent.Close()
	inEveryForm(t, "watch-nobody", asItIs, codeOK, append(flags, "alter", "--user", "nobody", "set", "acks=1", "--watch")...)
	_, err := a.AlterClientConfigs(soon(t), kcfg.Alter(kcfg.User("ANONYMOUS").Client("orders-api"), kcfg.Set("acks", "0")))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return c.Acks(fakebroker.AnyNode)[0] > 0 }, soonest, pause)
	inEveryForm(t, "watch-overruled", ofClient(cl), codeOK, append(flags, "alter", "--user", "ANONYMOUS", "set", "acks=1", "--watch")...)
	assert.NotEmpty(t, records(t, a))
}

// ofAnyBroker replaces the name of the broker that was asked.
func ofAnyBroker(s string) string { return brokers.ReplaceAllString(s, " to broker 0:") }

func TestFormsOfWhatIsKnownInPart(t *testing.T) {
	_, flags := broker(t) // which speaks none of the RPCs
	flags = append(flags, "--transport", "rpc")
	ok(t, append(flags, "alter", "--user", "alice", "set", "producer_byte_rate=1")...)
	inEveryForm(t, "describe-partly", ofAnyBroker, codeFailed, append(flags, "describe", "--user", "alice")...)
	_, flags = broker(t, fakebroker.DynamicConfigs())
	inEveryForm(t, "dry-run-fails", ofAnyBroker, codeFailed, append(flags, "alter", "--dry-run", "--user", "alice", "set", "acks=x", "producer_byte_rate=1")...)
}

func TestFormsOfAWatchThatTimesOut(t *testing.T) {
	c, a, flags := setUp(t)
	silent := alive(t, c, a, "silent", noIdempotence(), client.PollInterval(time.Hour))
	require.NoError(t, silent.RefreshConfigs(soon(t)))
	inEveryForm(t, "watch-timed-out", ofClient(silent), codeTimedOut, append(flags, "alter", "--user", "ANONYMOUS", "set", "acks=1", "--watch", "--watch-timeout", "300ms")...)
}
