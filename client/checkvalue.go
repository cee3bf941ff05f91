package client

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/sensitive"
)

// choices are the keys with a few values. They are compared exactly.
var choices = map[string][]string{
	"acks":                       {"all", "-1", "0", "1"},
	"client.dns.lookup":          {"use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"},
	"compression.type":           {"none", "gzip", "snappy", "lz4", "zstd"},
	"isolation.level":            {"read_uncommitted", "read_committed"},
	"metrics.recording.level":    {"INFO", "DEBUG", "TRACE"},
	"share.acknowledgement.mode": {"implicit", "explicit"},
	"share.acquire.mode":         {"batch_optimized", "record_limit"},
}

// foldedChoices are those that are compared whatever the case.
var foldedChoices = map[string][]string{
	"group.protocol":             {"classic", "consumer"},
	"metadata.recovery.strategy": {"none", "rebootstrap"},
}

// kafkaLeast is what Kafka's clients take at least: ProducerConfig, ConsumerConfig and
// AdminClientConfig of Kafka 4.
var kafkaLeast = map[string]int64{
	"auto.commit.interval.ms":                  0,
	"batch.size":                               0,
	"buffer.memory":                            0,
	"default.api.timeout.ms":                   0,
	"delivery.timeout.ms":                      0,
	"fetch.max.bytes":                          0,
	"fetch.max.wait.ms":                        0,
	"fetch.min.bytes":                          0,
	"linger.ms":                                0,
	"max.block.ms":                             0,
	"max.in.flight.requests.per.connection":    1,
	"max.partition.fetch.bytes":                0,
	"max.poll.interval.ms":                     1,
	"max.poll.records":                         1,
	"max.request.size":                         0,
	"metadata.max.age.ms":                      0,
	"metadata.max.idle.ms":                     5000,
	"metadata.recovery.rebootstrap.trigger.ms": 0,
	"metrics.num.samples":                      1,
	"metrics.sample.window.ms":                 0,
	"partitioner.availability.timeout.ms":      0,
	"receive.buffer.bytes":                     -1,
	"reconnect.backoff.max.ms":                 0,
	"reconnect.backoff.ms":                     0,
	"request.timeout.ms":                       0,
	"retries":                                  0,
	"retry.backoff.max.ms":                     0,
	"retry.backoff.ms":                         0,
	"send.buffer.bytes":                        -1,
}

// within is what kgo takes: its cfg.validate. Zero has a meaning of its own for some
// keys, which noLimit says.
type within struct {
	least, most int64
	noLimit     bool
}

var kgoLimits = map[string]within{
	"auto.commit.interval.ms": {least: 100, most: math.MaxInt64},
	"batch.size":              {least: 512, most: 1 << 30},
	"connections.max.idle.ms": {least: 100, most: 15 * 60_000},
	"delivery.timeout.ms":     {least: 1000, most: math.MaxInt64, noLimit: true},
	"fetch.max.wait.ms":       {least: 10, most: math.MaxInt64},
	"linger.ms":               {least: math.MinInt64, most: 60_000},
	"max.poll.interval.ms":    {least: 100, most: math.MaxInt64},
	"max.request.size":        {least: 1 << 10, most: 1 << 30},
	"metadata.max.age.ms":     {least: 10, most: 60 * 60_000},
	"session.timeout.ms":      {least: 100, most: math.MaxInt64},
}

// filledIn reports whether a config provider fills a value in: what it will be is not
// known here.
func (c *configCheck) filledIn(key string) bool {
	return c.has("config.providers") && strings.Contains(c.configs[key], "${")
}

// value judges the text of a value, and reports whether it is one.
func (c *configCheck) value(key string, t sensitive.Type, value string) bool {
	if c.filledIn(key) {
		return false
	}
	parsed, err := configdef.Parse(t, value)
	if err != nil {
		c.badValue(key, byAll, "Kafka's clients", strings.TrimPrefix(err.Error(), "configdef: "))
		return false
	}
	switch v := parsed.(type) {
	case string:
		return c.choice(key, v)
	case int32:
		return c.number(key, int64(v))
	case int64:
		return c.number(key, v)
	}
	return true
}

func (c *configCheck) badValue(key string, who refuser, source, reason string) {
	c.add(ConfigFinding{Key: key, Level: c.levelOf(who), Rule: RuleValue, Source: source, Reason: reason})
}

func (c *configCheck) choice(key, value string) bool {
	listed, ok := choices[key]
	folded := false
	if !ok {
		listed, folded = foldedChoices[key]
	}
	fine := len(listed) == 0 || slices.ContainsFunc(listed, func(s string) bool {
		return s == value || folded && strings.EqualFold(s, value)
	})
	switch {
	case key == "auto.offset.reset":
		listed = []string{"latest", "earliest", "none", "by_duration:<ISO 8601>"}
		fine = slices.Contains(listed[:3], value) || strings.HasPrefix(value, "by_duration:P")
	case value == "" && (key == "transactional.id" || key == "group.instance.id"):
		c.badValue(key, byAll, "Kafka's clients and kgo", "it must not be empty")
		return false
	}
	if !fine {
		c.badValue(key, byAll, "Kafka's clients", "it is none of "+strings.Join(listed, ", "))
	}
	return fine
}

func (c *configCheck) number(key string, n int64) bool {
	if least, ok := kafkaLeast[key]; ok && n < least {
		c.badValue(key, byAll, "Kafka's clients", fmt.Sprintf("it must be at least %d", least))
		return false
	}
	// What operators may set for the key, above zero, is what makes sense at all.
	if key == "session.timeout.ms" || key == "heartbeat.interval.ms" {
		if n <= 0 {
			c.badValue(key, byAll, "KIP-649", "it must be above zero")
			return false
		}
	}
	limit, ok := kgoLimits[key]
	switch {
	case !ok || c.running || limit.noLimit && n == 0:
	case n < limit.least:
		c.badValue(key, byKgo, "kgo", fmt.Sprintf("kgo takes no less than %d", limit.least))
	case n > limit.most:
		c.badValue(key, byKgo, "kgo", fmt.Sprintf("kgo takes no more than %d", limit.most))
	}
	return true
}
