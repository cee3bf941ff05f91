package connpatch

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

// support is the set of our RPCs that a broker proved to mean, by their place in
// Protocol.Keys.
type support uint8

func (s support) has(p kcfg.Protocol, key int16) bool {
	for i, k := range p.Keys() {
		if k == key {
			return s&(1<<i) != 0
		}
	}
	return false
}

// minAPIVersions is the first version of ApiVersions with supported features.
const minAPIVersions = 3

// learn reads which of our RPCs a broker means from the body of its ApiVersions
// answer, which follows the correlation id. It returns false for an answer that
// tells neither way, and so leaves standing what an earlier one proved: kgo asks
// again with version 0 on connections that it warms up.
func learn(p kcfg.Protocol, version int16, body []byte) (support, bool) {
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.Version = version
	// A broker that does not know the version answers with version 0 and
	// UNSUPPORTED_VERSION, and is then asked again.
	if err := resp.ReadFrom(body); err != nil || resp.ErrorCode != 0 {
		return 0, false
	}
	if p.Feature != "" {
		if version < minAPIVersions {
			return 0, false
		}
		if !hasFeature(resp, p) {
			return 0, true
		}
	}
	var s support
	for _, k := range resp.ApiKeys {
		for i, ours := range p.Keys() {
			if k.ApiKey == ours && k.MinVersion <= 0 && k.MaxVersion >= 0 {
				s |= 1 << i
			}
		}
	}
	return s, true
}

func hasFeature(resp *kmsg.ApiVersionsResponse, p kcfg.Protocol) bool {
	for _, f := range resp.SupportedFeatures {
		if f.Name == p.Feature && f.MinVersion <= p.FeatureLevel && f.MaxVersion >= p.FeatureLevel {
			return true
		}
	}
	return false
}
