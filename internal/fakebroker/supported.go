package fakebroker

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/wire"
)

// What clients may register, so that they cannot fill the store.
const (
	maxSoftware      = 64  // versions of software, for each entity
	maxSupported     = 64  // keys, for each version
	maxSupportedSize = 128 // bytes, of a key and of a version
)

// register notes which dynamic configurations a client says to support. A nil
// list tells nothing.
func (s *store) register(e kcfg.Entity, rc RequestContext, keys []string) {
	if keys == nil {
		return
	}
	s.update(e, kcfg.SupportedConfigs, func(old string) (string, bool) {
		return registered(old, softwareOf(rc), keys)
	})
}

// softwareOf names the client's software; one that did not tell it is unknown,
// as in Kafka's metrics.
func softwareOf(rc RequestContext) string {
	name, version := rc.SoftwareName, rc.SoftwareVersion
	if name == "" {
		name = "unknown"
	}
	if version == "" {
		version = "unknown"
	}
	return name + "/" + version
}

// registered returns the JSON of supported.configs with what a client says now,
// and false if that is not taken or changes nothing. Keys that are too long or no
// text are left out, and so are those beyond the limit, in their sorted order; a
// version beyond the limit, or that would make more than a Kafka string can hold,
// is not taken.
func registered(old, software string, keys []string) (string, bool) {
	all := make(map[string][]string)
	if old != "" && json.Unmarshal([]byte(old), &all) != nil {
		clear(all) // a test put it there; start anew
	}
	if all == nil {
		all = make(map[string][]string) // JSON's null
	}
	if !fits(software) {
		return "", false
	}
	taken := []string{}
	for _, k := range keys {
		if fits(k) {
			taken = append(taken, k)
		}
	}
	slices.Sort(taken)
	taken = slices.Compact(taken)
	taken = taken[:min(len(taken), maxSupported)]
	if _, known := all[software]; !known && len(all) >= maxSoftware {
		return "", false
	}
	all[software] = taken
	text, err := json.Marshal(all)
	if err != nil || len(text) > wire.MaxStringLen || string(text) == old {
		return "", false
	}
	return string(text), true
}

func fits(s string) bool { return s != "" && len(s) <= maxSupportedSize && utf8.ValidString(s) }
