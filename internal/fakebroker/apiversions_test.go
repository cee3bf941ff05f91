package fakebroker

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

func fullAdvert() advert {
	p := kcfg.DefaultProtocol()
	return advert{
		keys:    []kmsg.ApiVersionsResponseApiKey{{ApiKey: p.PushConfigKey}},
		feature: p.Feature,
		level:   p.FeatureLevel,
	}
}

func hasKey(resp *kmsg.ApiVersionsResponse, key int16) bool {
	for _, k := range resp.ApiKeys {
		if k.ApiKey == key {
			return k.MinVersion == 0 && k.MaxVersion == 0
		}
	}
	return false
}

func levels(resp *kmsg.ApiVersionsResponse, name string) (minimum, maximum int16, ok bool) {
	for _, f := range resp.SupportedFeatures {
		if f.Name == name {
			return f.MinVersion, f.MaxVersion, true
		}
	}
	return 0, 0, false
}

func apiVersionsRequest(version int16) *kmsg.ApiVersionsRequest {
	req := requestAt(kmsg.NewPtrApiVersionsRequest(), version)
	req.ClientSoftwareName, req.ClientSoftwareVersion = "soft", "1.2"
	return req
}

func TestEveryVersionOfApiVersionsGetsTheKeyAndFrom3TheFeature(t *testing.T) {
	t.Parallel()
	bare := start(t)
	c := start(t, Policy(&RecordPolicy{}))
	highest := kmsg.NewPtrApiVersionsRequest().MaxVersion()
	require.EqualValues(t, 5, highest, "a new version of ApiVersions: check the patch")
	for version := range highest + 1 {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			ask := func(c *Cluster) *kmsg.ApiVersionsResponse {
				r := dial(t, c, 0)
				r.send(apiVersionsRequest(version), 9)
				frame := r.read()
				require.EqualValues(t, 9, correlation(frame))
				return answerOf(t, frame, kmsg.NewPtrApiVersionsResponse(), version)
			}
			without, with := ask(bare), ask(c)
			require.True(t, hasKey(with, 902))
			minimum, maximum, ok := levels(with, "kcfg.protocol")
			require.Equal(t, version >= 3, ok)
			if ok {
				require.EqualValues(t, 1, minimum)
				require.EqualValues(t, 1, maximum)
				with.SupportedFeatures = with.SupportedFeatures[:len(with.SupportedFeatures)-1]
			}
			with.ApiKeys = with.ApiKeys[:len(with.ApiKeys)-1]
			require.Equal(t, without, with, "nothing else changes")
			require.Equal(t, version >= 3, with.FinalizedFeaturesEpoch >= 0, "kfake has tags to keep")
		})
	}
}

func TestTheFallbackAnswerIsUntouched(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	r := dial(t, c, 0)
	r.send(apiVersionsRequest(99), 1)
	resp := answerOf(t, r.read(), kmsg.NewPtrApiVersionsResponse(), 0)
	require.Equal(t, kerr.UnsupportedVersion.Code, resp.ErrorCode)
	require.Len(t, resp.ApiKeys, 1)
	require.Equal(t, keyAPIVersions, resp.ApiKeys[0].ApiKey)

	r.send(apiVersionsRequest(resp.ApiKeys[0].MaxVersion), 2)
	again := answerOf(t, r.read(), kmsg.NewPtrApiVersionsResponse(), 5)
	require.True(t, hasKey(again, 902), "the same connection asks again and gets it")
}

func TestPatchLeavesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	good := func(version int16, code int16) []byte {
		resp := kmsg.NewPtrApiVersionsResponse()
		resp.SetVersion(version)
		resp.ErrorCode = code
		resp.ApiKeys = []kmsg.ApiVersionsResponseApiKey{{ApiKey: 18, MaxVersion: 4}}
		return sized(append(make([]byte, answerHead), resp.AppendTo(nil)...))
	}
	for _, tt := range []struct {
		name    string
		frame   []byte
		version int16
		advert  advert
		patched bool
	}{
		{"an answer", good(3, 0), 3, fullAdvert(), true},
		{"nothing to add", good(3, 0), 3, advert{}, false},
		{"an error code", good(3, 35), 3, fullAdvert(), false},
		{"a version that kmsg does not know", good(3, 0), 6, fullAdvert(), false},
		{"a negative version", good(0, 0), -1, fullAdvert(), false},
		{"another version than asked for", good(0, 0), 3, fullAdvert(), false},
		{"bytes behind the end", sized(append(good(3, 0), 1)), 3, fullAdvert(), false},
		{"a cut frame", good(3, 0)[:10], 3, fullAdvert(), false},
		{"no body", sized(make([]byte, answerHead)), 3, fullAdvert(), false},
		{"no frame", nil, 3, fullAdvert(), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := bytes.Clone(tt.frame)
			got := patchAPIVersions(tt.frame, tt.version, tt.advert)
			require.Equal(t, before, tt.frame, "the frame is kfake's")
			require.Equal(t, tt.patched, !bytes.Equal(before, got))
		})
	}
}

func TestPatchKeepsUnknownTagsAndDoesNotRepeatAKey(t *testing.T) {
	t.Parallel()
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.SetVersion(4)
	resp.ZkMigrationReady = true
	resp.UnknownTags.Set(77, []byte("tag"))
	resp.ApiKeys = []kmsg.ApiVersionsResponseApiKey{{ApiKey: 902, MaxVersion: 7}}
	frame := sized(append(make([]byte, answerHead), resp.AppendTo(nil)...))
	got := answerOf(t, patchAPIVersions(frame, 4, fullAdvert()), kmsg.NewPtrApiVersionsResponse(), 4)
	_, _, ok := levels(got, "kcfg.protocol")
	require.True(t, ok)
	got.SupportedFeatures = nil
	require.Equal(t, resp, got)
}

func FuzzPatchAPIVersions(f *testing.F) {
	for version := range int16(6) {
		resp := kmsg.NewPtrApiVersionsResponse()
		resp.SetVersion(version)
		resp.ApiKeys = []kmsg.ApiVersionsResponseApiKey{{ApiKey: 1, MaxVersion: 2}, {ApiKey: 18, MaxVersion: 4}}
		f.Add(resp.AppendTo(nil), version)
		resp.ErrorCode = 35
		f.Add(resp.AppendTo(nil), version)
	}
	f.Fuzz(func(t *testing.T, body []byte, version int16) {
		frame := sized(append(make([]byte, answerHead), body...))
		before := bytes.Clone(frame)
		got := patchAPIVersions(frame, version, fullAdvert())
		require.Equal(t, before, frame)
		if bytes.Equal(got, frame) {
			return
		}
		require.True(t, wholeFrame(got))
		was, is := kmsg.NewPtrApiVersionsResponse(), kmsg.NewPtrApiVersionsResponse()
		was.SetVersion(version)
		is.SetVersion(version)
		require.NoError(t, was.ReadFrom(body))
		require.NoError(t, is.ReadFrom(got[answerHead:]))
		require.Zero(t, is.ErrorCode)
		// What was added stands behind what was there.
		n := len(was.ApiKeys)
		require.True(t, len(is.ApiKeys) == n || len(is.ApiKeys) == n+1)
		is.ApiKeys = is.ApiKeys[:n]
		if m := len(was.SupportedFeatures); version >= 3 {
			require.Len(t, is.SupportedFeatures, m+1)
			is.SupportedFeatures = is.SupportedFeatures[:m]
		}
		require.Equal(t, was.AppendTo(nil), is.AppendTo(nil))
	})
}
