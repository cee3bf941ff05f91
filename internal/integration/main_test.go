package integration_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

const (
	// patience bounds every wait of a test. It is no measure of speed: a test
	// that needs it all has failed.
	patience = time.Minute

	// startPatience bounds the start of the cluster, which may fetch Kafka.
	startPatience = 5 * time.Minute
)

// shared is the cluster of all tests, once the first of them started it, or why
// that failed.
var shared struct {
	cluster *kafkatest.Cluster
	err     error
}

// unique numbers what tests name.
var unique atomic.Int64

// suite closes the cluster before the check for leaks.
type suite struct{ m *testing.M }

func (s suite) Run() int {
	code := s.m.Run()
	if shared.cluster == nil {
		return code
	}
	if err := shared.cluster.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(suite{m}) }

// version returns the version of Kafka that was asked for. It skips the test when
// nobody asked for one.
func version(t *testing.T) string {
	t.Helper()
	version, asked := kafkatest.Asked()
	if !asked {
		t.Skip("needs Kafka: make kafka-test")
	}
	return version
}

// kafka returns the cluster of all tests. It skips the test when nobody asked for
// Kafka, and fails it when Kafka does not start.
func kafka(t *testing.T) *kafkatest.Cluster {
	t.Helper()
	v := version(t)
	if shared.err != nil {
		t.Fatal("Kafka did not start: the first test says why")
	}
	if shared.cluster == nil {
		ctx, cancel := context.WithTimeout(context.Background(), startPatience) // the cluster outlives the test
		defer cancel()
		shared.cluster, shared.err = kafkatest.Start(ctx, kafkatest.Options{Version: v})
	}
	require.NoError(t, shared.err)
	return shared.cluster
}

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// name returns a name for a topic, group or client id that no other test has.
func name(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("%s-%d", strings.ReplaceAll(t.Name(), "/", "-"), unique.Add(1))
}

// bare makes a kgo client without anything of kcfg, which is closed with the test.
func bare(t *testing.T, addrs []string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(addrs...)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

// admin makes an admin client that may do everything.
func admin(t *testing.T, c *kafkatest.Cluster) *kadm.Client {
	t.Helper()
	return kadm.NewClient(bare(t, c.Addrs()))
}

// kill kills a node, which runs again at the end of the test.
func kill(t *testing.T, c *kafkatest.Cluster, node int) {
	t.Helper()
	t.Cleanup(func() {
		if c.Running(node) {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience) // the test's own has ended
		defer cancel()
		require.NoError(t, c.Restart(ctx, node))
	})
	require.NoError(t, c.Kill(node))
}

// newTopic creates a topic that is deleted with the test, and returns its name.
func newTopic(t *testing.T, c *kafkatest.Cluster, partitions int32, replicas int16) string {
	t.Helper()
	topic, adm := name(t), admin(t, c)
	_, err := adm.CreateTopic(withTimeout(t), partitions, replicas, nil, topic)
	require.NoError(t, err)
	require.NoError(t, c.AwaitTopic(withTimeout(t), topic))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience) // the test's own has ended
		defer cancel()
		_, err := adm.DeleteTopic(ctx, topic)
		require.NoError(t, err)
	})
	return topic
}

// produce produces records with the values 0 to n-1.
func produce(t *testing.T, cl *kgo.Client, topic string, n int) {
	t.Helper()
	var records []*kgo.Record
	for i := range n {
		records = append(records, &kgo.Record{Topic: topic, Value: fmt.Append(nil, i)})
	}
	require.NoError(t, cl.ProduceSync(withTimeout(t), records...).FirstErr())
}

// consume polls until each of produce's values came, and requires that it came
// once.
func consume(t *testing.T, cl *kgo.Client, n int) {
	t.Helper()
	ctx, seen := withTimeout(t), make(map[string]bool)
	for len(seen) < n {
		fetches := cl.PollFetches(ctx)
		require.NoError(t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			require.False(t, seen[string(r.Value)], "%s came twice", r.Value)
			seen[string(r.Value)] = true
		})
	}
	for i := range n {
		require.True(t, seen[fmt.Sprint(i)], "%d did not come", i)
	}
}
