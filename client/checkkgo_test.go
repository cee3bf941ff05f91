package client_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/client"
)

// TestCheckConfigsKnowsWhatKgoRefuses asks kgo itself, on both sides of each limit.
func TestCheckConfigsKnowsWhatKgoRefuses(t *testing.T) {
	millis := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	const none = math.MinInt64
	for _, tt := range []struct {
		key             string
		fine, low, high int64 // none for no limit there
		opts            func(n int64) []kgo.Opt
	}{
		{"auto.commit.interval.ms", 100, 99, none, func(n int64) []kgo.Opt { return []kgo.Opt{kgo.AutoCommitInterval(millis(n))} }},
		{"batch.size", 512, 511, none, func(n int64) []kgo.Opt { return []kgo.Opt{kgo.ProducerBatchMaxBytes(int32(n))} }},
		{"connections.max.idle.ms", 900_000, 99, 900_001, func(n int64) []kgo.Opt { return []kgo.Opt{kgo.ConnIdleTimeout(millis(n))} }},
		{"delivery.timeout.ms", 1000, 999, none, func(n int64) []kgo.Opt { return []kgo.Opt{kgo.RecordDeliveryTimeout(millis(n))} }},
		{"fetch.max.bytes", 104857600, none, 104857601, func(n int64) []kgo.Opt { return []kgo.Opt{kgo.FetchMaxBytes(int32(n))} }},
		{"fetch.max.wait.ms", 10, 9, none, func(n int64) []kgo.Opt { return []kgo.Opt{kgo.FetchMaxWait(millis(n))} }},
		{"linger.ms", 60_000, none, 60_001, func(n int64) []kgo.Opt { return []kgo.Opt{kgo.ProducerLinger(millis(n))} }},
		{"max.poll.interval.ms", 100, 99, none, func(n int64) []kgo.Opt { return []kgo.Opt{kgo.RebalanceTimeout(millis(n))} }},
		{"max.request.size", 1 << 30, 1023, 1<<30 + 1, func(n int64) []kgo.Opt {
			return []kgo.Opt{kgo.BrokerMaxWriteBytes(int32(n)), kgo.ProducerBatchMaxBytes(512)}
		}},
		{"metadata.max.age.ms", 3_600_000, 9, 3_600_001, func(n int64) []kgo.Opt {
			return []kgo.Opt{kgo.MetadataMaxAge(millis(n)), kgo.MetadataMinAge(10 * time.Millisecond)}
		}},
		{"session.timeout.ms", 100, 99, none, func(n int64) []kgo.Opt {
			return []kgo.Opt{kgo.SessionTimeout(millis(n)), kgo.HeartbeatInterval(time.Millisecond)}
		}},
	} {
		found := func(n int64) bool {
			for _, f := range client.CheckConfigs(configs{tt.key: strconv.FormatInt(n, 10)}, 0) {
				if f.Rule == client.RuleValue && f.Source == "kgo" {
					return true
				}
			}
			return false
		}
		require.NoError(t, kgo.ValidateOpts(tt.opts(tt.fine)...), tt.key)
		assert.False(t, found(tt.fine), tt.key)
		for _, n := range []int64{tt.low, tt.high} {
			if n != none {
				require.Error(t, kgo.ValidateOpts(tt.opts(n)...), tt.key)
				assert.True(t, found(n), tt.key)
			}
		}
	}
}

func TestCheckConfigsKnowsThePairsThatKgoRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		configs configs
		opts    []kgo.Opt
	}{
		"acks":        {configs{"acks": "1"}, []kgo.Opt{kgo.RequiredAcks(kgo.LeaderAck())}},
		"in flight":   {configs{"max.in.flight.requests.per.connection": "2"}, []kgo.Opt{kgo.MaxProduceRequestsInflightPerBroker(2)}},
		"transaction": {configs{"transactional.id": "t", "enable.idempotence": "false"}, []kgo.Opt{kgo.TransactionalID("t"), kgo.DisableIdempotentWrite()}},
		"no name":     {configs{"transactional.id": ""}, []kgo.Opt{kgo.TransactionalID("")}},
		"heartbeat": {
			configs{"session.timeout.ms": "1000", "heartbeat.interval.ms": "1001"},
			[]kgo.Opt{kgo.SessionTimeout(time.Second), kgo.HeartbeatInterval(1001 * time.Millisecond)},
		},
		"batch": {configs{"batch.size": "2000", "max.request.size": "1999"}, []kgo.Opt{kgo.ProducerBatchMaxBytes(2000), kgo.BrokerMaxWriteBytes(1999)}},
	} {
		require.Error(t, kgo.ValidateOpts(tt.opts...), name)
		assert.NotEmpty(t, client.CheckConfigs(tt.configs, 0), name)
	}
}
