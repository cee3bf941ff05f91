package configdef

import (
	"math"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func producerCases() []readCase {
	notIdempotent := kgo.DisableIdempotentWrite()
	return []readCase{{
		name: "a producer that was given nothing",
		kind: producer,
		want: map[string]string{
			"acks":                                  "all" + isDefault,
			"batch.size":                            "1000012" + isDefault,
			"buffer.memory":                         "9223372036854775807" + isDefault,
			"client.rack":                           absent,
			"delivery.timeout.ms":                   "2147483647" + isDefault,
			"enable.idempotence":                    "true" + isDefault,
			"linger.ms":                             "10" + isDefault,
			"max.in.flight.requests.per.connection": "5" + isDefault,
			"max.request.size":                      "104857600" + isDefault,
			"partitioner.rack.aware":                "false" + isDefault,
			"request.timeout.ms":                    "20000" + isDefault,
			"retries":                               "2147483647" + isDefault,
			"transaction.timeout.ms":                "40000" + isDefault,
			"transactional.id":                      absent,
			"default.api.timeout.ms":                absent,
		},
	}, {
		name: "what a producer can be given",
		kind: producer,
		opts: []kgo.Opt{
			kgo.ProducerBatchMaxBytes(65536), kgo.MaxBufferedBytes(1 << 20), kgo.Rack("a"), kgo.RackAwarePartitioning(),
			kgo.RecordDeliveryTimeout(2 * time.Minute), kgo.ProducerLinger(5 * time.Millisecond),
			kgo.BrokerMaxWriteBytes(1 << 20), kgo.ProduceRequestTimeout(15 * time.Second), kgo.RecordRetries(3),
			kgo.TransactionTimeout(time.Minute),
		},
		want: map[string]string{
			"batch.size":             "65536",
			"buffer.memory":          "1048576",
			"client.rack":            "a",
			"delivery.timeout.ms":    "120000",
			"linger.ms":              "5",
			"max.request.size":       "1048576",
			"partitioner.rack.aware": "true",
			"request.timeout.ms":     "25000",
			"retries":                "3",
			"transaction.timeout.ms": "60000",
		},
	}, {
		name: "acks all without idempotence",
		kind: producer,
		opts: []kgo.Opt{notIdempotent},
		want: map[string]string{
			"acks": "all" + isDefault, "enable.idempotence": "false",
			"max.in.flight.requests.per.connection": "1" + isDefault,
		},
	}, {
		name: "acks of the leader",
		kind: producer,
		opts: []kgo.Opt{notIdempotent, kgo.RequiredAcks(kgo.LeaderAck()), kgo.MaxProduceRequestsInflightPerBroker(4)},
		want: map[string]string{"acks": "1", "max.in.flight.requests.per.connection": "4"},
	}, {
		name: "no acks",
		kind: producer,
		opts: []kgo.Opt{notIdempotent, kgo.RequiredAcks(kgo.NoAck())},
		want: map[string]string{"acks": "0"},
	}, {
		name: "acks all set by hand",
		kind: producer,
		opts: []kgo.Opt{kgo.RequiredAcks(kgo.AllISRAcks())},
		want: map[string]string{"acks": "all" + isDefault},
	}, {
		name: "no linger",
		kind: producer,
		opts: []kgo.Opt{kgo.ProducerLinger(0)},
		want: map[string]string{"linger.ms": "0"},
	}, {
		name: "a linger below a millisecond",
		kind: producer,
		opts: []kgo.Opt{kgo.ProducerLinger(500 * time.Microsecond)},
		want: map[string]string{"linger.ms": "0"},
	}, {
		name: "a linger that reads like the default",
		kind: producer,
		opts: []kgo.Opt{kgo.ProducerLinger(10*time.Millisecond + 900*time.Microsecond)},
		want: map[string]string{"linger.ms": "10"},
	}, {
		name: "a negative linger is none",
		kind: producer,
		opts: []kgo.Opt{kgo.ProducerLinger(-time.Second)},
		want: map[string]string{"linger.ms": "0"},
	}, {
		name: "a linger under manual flushing",
		kind: producer,
		opts: []kgo.Opt{kgo.ProducerLinger(time.Second), kgo.ManualFlushing()},
		want: map[string]string{"linger.ms": "1000"},
	}, {
		name: "unlimited set by hand is a default",
		kind: producer,
		opts: []kgo.Opt{kgo.RecordDeliveryTimeout(0), kgo.MaxBufferedBytes(0), kgo.RecordRetries(math.MaxInt64)},
		want: map[string]string{
			"delivery.timeout.ms": "2147483647" + isDefault,
			"buffer.memory":       "9223372036854775807" + isDefault,
			"retries":             "2147483647" + isDefault,
		},
	}, {
		name: "more retries than an INT holds are a change",
		kind: producer,
		opts: []kgo.Opt{kgo.RecordRetries(math.MaxInt32)},
		want: map[string]string{"retries": "2147483647"},
	}, {
		name: "negative record retries are none",
		kind: producer,
		opts: []kgo.Opt{kgo.RecordRetries(-1)},
		want: map[string]string{"retries": "0"},
	}, {
		name: "a delivery timeout longer than an INT of milliseconds",
		kind: producer,
		opts: []kgo.Opt{kgo.RecordDeliveryTimeout(1000 * time.Hour)},
		want: map[string]string{"delivery.timeout.ms": "2147483647"},
	}, {
		name: "two changes that make the default sum",
		kind: producer,
		opts: []kgo.Opt{kgo.ProduceRequestTimeout(5 * time.Second), kgo.RequestTimeoutOverhead(15 * time.Second)},
		want: map[string]string{"request.timeout.ms": "20000"},
	}, {
		name: "a transactional producer",
		kind: producer,
		opts: []kgo.Opt{kgo.TransactionalID("tx")},
		want: map[string]string{
			"transactional.id": "tx", "acks": "all" + isDefault, "enable.idempotence": "true" + isDefault,
			"transaction.timeout.ms": "40000" + isDefault,
		},
	}, {
		name: "a negative transaction timeout goes to the broker as it is",
		kind: producer,
		opts: []kgo.Opt{kgo.TransactionTimeout(-time.Second)},
		want: map[string]string{"transaction.timeout.ms": "-1000"},
	}, {
		name: "rack awareness without a rack does nothing",
		kind: producer,
		opts: []kgo.Opt{kgo.RackAwarePartitioning()},
		want: map[string]string{"partitioner.rack.aware": "false" + isDefault},
	}, {
		name: "a rack alone does not make the partitioner aware of it",
		kind: producer,
		opts: []kgo.Opt{kgo.Rack("a")},
		want: map[string]string{"partitioner.rack.aware": "false" + isDefault, "client.rack": "a"},
	}, {
		name: "batch sizes by topic are a change, whatever is said of no topic",
		kind: producer,
		opts: []kgo.Opt{kgo.ProducerBatchMaxBytesFn(func(topic string) int32 { return 1000012 - int32(len(topic)) })},
		want: map[string]string{"batch.size": "1000012"},
	}}
}
