package fakebroker

import (
	"bytes"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// featureVersion is the first version of ApiVersions that carries features.
const featureVersion = 3

// advert is what a broker adds to its ApiVersions answers.
type advert struct {
	keys    []kmsg.ApiVersionsResponseApiKey
	feature string // empty: none
	level   int16
}

func (a advert) empty() bool { return len(a.keys) == 0 && a.feature == "" }

// patchAPIVersions returns the ApiVersions answer with the advert in it. The
// frame itself is not written to.
//
// An answer with an error code stays as it is. The one to a version that the
// broker does not have is such an answer: it has exactly one key and version 0,
// and clients tell it by that. So does an answer that kmsg cannot reproduce byte
// for byte: what we do not understand we do not rewrite.
func patchAPIVersions(frame []byte, version int16, ad advert) []byte {
	if ad.empty() {
		return frame
	}
	// The answer's header has no tags at any version, since a client may not
	// know yet what the broker speaks.
	if code, ok := firstCode(frame, false); !ok || code != 0 {
		return frame
	}
	resp := kmsg.NewPtrApiVersionsResponse()
	if version < 0 || version > resp.MaxVersion() {
		return frame
	}
	resp.SetVersion(version)
	body := frame[answerHead:]
	if err := resp.ReadFrom(body); err != nil || !bytes.Equal(resp.AppendTo(nil), body) {
		return frame
	}
	ad.addTo(resp)
	return sized(resp.AppendTo(bytes.Clone(frame[:answerHead])))
}

func (a advert) addTo(resp *kmsg.ApiVersionsResponse) {
	for _, k := range a.keys {
		if !slices.ContainsFunc(resp.ApiKeys, func(o kmsg.ApiVersionsResponseApiKey) bool { return o.ApiKey == k.ApiKey }) {
			resp.ApiKeys = append(resp.ApiKeys, k)
		}
	}
	if a.feature == "" {
		return
	}
	// Below featureVersion kmsg does not write it.
	f := kmsg.NewApiVersionsResponseSupportedFeature()
	f.Name, f.MinVersion, f.MaxVersion = a.feature, 1, a.level
	resp.SupportedFeatures = append(resp.SupportedFeatures, f)
}
