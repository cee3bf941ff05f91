package connect

import (
	"context"
	"flag"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/sensitive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func flags(t *testing.T, args ...string) *Flags {
	t.Helper()
	fs := flag.NewFlagSet("example", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	f := AddFlags(fs)
	require.NoError(t, fs.Parse(args))
	return f
}

// file returns the path of a file with this content.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// newClient makes a client of the target that is closed with the test.
func newClient(t *testing.T, target Target) *client.Client {
	t.Helper()
	cl, err := client.NewProducer(target.Kgo(), target.Options()...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

func TestFlagsThatDoNothingAreRefused(t *testing.T) {
	for name, args := range map[string][]string{
		"TLS without brokers":      {"-tls"},
		"a CA without brokers":     {"-tls-ca", "ca.pem"},
		"a user without brokers":   {"-user", "alice", "-password-file", "p"},
		"a user without password":  {"-brokers", "localhost:9092", "-user", "alice"},
		"a password without user":  {"-brokers", "localhost:9092", "-password-file", "p"},
		"brokers that are no name": {"-brokers", " , "},
		"a mechanism of no name":   {"-brokers", "localhost:9092", "-user", "alice", "-password-file", file(t, "x"), "-mechanism", "GUESS"},
		"a missing password file":  {"-brokers", "localhost:9092", "-user", "alice", "-password-file", "no/such/file"},
		"a missing CA file":        {"-brokers", "localhost:9092", "-tls-ca", "no/such/file"},
		"a CA file without one":    {"-brokers", "localhost:9092", "-tls-ca", file(t, "x")},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := flags(t, args...).Open("orders")
			require.Error(t, err)
		})
	}
}

func TestOpenStartsABrokerWhereNoneIsNamed(t *testing.T) {
	target, end, err := flags(t).Open("orders")
	require.NoError(t, err)
	defer end()
	cl := newClient(t, target)
	require.NoError(t, target.Reach(withTimeout(t), cl))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
}

func TestASASLUserGetsIn(t *testing.T) {
	for _, mechanism := range []string{plainText, scram256, scram512} {
		t.Run(mechanism, func(t *testing.T) {
			broker, err := fakebroker.New(fakebroker.SASL(fakebroker.User{Mechanism: mechanism, Name: "alice", Password: "wonder"}))
			require.NoError(t, err)
			defer broker.Close()

			args := []string{"-brokers", broker.Addrs()[0], "-user", "alice", "-mechanism", mechanism, "-password-file"}
			target, err := flags(t, append(args, file(t, "wonder\r\n"))...).Target()
			require.NoError(t, err)
			require.NoError(t, target.Reach(withTimeout(t), newClient(t, target)))

			target, err = flags(t, append(args, file(t, "other"))...).Target()
			require.NoError(t, err)
			require.ErrorContains(t, target.Reach(withTimeout(t), newClient(t, target)), "SASL_AUTHENTICATION_FAILED")
		})
	}
}

func TestABrokerThatDoesNotAnswerIsReported(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())

	target := To([]string{addr})
	err = target.Reach(withTimeout(t), newClient(t, target))
	require.ErrorContains(t, err, "unable to reach a broker of "+addr)
	require.ErrorContains(t, err, "refused")
}

func TestOptionsOfATargetAreNotShared(t *testing.T) {
	target := To([]string{"localhost:9092"})
	first := target.Kgo(kgo.ClientID("one"))
	second := target.Kgo(kgo.ClientID("two"))
	assert.Len(t, first, 2)
	assert.Len(t, second, 2)
	cl, err := kgo.NewClient(first...)
	require.NoError(t, err)
	defer cl.Close()
	assert.Equal(t, "one", cl.OptValue(kgo.ClientID))
}

func TestAnUnknownMechanismIsNamed(t *testing.T) {
	_, err := Mechanism("GUESS", "alice", sensitive.NewSecret("wonder"))
	require.ErrorContains(t, err, "GUESS")
}

func TestSeedsAreNotShownByTheirNumber(t *testing.T) {
	assert.Equal(t, "broker 0", Node(0))
	assert.Equal(t, "a seed broker", Node(math.MinInt32))
}

func TestAWatchedTargetShowsTheRequestsThatLeave(t *testing.T) {
	target, end, err := flags(t).Open("orders")
	require.NoError(t, err)
	defer end()
	seen := make(chan kmsg.Request, 100)
	target = target.Watched(func(r kmsg.Request) { seen <- r }, kmsg.Produce)
	cl := newClient(t, target)
	require.NoError(t, cl.ProduceSync(withTimeout(t), &kgo.Record{Topic: "orders", Value: []byte("x")}).FirstErr())
	r, ok := (<-seen).(*kmsg.ProduceRequest)
	require.True(t, ok)
	assert.Equal(t, int16(-1), r.Acks)
	require.Len(t, r.Topics, 1)
	assert.Empty(t, seen, "no other key")
}
