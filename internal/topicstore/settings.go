package topicstore

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kcfg-go/kcfg"
)

const (
	hour = 3600_000 // milliseconds
	day  = 24 * hour
)

// settings are those of a topic, sorted by key.
func settings(clients bool, replicas int16) []kcfg.TopicSetting {
	m := map[string]int{
		"segment.ms":          hour, // what is in the active segment is not compacted
		"max.message.bytes":   1 << 20,
		"min.insync.replicas": 1,
		"delete.retention.ms": int(deleteRetention.Milliseconds()),
		// A reader starts with the whole partition, so compact it well.
		"max.compaction.lag.ms": day,
	}
	if replicas > 2 {
		m["min.insync.replicas"] = 2
	}
	texts := map[string]string{
		"cleanup.policy":                 "compact",
		"min.cleanable.dirty.ratio":      "0.1",
		"compression.type":               "uncompressed", // the broker unpacks what others packed
		"unclean.leader.election.enable": "false",
	}
	if clients {
		texts["cleanup.policy"] = "compact,delete"
		m["retention.ms"] = day // of clients that ended without a word
		m["delete.retention.ms"] = hour
		m["max.compaction.lag.ms"] = hour
	}
	for key, n := range m {
		texts[key] = strconv.Itoa(n)
	}
	out := make([]kcfg.TopicSetting, 0, len(texts))
	for key, value := range texts {
		out = append(out, kcfg.TopicSetting{Key: key, Value: value})
	}
	slices.SortFunc(out, func(a, b kcfg.TopicSetting) int { return strings.Compare(a.Key, b.Key) })
	return out
}
