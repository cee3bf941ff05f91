package configdef

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func consumerCases() []readCase {
	group := kgo.ConsumerGroup("g")
	return []readCase{{
		name: "a group consumer that was given nothing else",
		kind: consumer,
		opts: []kgo.Opt{group, kgo.ConsumeTopics("t")},
		want: map[string]string{
			"allow.auto.create.topics":  "false" + isDefault,
			"auto.commit.interval.ms":   "5000" + isDefault,
			"check.crcs":                "true" + isDefault,
			"enable.auto.commit":        "true" + isDefault,
			"fetch.max.bytes":           "52428800" + isDefault,
			"fetch.max.wait.ms":         "5000" + isDefault,
			"fetch.min.bytes":           "1" + isDefault,
			"group.id":                  "g",
			"group.instance.id":         absent,
			"heartbeat.interval.ms":     "3000" + isDefault,
			"isolation.level":           "read_uncommitted" + isDefault,
			"max.partition.fetch.bytes": "1048576" + isDefault,
			"max.poll.interval.ms":      "60000" + isDefault,
			"max.poll.records":          absent,
			"session.timeout.ms":        "45000" + isDefault,
			"share.acquire.mode":        absent,
			"request.timeout.ms":        "10000" + isDefault,
		},
	}, {
		name: "what a group consumer can be given",
		kind: consumer,
		opts: []kgo.Opt{
			group, kgo.AllowAutoTopicCreation(), kgo.AutoCommitInterval(time.Second), kgo.DisableFetchCRCValidation(),
			kgo.FetchMaxBytes(1 << 21), kgo.FetchMaxWait(time.Second), kgo.FetchMinBytes(-1), kgo.InstanceID("i"),
			kgo.HeartbeatInterval(time.Second), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxPartitionBytes(1 << 19),
			kgo.RebalanceTimeout(time.Minute + time.Second), kgo.SessionTimeout(10 * time.Second), kgo.Rack("r"),
		},
		want: map[string]string{
			"allow.auto.create.topics":  "true",
			"auto.commit.interval.ms":   "1000",
			"check.crcs":                "false",
			"client.rack":               "r",
			"fetch.max.bytes":           "2097152",
			"fetch.max.wait.ms":         "1000",
			"fetch.min.bytes":           "-1",
			"group.instance.id":         "i",
			"heartbeat.interval.ms":     "1000",
			"isolation.level":           "read_committed",
			"max.partition.fetch.bytes": "524288",
			"max.poll.interval.ms":      "61000",
			"session.timeout.ms":        "10000",
		},
	}, {
		name: "topics without a group",
		kind: consumer,
		opts: []kgo.Opt{kgo.ConsumeTopics("t")},
		want: map[string]string{
			"group.id": absent, "enable.auto.commit": "false" + isDefault, "session.timeout.ms": "45000" + isDefault,
			"fetch.max.wait.ms": "5000" + isDefault, "group.protocol": "classic" + isDefault,
		},
	}, {
		name: "partitions",
		kind: consumer,
		opts: []kgo.Opt{kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset().At(7)}})},
		want: map[string]string{
			"group.id": absent, "enable.auto.commit": "false" + isDefault,
			"auto.offset.reset": "earliest" + isDefault, // offsets of partitions are not the key
		},
	}, {
		name: "a group that commits by itself",
		kind: consumer,
		opts: []kgo.Opt{group, kgo.DisableAutoCommit()},
		want: map[string]string{"enable.auto.commit": "false"},
	}, {
		name: "greedy commits are automatic ones",
		kind: consumer,
		opts: []kgo.Opt{group, kgo.GreedyAutoCommit()},
		want: map[string]string{"enable.auto.commit": "true" + isDefault},
	}, {
		name: "marked commits are automatic ones",
		kind: consumer,
		opts: []kgo.Opt{group, kgo.AutoCommitMarks()},
		want: map[string]string{"enable.auto.commit": "true" + isDefault},
	}, {
		name: "a transactional client with a group",
		kind: producer | consumer,
		opts: []kgo.Opt{group, kgo.TransactionalID("tx")},
		want: map[string]string{
			"enable.auto.commit": "false" + isDefault, "group.id": "g", "transactional.id": "tx",
			"request.timeout.ms": "20000" + isDefault, "retries": "2147483647" + isDefault,
		},
	}, {
		name: "a fetch limit lowers that of a partition",
		kind: consumer,
		opts: []kgo.Opt{kgo.FetchMaxBytes(1000)},
		want: map[string]string{"fetch.max.bytes": "1000", "max.partition.fetch.bytes": "1000" + isDefault},
	}, {
		name: "a partition's limit above the fetch limit",
		kind: consumer,
		opts: []kgo.Opt{kgo.FetchMaxBytes(2 << 20), kgo.FetchMaxPartitionBytes(4 << 20)},
		want: map[string]string{"fetch.max.bytes": "2097152", "max.partition.fetch.bytes": "2097152"},
	}, {
		name: "a lower limit of a partition",
		kind: consumer,
		opts: []kgo.Opt{kgo.FetchMaxBytes(2000), kgo.FetchMaxPartitionBytes(1000)},
		want: map[string]string{"fetch.max.bytes": "2000", "max.partition.fetch.bytes": "1000"},
	}}
}

func shareCases() []readCase {
	group := kgo.ShareGroup("s")
	return []readCase{{
		name: "a share consumer that was given nothing else",
		kind: share,
		opts: []kgo.Opt{group},
		want: map[string]string{
			"client.id":                 "kgo" + isDefault,
			"fetch.max.wait.ms":         "500" + isDefault,
			"fetch.min.bytes":           "1" + isDefault,
			"group.id":                  "s",
			"max.poll.records":          "500" + isDefault,
			"share.acquire.mode":        "batch_optimized" + isDefault,
			"allow.auto.create.topics":  "false" + isDefault,
			"bootstrap.servers":         "127.0.0.1:9092" + isDefault,
			"fetch.max.bytes":           "52428800" + isDefault,
			"max.partition.fetch.bytes": "1048576" + isDefault,
			"metadata.max.age.ms":       "300000" + isDefault,
			"request.timeout.ms":        "10000" + isDefault,
			"client.rack":               absent,
			"session.timeout.ms":        absent,
			"enable.auto.commit":        absent,
			"auto.offset.reset":         absent,
			"isolation.level":           absent,
			"group.instance.id":         absent,
			"max.poll.interval.ms":      absent,
		},
	}, {
		name: "what a share consumer can be given",
		kind: share,
		opts: []kgo.Opt{
			group, kgo.ShareMaxRecords(10), kgo.ShareMaxRecordsStrict(), kgo.FetchMaxWait(5 * time.Second),
			kgo.FetchMinBytes(2), kgo.ClientID("c"), kgo.InstanceID("ignored"), kgo.Rack("r"),
		},
		want: map[string]string{
			"client.id":          "c",
			"client.rack":        "r",
			"fetch.max.wait.ms":  "5000",
			"fetch.min.bytes":    "2",
			"max.poll.records":   "10",
			"share.acquire.mode": "record_limit",
			"group.instance.id":  absent,
		},
	}, {
		name: "500 records set by hand",
		kind: share,
		opts: []kgo.Opt{group, kgo.ShareMaxRecords(500)},
		want: map[string]string{"max.poll.records": "500" + isDefault},
	}, {
		name: "a share consumer that also produces",
		kind: share | producer,
		opts: []kgo.Opt{group, kgo.Rack("r")},
		want: map[string]string{
			"acks": "all" + isDefault, "group.id": "s", "client.rack": "r", "request.timeout.ms": "20000" + isDefault,
		},
	}}
}
