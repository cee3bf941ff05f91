package client

import (
	"math"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
)

// The values that Kafka's clients have if they are not set, where a pair needs one.
const (
	defaultSession   = 45_000 // kgo's too
	defaultHeartbeat = 3000   // kgo's too
	defaultRequest   = 30_000
	defaultLinger    = 5 // since Kafka 4
)

// pairs judges configurations together. A value that is none was found before, and is
// taken for one that was not given.
func (c *configCheck) pairs() {
	if c.may(kcfg.KindProducer) {
		c.idempotence()
		c.transactions()
		c.deliveryTimeout()
		c.batchSize()
	}
	if c.may(kcfg.KindConsumer) {
		c.groupProtocol()
		c.autoCommit()
	}
	if c.may(kcfg.KindConsumer | kcfg.KindShare) {
		c.fetchSizes()
	}
}

// may reports whether the client can be of one of the kinds.
func (c *configCheck) may(kind kcfg.Kind) bool { return c.kind == 0 || c.kind.Overlaps(kind) }

// pair adds a finding, unless what one of the keys will be is not known here.
func (c *configCheck) pair(key string, who refuser, source, reason string, with ...string) {
	if c.filledIn(key) || slices.ContainsFunc(with, c.filledIn) {
		return
	}
	c.add(ConfigFinding{Key: key, With: with, Level: c.levelOf(who), Rule: RulePair, Source: source, Reason: reason})
}

// parsed returns a value, and false if it was not given or is none.
func parsed[T any](c *configCheck, key string) (v T, ok bool) {
	text, ok := c.configs[key]
	if !ok {
		return v, false
	}
	got, err := configdef.Parse(configdef.TypeOf(key), text)
	if err != nil {
		return v, false
	}
	v, ok = got.(T)
	return v, ok
}

func (c *configCheck) has(key string) bool {
	_, ok := c.configs[key]
	return ok
}

const (
	fromProducer = "Kafka's producer"
	fromConsumer = "Kafka's consumer"
	fromBoth     = "Kafka's producer and kgo"
)

// idempotence follows ProducerConfig.postProcessAndValidateIdempotenceConfigs of Kafka
// 4, and kgo's cfg.validate. Idempotence is on by default in both, and Kafka's
// producer switches it off by itself where it was not asked for.
func (c *configCheck) idempotence() {
	const key = "enable.idempotence"
	on, asked := parsed[bool](c, key)
	if asked && !on {
		return
	}
	acks, hasAcks := parsed[string](c, "acks")
	if hasAcks && (acks == "0" || acks == "1") {
		if asked {
			c.pair("acks", byAll, fromBoth, "an idempotent producer needs acks=all", key)
		} else {
			c.pair("acks", byKgo, "kgo",
				"without acks=all Kafka's producer gives up idempotence by itself; kgo refuses it unless enable.idempotence=false (kgo.DisableIdempotentWrite)", key)
		}
	}
	if n, ok := parsed[int32](c, "retries"); ok && n == 0 && asked {
		c.pair("retries", byKafka, fromProducer, "an idempotent producer needs retries above zero", key)
	}
	switch n, ok := parsed[int32](c, "max.in.flight.requests.per.connection"); {
	case ok && n > 5:
		c.pair("max.in.flight.requests.per.connection", byKafka, fromProducer, "an idempotent producer has 5 at most", key)
	case ok && n > 0 && n != 5 && !c.running:
		c.pair("max.in.flight.requests.per.connection", byKgo, "kgo", "an idempotent kgo producer always has 5, and kgo refuses another number", key)
	}
}

func (c *configCheck) transactions() {
	const key = "transactional.id"
	if !c.has(key) {
		return
	}
	on, asked := parsed[bool](c, "enable.idempotence")
	acks, hasAcks := parsed[string](c, "acks")
	retries, hasRetries := parsed[int32](c, "retries")
	switch {
	case asked && !on:
		c.pair(key, byAll, fromBoth, "transactions need idempotence", "enable.idempotence")
	case hasAcks && (acks == "0" || acks == "1"):
		c.pair(key, byAll, fromBoth, "transactions need idempotence, and so acks=all", "acks")
	case hasRetries && retries == 0:
		c.pair(key, byKafka, fromProducer, "transactions need idempotence, and so retries above zero", "retries")
	}
	if two, ok := parsed[bool](c, "transaction.two.phase.commit.enable"); ok && two && c.has("transaction.timeout.ms") {
		c.pair("transaction.timeout.ms", byKafka, fromProducer, "transactions with two-phase commit have no timeout", "transaction.two.phase.commit.enable")
	}
}

// deliveryTimeout follows KafkaProducer.configureDeliveryTimeout. kgo counts a
// record's time in another way.
func (c *configCheck) deliveryTimeout() {
	delivery, ok := parsed[int32](c, "delivery.timeout.ms")
	if !ok {
		return
	}
	linger, ok := parsed[int64](c, "linger.ms")
	if !ok {
		linger = defaultLinger
	}
	request, ok := parsed[int32](c, "request.timeout.ms")
	if !ok {
		request = defaultRequest
	}
	if least := min(linger, math.MaxInt32) + int64(request); int64(delivery) < min(least, math.MaxInt32) {
		c.pair("delivery.timeout.ms", byKafka, fromProducer, "it must not be below linger.ms and request.timeout.ms together (their defaults are 5 and 30000)", "linger.ms", "request.timeout.ms")
	}
}

// batchSize follows kgo's cfg.validate.
func (c *configCheck) batchSize() {
	batch, hasBatch := parsed[int32](c, "batch.size")
	if request, ok := parsed[int32](c, "max.request.size"); ok && hasBatch && batch > request {
		c.pair("batch.size", byKgo, "kgo", "kgo refuses batches that are larger than max.request.size", "max.request.size")
	}
}

// groupProtocol follows ConsumerConfig, Heartbeat of Kafka's consumer, KIP-649 and
// kgo's cfg.validate, which takes two that are the same.
func (c *configCheck) groupProtocol() {
	protocol, _ := parsed[string](c, "group.protocol")
	if strings.EqualFold(protocol, "consumer") {
		for _, key := range []string{"heartbeat.interval.ms", "partition.assignment.strategy", "session.timeout.ms"} {
			if c.has(key) {
				c.pair(key, byKafka, fromConsumer, "with group.protocol=consumer the broker decides it", "group.protocol")
			}
		}
		return
	}
	if assignor, ok := parsed[string](c, "group.remote.assignor"); ok && assignor != "" {
		c.pair("group.remote.assignor", byKafka, fromConsumer, "it needs group.protocol=consumer", "group.protocol")
	}
	session, hasSession := parsed[int32](c, "session.timeout.ms")
	heartbeat, hasHeartbeat := parsed[int32](c, "heartbeat.interval.ms")
	if !hasSession && !hasHeartbeat {
		return
	}
	if !hasSession {
		session = defaultSession
	}
	if !hasHeartbeat {
		heartbeat = defaultHeartbeat
	}
	who := byAll
	if heartbeat == session {
		who = byKafka
	}
	if heartbeat >= session && session > 0 && heartbeat > 0 {
		key, other := "heartbeat.interval.ms", "session.timeout.ms"
		if !hasHeartbeat {
			key, other = other, key
		}
		c.pair(key, who, "Kafka's consumer and KIP-649", "heartbeat.interval.ms must be below session.timeout.ms (their defaults are 3000 and 45000)", other)
	}
}

// autoCommit follows ConsumerConfig.maybeOverrideEnableAutoCommit.
func (c *configCheck) autoCommit() {
	if on, ok := parsed[bool](c, "enable.auto.commit"); ok && on && !c.has("group.id") {
		c.pair("enable.auto.commit", byKafka, fromConsumer, "it needs a group.id", "group.id")
	}
}

// kgoReads is what kgo reads of one response unless it is told otherwise.
const kgoReads = 100 << 20

func (c *configCheck) fetchSizes() {
	most, ok := parsed[int32](c, "fetch.max.bytes")
	if !ok {
		return
	}
	if one, ok := parsed[int32](c, "max.partition.fetch.bytes"); ok && one > most {
		c.pair("max.partition.fetch.bytes", byKgo, "kgo", "kgo lowers it to fetch.max.bytes", "fetch.max.bytes")
	}
	if most > kgoReads && !c.running {
		c.badValue("fetch.max.bytes", byKgo, "kgo", "kgo refuses more than it reads of one response: raise kgo.BrokerMaxReadBytes, which is 104857600, as well")
	}
	if size, ok := parsed[int32](c, "fetch.min.bytes"); ok && size > most {
		c.pair("fetch.min.bytes", byKgo, "Kafka's brokers", "brokers lower it to fetch.max.bytes", "fetch.max.bytes")
	}
}
