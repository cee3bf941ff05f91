//go:build soak

package integration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

const (
	scaleClients  = 10_000
	scaleServices = 100 // client ids
	scaleDrifting = 97  // one client in so many has a value of its own
)

// tellOfMany writes the records of 10,000 clients, each as large as that of a real one,
// and returns their size.
func tellOfMany(t *testing.T, addrs []string, s store) int {
	t.Helper()
	cl := ours(t, []kgo.Opt{kgo.SeedBrokers(addrs...), kgo.ClientID("real"), kgo.ConsumerGroup(name(t)), kgo.ConsumeTopics(name(t))}, s.where()...)
	require.NoError(t, cl.Ping(withTimeout(t)))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	recs, err := s.Clients(withTimeout(t))
	require.NoError(t, err)
	require.Len(t, recs.Records, 1)
	one, err := json.Marshal(recs.Records[0])
	require.NoError(t, err)
	t.Logf("the record of a real consumer: %d bytes, %d configurations, %d dynamic ones", len(one), len(recs.Records[0].Configs), len(recs.Records[0].Dynamic))

	producer := bare(t, addrs, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()))
	size := 0
	for n := range scaleClients {
		r := like(t, one, n)
		value, err := json.Marshal(r)
		require.NoError(t, err)
		key := fmt.Appendf(nil, `[1,%q]`, r.Instance)
		size += len(key) + len(value)
		producer.Produce(t.Context(), &kgo.Record{Topic: s.names.Clients, Partition: int32(n % 12), Key: key, Value: value}, func(_ *kgo.Record, err error) {
			if err != nil {
				t.Errorf("a record was not written: %v", err)
			}
		})
	}
	require.NoError(t, producer.Flush(withTimeout(t)))
	return size
}

// like returns another client that is like a real one.
func like(t *testing.T, one []byte, n int) kcfg.ClientRecord {
	t.Helper()
	var r kcfg.ClientRecord
	require.NoError(t, json.Unmarshal(one, &r))
	r.Instance = fmt.Sprintf("%08x-93a1-4f0c-8f5e-1c9d8f1f7a10", n)
	r.ClientID = fmt.Sprintf("service-%02d", n%scaleServices)
	r.Group = r.ClientID
	r.Host = fmt.Sprintf("%s-%d.example.com", r.ClientID, n)
	r.Principal = new(r.ClientID)
	for i := range r.Configs {
		if n%scaleDrifting == 0 && r.Configs[i].Key == "session.timeout.ms" {
			r.Configs[i].Value, r.Configs[i].Default = "30000", false
		}
	}
	return r
}

// timed runs the command some times and returns what it printed, and the median of the
// time that it took, from its start to its end.
func timed(t *testing.T, file string, args ...string) ([]byte, time.Duration) {
	t.Helper()
	var out []byte
	var took []time.Duration
	for range 5 {
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), file, args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		start := time.Now()
		require.NoError(t, cmd.Run(), stderr.String())
		took = append(took, time.Since(start))
		out = stdout.Bytes()
	}
	slices.Sort(took)
	return out, took[len(took)/2]
}

func TestSoakScaleOfListingTenThousandClients(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	size := tellOfMany(t, c.Addrs(), s)
	t.Logf("%d records, %d bytes", scaleClients, size)
	file := commandOf(t, c).path
	where := []string{"--bootstrap-server", c.Addrs()[0], "--clients-topic", s.names.Clients, "--dynamic-topic", s.names.Dynamic}

	var listed []time.Duration
	for range 5 {
		start := time.Now()
		recs, err := s.Clients(withTimeout(t))
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(recs.Records), scaleClients)
		listed = append(listed, time.Since(start))
	}
	slices.Sort(listed)
	t.Logf("Admin.Clients: %v", listed[len(listed)/2].Round(time.Millisecond))
	for _, args := range [][]string{
		{"clients"}, {"clients", "-o", "json"}, {"clients", "--client-id", "service-42", "--sort", "deviations"},
		{"drift"}, {"drift", "--by", "group", "--from-defaults"}, {"drift", "-o", "yaml"},
	} {
		out, took := timed(t, file, append(args, where...)...)
		t.Logf("kcfg %v: %v, %d lines", args, took.Round(time.Millisecond), bytes.Count(out, []byte("\n")))
		require.NotEmpty(t, out)
		require.Less(t, took, 2*time.Second, "%v", args)
	}
	out, _ := timed(t, file, append([]string{"clients"}, where...)...)
	require.Equal(t, scaleClients, bytes.Count(out, []byte("-93a1-4f0c-")))
}
