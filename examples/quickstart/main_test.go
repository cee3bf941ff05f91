package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/scram"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return lines[len(lines)-1]
}

func TestTheQuickstartEndsWithOK(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(withTimeout(t), &out, nil), "%s", &out)
	assert.Equal(t, "OK", lastLine(out.String()))
	for _, shown := range []string{"quickstart-producer", "quickstart-consumer", "alice", "kgo", "acks", "orders.release", "db.password", "ssl.key.password", "seen by the broker", "session.timeout.ms", "GENERATION"} {
		assert.Contains(t, out.String(), shown)
	}
}

// cluster starts a broker as somebody else would, with a SASL user whose
// password is in the returned file.
func cluster(t *testing.T, opts ...fakebroker.Option) (broker *fakebroker.Cluster, passwordFile string) {
	t.Helper()
	opts = append(opts, fakebroker.Brokers(3), fakebroker.SASL(fakebroker.User{Mechanism: "SCRAM-SHA-512", Name: "alice", Password: "wonder"}))
	broker, err := fakebroker.New(opts...)
	require.NoError(t, err)
	t.Cleanup(broker.Close)
	passwordFile = filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(passwordFile, []byte("wonder\n"), 0o600))
	return broker, passwordFile
}

// left returns how many topics and groups there are.
func left(t *testing.T, broker *fakebroker.Cluster) (topics, groups int) {
	t.Helper()
	login := scram.Auth{User: "alice", Pass: "wonder"}.AsSha512Mechanism()
	cl, err := kgo.NewClient(kgo.SeedBrokers(broker.Addrs()...), kgo.SASL(login))
	require.NoError(t, err)
	defer cl.Close()
	m, err := kmsg.NewPtrMetadataRequest().RequestWith(withTimeout(t), cl)
	require.NoError(t, err)
	g, err := kmsg.NewPtrListGroupsRequest().RequestWith(withTimeout(t), cl)
	require.NoError(t, err)
	return len(m.Topics), len(g.Groups)
}

func TestOnAClusterWithoutSupportAllElseWorks(t *testing.T) {
	broker, password := cluster(t)
	var out strings.Builder
	args := []string{"-brokers", strings.Join(broker.Addrs(), ","), "-user", "alice", "-password-file", password, "-mechanism", "SCRAM-SHA-512"}
	require.NoError(t, run(withTimeout(t), &out, args), "%s", &out)
	assert.Equal(t, "OK", lastLine(out.String()))
	assert.Contains(t, out.String(), "quickstart-producer: the cluster does not support config push (KIP-1324); 0 of ")
	assert.Empty(t, broker.Requests())
	topics, groups := left(t, broker)
	assert.Zero(t, topics)
	assert.Zero(t, groups)
}

func TestOnAClusterWithSupportTheLineSaysSo(t *testing.T) {
	broker, password := cluster(t, fakebroker.Policy(&fakebroker.RecordPolicy{}))
	var out strings.Builder
	args := []string{"-brokers", broker.Addrs()[0], "-user", "alice", "-password-file", password, "-mechanism", "SCRAM-SHA-512"}
	require.NoError(t, run(withTimeout(t), &out, args), "%s", &out)
	assert.Contains(t, out.String(), "keys; 10 were held back")
	assert.Len(t, broker.Pushes(), 2)
}

func TestARefusedPushIsNoFailure(t *testing.T) {
	broker, password := cluster(t, fakebroker.Policy(fakebroker.PolicyFunc(
		func(context.Context, fakebroker.RequestContext, fakebroker.ClientConfigs) error {
			return &fakebroker.PolicyError{Code: 44, Message: "not today"}
		})))
	var out strings.Builder
	args := []string{"-brokers", broker.Addrs()[0], "-user", "alice", "-password-file", password, "-mechanism", "SCRAM-SHA-512"}
	require.NoError(t, run(withTimeout(t), &out, args), "%s", &out)
	assert.Contains(t, out.String(), "config push is failed")
	assert.Contains(t, out.String(), "not today")
}

func TestABrokerThatCannotBeReachedIsReported(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	var out strings.Builder
	require.ErrorContains(t, run(withTimeout(t), &out, []string{"-brokers", addr}), "unable to reach a broker of "+addr)
	assert.NotContains(t, out.String(), "OK")
}

func TestARunThatTakesTooLongIsEnded(t *testing.T) {
	var out strings.Builder
	require.ErrorContains(t, run(withTimeout(t), &out, []string{"-timeout", "1ns"}), "not done after 1ns")
	assert.NotContains(t, out.String(), "OK")
}

func TestMistakesInTheFlagsAreReported(t *testing.T) {
	var out strings.Builder
	require.Error(t, run(withTimeout(t), &out, []string{"-user", "alice"}))
	require.Error(t, run(withTimeout(t), &out, []string{"-brokers", ","}))
	require.Error(t, run(withTimeout(t), &out, []string{"-nothing"}))
	assert.Empty(t, out.String())
}

func TestOverTopicsTheTimelineIsTheSameAndNothingIsLeft(t *testing.T) {
	broker, password := cluster(t)
	var out strings.Builder
	args := []string{"-transport", "topics", "-brokers", strings.Join(broker.Addrs(), ","), "-user", "alice", "-password-file", password, "-mechanism", "SCRAM-SHA-512"}
	require.NoError(t, run(withTimeout(t), &out, args), "%s", &out)
	assert.Equal(t, "OK", lastLine(out.String()))
	for _, shown := range []string{"cleanup.policy", "quickstart-producer: broker ", "keys; 10 were held back", "seen by the broker", "GENERATION"} {
		assert.Contains(t, out.String(), shown)
	}
	assert.Empty(t, broker.Requests(), "no request of ours")
	topics, groups := left(t, broker)
	assert.Zero(t, topics)
	assert.Zero(t, groups)
}
