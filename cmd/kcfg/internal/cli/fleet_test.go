package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

const clientsTopic = "_kcfg_clients"

// fleetOf starts a reference broker on which the topics are set up and records of
// clients are written, and returns the flags that name it.
func fleetOf(t *testing.T, records ...kcfg.ClientRecord) (*fakebroker.Cluster, []string) {
	t.Helper()
	c, at := broker(t)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	admin, err := client.NewAdmin(cl, client.Transport(client.TransportTopics))
	require.NoError(t, err)
	_, err = admin.SetupTopics(t.Context(), kcfg.TopicSetup{})
	require.NoError(t, err)
	written := make([]*kgo.Record, 0, len(records))
	for i, r := range records {
		written = append(written, recordOf(t, r, int32(i%12)))
	}
	require.NoError(t, cl.ProduceSync(t.Context(), written...).FirstErr())
	return c, at
}

func recordOf(t *testing.T, r kcfg.ClientRecord, partition int32) *kgo.Record {
	t.Helper()
	key, err := json.Marshal([]any{1, r.Instance})
	require.NoError(t, err)
	value, err := json.Marshal(r)
	require.NoError(t, err)
	return &kgo.Record{Topic: clientsTopic, Partition: partition, Key: key, Value: value}
}

// instance makes an instance id of a number.
func instance(n int) string { return fmt.Sprintf("%08x-93a1-4f0c-8f5e-1c9d8f1f7a10", n) }

var since = time.Date(2025, 11, 29, 20, 15, 0, 0, time.UTC)

// consumerRecord is a consumer of the client id orders.
func consumerRecord(n int, change func(r *kcfg.ClientRecord)) kcfg.ClientRecord {
	r := kcfg.ClientRecord{
		Version: 1, Instance: instance(n), Principal: new("alice"), ClientID: "orders", Group: "billing",
		Software: kcfg.Software{Name: "kgo", Version: "v1.22.3"}, Host: "host-1", Kinds: kcfg.KindConsumer,
		Since: since, At: time.Now(),
		Configs: []kcfg.ClientConfig{
			{Key: "client.id", Value: "orders", Type: "STRING"},
			{Key: "fetch.min.bytes", Value: "1", Type: "INT", Default: true},
			{Key: "heartbeat.interval.ms", Value: "3000", Type: "INT", Default: true},
			{Key: "session.timeout.ms", Value: "45000", Type: "INT", Default: true},
		},
		Supported: []string{"heartbeat.interval.ms", "session.timeout.ms"},
		Dynamic: []kcfg.KeyState{
			{Key: "heartbeat.interval.ms", InForce: new("3000"), Static: new("3000"), State: kcfg.OverrideStatic},
			{Key: "session.timeout.ms", InForce: new("45000"), Static: new("45000"), State: kcfg.OverrideStatic},
		},
	}
	if change != nil {
		change(&r)
	}
	return r
}

// someFleet has everything that the tables show, names that are hard to write, and
// records that no client of this library would write.
func someFleet() []kcfg.ClientRecord {
	return []kcfg.ClientRecord{
		consumerRecord(1, nil),
		consumerRecord(2, func(r *kcfg.ClientRecord) {
			r.Configs[3] = kcfg.ClientConfig{Key: "session.timeout.ms", Value: "30000", Type: "INT"}
			r.Dynamic[0] = kcfg.KeyState{
				Key: "heartbeat.interval.ms", Wished: new("40000"), InForce: new("3000"), Static: new("3000"),
				State: kcfg.OverrideRejected, Reason: "not below session.timeout.ms",
			}
			r.Dynamic[1] = kcfg.KeyState{Key: "session.timeout.ms", Wished: new("20000"), InForce: new("20000"), Static: new("30000"), State: kcfg.OverrideApplied}
		}),
		consumerRecord(3, func(r *kcfg.ClientRecord) {
			r.ClientID, r.Group, r.Principal, r.Host = "", "", nil, ""
			r.Kinds = kcfg.KindProducer | kcfg.KindConsumer
			r.Dynamic[1].Wished, r.Dynamic[1].State = new("20000"), kcfg.OverridePending
		}),
		consumerRecord(4, func(r *kcfg.ClientRecord) { // it ended without a word
			r.At, r.Since, r.ClientID = since, since.Add(-time.Hour), "dead"
		}),
		consumerRecord(5, func(r *kcfg.ClientRecord) { // nobody's but an attacker's
			r.Principal, r.ClientID, r.Host, r.Software.Name = new("a\x1b[31mb/c%2F \"d\""), "-", "zo\u00eb  \u202e", strings.Repeat("k", 300)
			r.Since = time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3600))
			r.Configs = append(r.Configs, kcfg.ClientConfig{Key: "db.password", Value: "hunter2", Type: "STRING"}, kcfg.ClientConfig{Key: "acks", Value: "a\x1b[2J", Type: "\x07"})
		}),
	}
}

// fixed replaces what the tests write anew each time.
func fixed(out string, records []kcfg.ClientRecord) string {
	for _, r := range records {
		if !r.At.Equal(since) {
			out = strings.ReplaceAll(out, r.At.UTC().Format(time.RFC3339Nano), "2025-11-29T21:00:00Z")
			out = strings.ReplaceAll(out, r.At.UTC().Format("2006-01-02T15:04:05Z"), "2025-11-29T21:00:00Z")
		}
	}
	return out
}
