package client_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/pushconfig"
	"github.com/kcfg-go/kcfg/sensitive"
)

// found is what a check found, one word for each.
func found(all []client.ConfigFinding) []string {
	out := []string{}
	for _, f := range all {
		out = append(out, string(f.Level)+" "+string(f.Rule)+" "+f.Key)
	}
	return out
}

type configs = map[string]string

func TestCheckConfigsFindsWhatClientsRefuse(t *testing.T) {
	long := strings.Repeat("x", 250)
	for name, tt := range map[string]struct {
		configs configs
		want    []string
	}{
		"nothing":            {nil, nil},
		"fine":               {configs{"acks": "all", "client.id": "orders", "session.timeout.ms": "45000", "heartbeat.interval.ms": " 3000 "}, nil},
		"no number":          {configs{"linger.ms": "5ms"}, []string{"error value linger.ms"}},
		"an empty number":    {configs{"linger.ms": ""}, []string{"error value linger.ms"}},
		"too large":          {configs{"session.timeout.ms": "2147483648"}, []string{"error value session.timeout.ms"}},
		"negative":           {configs{"fetch.min.bytes": "-1"}, []string{"error value fetch.min.bytes"}},
		"no choice":          {configs{"compression.type": "brotli", "acks": "2"}, []string{"error value acks", "error value compression.type"}},
		"case":               {configs{"group.protocol": "Consumer", "isolation.level": "READ_COMMITTED"}, []string{"error value isolation.level"}},
		"offsets":            {configs{"auto.offset.reset": "by_duration:PT1H"}, nil},
		"no offset":          {configs{"auto.offset.reset": "smallest"}, []string{"error value auto.offset.reset"}},
		"heartbeat":          {configs{"session.timeout.ms": "6000", "heartbeat.interval.ms": "6001"}, []string{"error pair heartbeat.interval.ms"}},
		"heartbeat, equal":   {configs{"session.timeout.ms": "6000", "heartbeat.interval.ms": "6000"}, []string{"error pair heartbeat.interval.ms"}},
		"default heartbeat":  {configs{"session.timeout.ms": "3000"}, []string{"error pair session.timeout.ms"}},
		"default session":    {configs{"heartbeat.interval.ms": "45000"}, []string{"error pair heartbeat.interval.ms"}},
		"zero heartbeat":     {configs{"heartbeat.interval.ms": "0"}, []string{"error value heartbeat.interval.ms"}},
		"asked idempotence":  {configs{"enable.idempotence": "true", "acks": "1"}, []string{"error pair acks"}},
		"given up":           {configs{"acks": "0"}, []string{"warning pair acks"}},
		"none":               {configs{"acks": "0", "enable.idempotence": "false", "max.in.flight.requests.per.connection": "10"}, nil},
		"retries":            {configs{"retries": "0", "enable.idempotence": "true"}, []string{"error pair retries"}},
		"in flight":          {configs{"max.in.flight.requests.per.connection": "6"}, []string{"error pair max.in.flight.requests.per.connection"}},
		"one in flight":      {configs{"max.in.flight.requests.per.connection": "1"}, []string{"warning pair max.in.flight.requests.per.connection"}},
		"transaction":        {configs{"transactional.id": "t", "enable.idempotence": "false"}, []string{"error pair transactional.id"}},
		"transaction, acks":  {configs{"transactional.id": "t", "acks": "1"}, []string{"warning pair acks", "error pair transactional.id"}},
		"transaction, tries": {configs{"transactional.id": "t", "retries": "0"}, []string{"error pair transactional.id"}},
		"no transaction":     {configs{"transactional.id": ""}, []string{"error value transactional.id"}},
		"two phases": {
			configs{"transaction.two.phase.commit.enable": "true", "transactional.id": "t", "transaction.timeout.ms": "1"},
			[]string{"error pair transaction.timeout.ms", "warning not-in-kgo transaction.two.phase.commit.enable"},
		},
		"delivery":                   {configs{"delivery.timeout.ms": "20000", "request.timeout.ms": "15000", "linger.ms": "5001"}, []string{"error pair delivery.timeout.ms"}},
		"just delivered":             {configs{"delivery.timeout.ms": "20000", "request.timeout.ms": "15000", "linger.ms": "5000"}, nil},
		"default request and linger": {configs{"delivery.timeout.ms": "30004"}, []string{"error pair delivery.timeout.ms"}},
		"just delivered by default":  {configs{"delivery.timeout.ms": "30005"}, nil},
		"as long as there is":        {configs{"delivery.timeout.ms": "2147483647", "linger.ms": "9223372036854775807"}, []string{"warning value linger.ms"}},
		"next protocol":              {configs{"group.protocol": "consumer", "session.timeout.ms": "3000"}, []string{"error pair session.timeout.ms"}},
		"assignor":                   {configs{"group.remote.assignor": "uniform"}, []string{"error pair group.remote.assignor"}},
		"commits":                    {configs{"enable.auto.commit": "true"}, []string{"error pair enable.auto.commit"}},
		"fetch":                      {configs{"fetch.max.bytes": "1000", "max.partition.fetch.bytes": "1001", "fetch.min.bytes": "1001"}, []string{"warning pair fetch.min.bytes", "warning pair max.partition.fetch.bytes"}},
		"more than kgo":              {configs{"fetch.max.bytes": "104857601"}, []string{"warning value fetch.max.bytes"}},
		"kgo's limits":               {configs{"linger.ms": "60001", "metadata.max.age.ms": "1", "delivery.timeout.ms": "0", "request.timeout.ms": "0"}, []string{"warning value linger.ms", "warning value metadata.max.age.ms"}}, // and the pair, see below
		"batches":                    {configs{"batch.size": "2000", "max.request.size": "1999"}, []string{"warning pair batch.size"}},
		"names":                      {configs{"client.id": long, "group.id": long}, []string{"error identifier client.id", "error identifier group.id"}},
		"secrets":                    {configs{"sasl.jaas.config": "x", "key.serializer": "x", "db.password": "x", "ssl.x": "x"}, []string{"warning sensitive db.password", "warning sensitive key.serializer", "warning sensitive sasl.jaas.config", "warning sensitive ssl.x"}},
		"a secret value":             {configs{"client.id": "https://me:pw@x"}, []string{"warning sensitive client.id"}},
		"unknown":                    {configs{"session.timout.ms": "1", "my.own": "x", "": "x"}, []string{"warning sensitive ", "warning unknown my.own", "warning unknown session.timout.ms"}},
		"no option":                  {configs{"max.block.ms": "1"}, []string{"warning not-in-kgo max.block.ms"}},
		"filled in":                  {configs{"config.providers": "env", "linger.ms": "${env:LINGER}"}, []string{"warning not-in-kgo config.providers"}},
		"pairs that are filled in": {
			configs{
				"config.providers": "env", "delivery.timeout.ms": "9000", "request.timeout.ms": "${env:REQUEST}",
				"heartbeat.interval.ms": "50000", "session.timeout.ms": "${env:SESSION}", "group.remote.assignor": "uniform", "group.protocol": "${env:PROTOCOL}",
				"acks": "1", "max.in.flight.requests.per.connection": "6", "retries": "0", "enable.idempotence": "${env:IDEMPOTENCE}",
			},
			[]string{"warning not-in-kgo config.providers"},
		},
		"not filled in":                      {configs{"linger.ms": "${env:LINGER}"}, []string{"error value linger.ms"}},
		"a value that is none makes no pair": {configs{"session.timeout.ms": "x", "heartbeat.interval.ms": "9"}, []string{"error value session.timeout.ms"}},
	} {
		want := slices.Clone(tt.want)
		if name == "kgo's limits" {
			want = append([]string{"error pair delivery.timeout.ms"}, want...)
		}
		if want == nil {
			want = []string{}
		}
		assert.Equal(t, want, found(client.CheckConfigs(tt.configs, 0)), name)
	}
}

func TestCheckConfigsFindsKeysOfOtherKinds(t *testing.T) {
	c := configs{"acks": "1", "session.timeout.ms": "1000"}
	assert.Equal(t, []string{"warning kind acks", "error pair session.timeout.ms"}, found(client.CheckConfigs(c, kcfg.KindConsumer)))
	assert.Equal(t, []string{"warning pair acks", "warning kind session.timeout.ms"}, found(client.CheckConfigs(c, kcfg.KindProducer)))
	assert.Equal(t, []string{"warning pair acks", "error pair session.timeout.ms"}, found(client.CheckConfigs(c, kcfg.KindProducer|kcfg.KindConsumer)))
}

func TestCheckConfigsSuggestsTheKeyThatWasMeant(t *testing.T) {
	got := client.CheckConfigs(configs{"session_timeout_ms": "1"}, 0)
	require.Len(t, got, 1)
	assert.Equal(t, "session.timeout.ms", got[0].Suggestion)
	assert.Contains(t, got[0].Reason, "session.timeout.ms")
}

func TestFindingsHoldNoValue(t *testing.T) {
	const secret = "hunter2"
	rapid.Check(t, func(t *rapid.T) {
		c := configs{}
		for range rapid.IntRange(0, 9).Draw(t, "n") {
			key := rapid.OneOf(rapid.SampledFrom(append(slices.Sorted(maps.Keys(sample)), "db.password")), rapid.String()).Draw(t, "key")
			c[key] = rapid.SampledFrom([]string{secret, "1", "true", "${x}", "-1", ""}).Draw(t, "value")
		}
		got := client.CheckConfigs(c, kcfg.Kind(rapid.IntRange(0, 15).Draw(t, "kind")))
		b, err := json.Marshal(got)
		require.NoError(t, err)
		require.NotContains(t, string(b), secret)
		for _, f := range got {
			require.NotEmpty(t, f.Reason)
			require.NotEmpty(t, f.Source)
			require.Contains(t, c, f.Key)
		}
	})
}

var sample = configs{"acks": "", "linger.ms": "", "session.timeout.ms": "", "client.id": "", "enable.idempotence": "", "transactional.id": "", "auto.offset.reset": ""}

// TestWhatKgoRunsWithIsNoError takes the configurations of real clients.
func TestWhatKgoRunsWithIsNoError(t *testing.T) {
	for name, tt := range map[string]struct {
		kind kcfg.Kind
		opts []kgo.Opt
		want []string
	}{
		"producer":        {kcfg.KindProducer, nil, []string{}},
		"one ack":         {kcfg.KindProducer, []kgo.Opt{kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.LeaderAck())}, []string{}},
		"no tries":        {kcfg.KindProducer, []kgo.Opt{kgo.RecordRetries(0)}, []string{"warning pair retries"}},
		"transactional":   {kcfg.KindProducer, []kgo.Opt{kgo.TransactionalID("t")}, []string{}},
		"consumer":        {kcfg.KindConsumer, []kgo.Opt{kgo.ConsumerGroup("g")}, []string{}},
		"next protocol":   {kcfg.KindConsumer, []kgo.Opt{kgo.ConsumerGroup("g"), kgo.ServerSideBalancer()}, []string{}},
		"equal":           {kcfg.KindConsumer, []kgo.Opt{kgo.ConsumerGroup("g"), kgo.HeartbeatInterval(45e9)}, []string{"warning pair heartbeat.interval.ms"}},
		"without a group": {kcfg.KindConsumer, nil, []string{}},
		"share":           {kcfg.KindShare, []kgo.Opt{kgo.ShareGroup("g")}, []string{}},
		"admin":           {kcfg.KindAdmin, nil, []string{}},
		"everything":      {kcfg.KindProducer | kcfg.KindConsumer | kcfg.KindAdmin, []kgo.Opt{kgo.ConsumerGroup("g")}, []string{}},
	} {
		cl, err := kgo.NewClient(tt.opts...)
		require.NoError(t, err, name)
		r := kcfg.ClientRecord{Kinds: tt.kind}
		for _, e := range pushconfig.Collect(cl, tt.kind) {
			r.Configs = append(r.Configs, kcfg.ClientConfig{Key: e.Key, Value: e.Value, Type: e.Type.String(), Default: e.IsDefault})
		}
		cl.Close()
		r.Configs = append(r.Configs, kcfg.ClientConfig{Key: "my.own", Value: "x", Type: sensitive.String.String()})
		assert.Equal(t, tt.want, found(client.CheckClient(r)), name)
	}
}

func TestCheckClientTakesTheFirstOfTwo(t *testing.T) {
	r := kcfg.ClientRecord{Kinds: kcfg.KindConsumer, Configs: []kcfg.ClientConfig{
		{Key: "session.timeout.ms", Value: "45000"}, {Key: "session.timeout.ms", Value: "x"}, {Key: "sasl.password", Value: "x", Type: "STRING"},
	}}
	assert.Equal(t, []string{"warning sensitive sasl.password"}, found(client.CheckClient(r)))
}
