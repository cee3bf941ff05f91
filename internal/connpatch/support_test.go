package connpatch

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

const (
	provesDescribe support = 1 << iota
	provesAlter
	provesPush
)

func apiKey(key, minVersion, maxVersion int16) func(*kmsg.ApiVersionsResponse) {
	return func(r *kmsg.ApiVersionsResponse) {
		r.ApiKeys = append(r.ApiKeys, kmsg.ApiVersionsResponseApiKey{ApiKey: key, MinVersion: minVersion, MaxVersion: maxVersion})
	}
}

func feature(name string, minLevel, maxLevel int16) func(*kmsg.ApiVersionsResponse) {
	return func(r *kmsg.ApiVersionsResponse) {
		f := kmsg.NewApiVersionsResponseSupportedFeature()
		f.Name, f.MinVersion, f.MaxVersion = name, minLevel, maxLevel
		r.SupportedFeatures = append(r.SupportedFeatures, f)
	}
}

func finalized(name string, level int16) func(*kmsg.ApiVersionsResponse) {
	return func(r *kmsg.ApiVersionsResponse) {
		f := kmsg.NewApiVersionsResponseFinalizedFeature()
		f.Name, f.MinVersionLevel, f.MaxVersionLevel = name, level, level
		r.FinalizedFeatures = append(r.FinalizedFeatures, f)
		r.FinalizedFeaturesEpoch = 1
	}
}

func code(c int16) func(*kmsg.ApiVersionsResponse) {
	return func(r *kmsg.ApiVersionsResponse) { r.ErrorCode = c }
}

func all(edits ...func(*kmsg.ApiVersionsResponse)) func(*kmsg.ApiVersionsResponse) {
	return func(r *kmsg.ApiVersionsResponse) {
		for _, edit := range edits {
			edit(r)
		}
	}
}

func TestAnAnswerProvesTheKeysThatItListsWithTheFeature(t *testing.T) {
	p := kcfg.DefaultProtocol()
	named := feature(p.Feature, 1, 1)
	for name, tc := range map[string]struct {
		answer  func(*kmsg.ApiVersionsResponse)
		want    support
		without support // with a Protocol that needs no feature
	}{
		"nothing":                      {all(), 0, 0},
		"keys of Kafka":                {all(named, apiKey(3, 0, 12), apiKey(18, 0, 4)), 0, 0},
		"one key":                      {all(named, apiKey(3, 0, 12), apiKey(902, 0, 0)), provesPush, provesPush},
		"another key":                  {all(named, apiKey(900, 0, 3)), provesDescribe, provesDescribe},
		"all keys":                     {all(named, apiKey(900, 0, 0), apiKey(901, 0, 0), apiKey(902, 0, 0)), 7, 7},
		"keys next to ours":            {all(named, apiKey(899, 0, 0), apiKey(903, 0, 0)), 0, 0},
		"version 0 no longer":          {all(named, apiKey(901, 1, 4)), 0, 0},
		"version 0 withdrawn":          {all(named, apiKey(901, 0, -1)), 0, 0},
		"a key and no feature":         {apiKey(902, 0, 0), 0, provesPush},
		"a feature of another name":    {all(feature("kcfg", 1, 1), apiKey(902, 0, 0)), 0, provesPush},
		"only a lower level":           {all(feature(p.Feature, 0, 0), apiKey(902, 0, 0)), 0, provesPush},
		"only a higher level":          {all(feature(p.Feature, 2, 9), apiKey(902, 0, 0)), 0, provesPush},
		"levels around ours":           {all(feature(p.Feature, 0, 2), apiKey(902, 0, 0)), provesPush, provesPush},
		"the wrong level before ours":  {all(feature(p.Feature, 2, 2), named, apiKey(902, 0, 0)), provesPush, provesPush},
		"finalized, but not supported": {all(finalized(p.Feature, 1), apiKey(902, 0, 0)), 0, provesPush},
	} {
		for version := range kmsg.NewPtrApiVersionsRequest().MaxVersion() + 1 {
			t.Run(fmt.Sprintf("%s, v%d", name, version), func(t *testing.T) {
				body := apiVersions(version, tc.answer)
				got, ok := learn(p, version, body)
				if version < 3 {
					assert.False(t, ok, "the version has no features")
					assert.Zero(t, got)
				} else {
					assert.True(t, ok)
					assert.Equal(t, tc.want, got)
				}

				p := p
				p.Feature = ""
				got, ok = learn(p, version, body)
				assert.True(t, ok)
				assert.Equal(t, tc.without, got)
			})
		}
	}
}

func TestTheLevelOfTheProtocolIsTheOneThatCounts(t *testing.T) {
	p := kcfg.DefaultProtocol()
	p.FeatureLevel = 2
	got, ok := learn(p, 3, apiVersions(3, all(feature(p.Feature, 1, 2), apiKey(902, 0, 0))))
	assert.True(t, ok)
	assert.Equal(t, provesPush, got)
	got, ok = learn(p, 3, apiVersions(3, all(feature(p.Feature, 1, 1), apiKey(902, 0, 0))))
	assert.True(t, ok)
	assert.Zero(t, got)
}

func TestAnErrorProvesNothing(t *testing.T) {
	p := kcfg.DefaultProtocol()
	without := p
	without.Feature = ""
	edit := all(proof(p, 902), code(kerr.UnsupportedVersion.Code))
	for version := range kmsg.NewPtrApiVersionsRequest().MaxVersion() + 1 {
		// Brokers answer a version that they do not know in version 0, since
		// Kafka 2.4 with the one key that kgo is to ask with.
		for name, body := range map[string][]byte{
			"in the same version": apiVersions(version, edit),
			"in version 0":        apiVersions(0, edit),
			"with ApiVersions":    apiVersions(0, all(apiKey(18, 0, 3), code(kerr.UnsupportedVersion.Code))),
			"with nothing":        apiVersions(0, code(kerr.UnsupportedVersion.Code)),
		} {
			for _, p := range []kcfg.Protocol{p, without} {
				got, ok := learn(p, version, body)
				assert.False(t, ok, "v%d %s", version, name)
				assert.Zero(t, got)
			}
		}
	}
}

func TestATruncatedAnswerProvesNothing(t *testing.T) {
	p := kcfg.DefaultProtocol()
	without := p
	without.Feature = ""
	for version := range kmsg.NewPtrApiVersionsRequest().MaxVersion() + 1 {
		body := apiVersions(version, all(apiKey(3, 0, 12), proof(p, 900, 901, 902)))
		for n := range body {
			for _, p := range []kcfg.Protocol{p, without} {
				got, ok := learn(p, version, body[:n])
				require.False(t, ok, "v%d, %d of %d bytes", version, n, len(body))
				require.Zero(t, got)
			}
		}
	}
}

func TestOnlyKeysOfTheProtocolAreSupported(t *testing.T) {
	p := kcfg.DefaultProtocol()
	every := provesDescribe | provesAlter | provesPush
	assert.True(t, every.has(p, 900))
	assert.True(t, every.has(p, 901))
	assert.True(t, every.has(p, 902))
	assert.False(t, every.has(p, 3))
	assert.False(t, (every&^provesAlter).has(p, 901))
	assert.False(t, support(0).has(p, 900))
}

// ask writes an ApiVersions request to the connection and reads the answer.
func ask(t *testing.T, c *Conn, version int16, body []byte) {
	t.Helper()
	inner := c.NetConn().(*script)
	corr := c.out.corr
	inner.steps = append(inner.steps, step{b: answer(corr, body...)})
	_, err := c.Write(encodeKey(keyAPIVersions, version, corr))
	require.NoError(t, err)
	_, err = io.ReadFull(c, make([]byte, sizeLen+corrLen+len(body)))
	require.NoError(t, err)
}

func TestAConnectionLearnsFromTheAnswerThatPasses(t *testing.T) {
	p := kcfg.DefaultProtocol()
	c := connect(t, new(script))
	ask(t, c, 5, apiVersions(0, all(apiKey(18, 0, 4), code(kerr.UnsupportedVersion.Code))))
	assert.Zero(t, c.proved)
	ask(t, c, 4, apiVersions(4, proof(p, 902)))
	assert.Equal(t, provesPush, c.proved)

	// kgo warms up connections with version 0, which has no features.
	ask(t, c, 0, apiVersions(0, apiKey(902, 0, 0)))
	assert.Equal(t, provesPush, c.proved, "an answer that cannot prove it takes no proof away")
	ask(t, c, 4, apiVersions(4, proof(p, 902))[:10])
	assert.Equal(t, provesPush, c.proved)

	ask(t, c, 3, apiVersions(3, proof(p, 900)))
	assert.Equal(t, provesDescribe, c.proved, "the last answer counts")
	ask(t, c, 3, apiVersions(3, apiKey(900, 0, 0)))
	assert.Zero(t, c.proved)
	assert.Zero(t, c.m.Counts().Unmatched)
	assert.Nil(t, c.in.keep)
}

func TestAConnectionLearnsFromOldAnswersWhereNoFeatureIsNeeded(t *testing.T) {
	for version := range kmsg.NewPtrApiVersionsRequest().MaxVersion() + 1 {
		c := dial(t, testManager(protocolOfKafka(), new(script)))
		ask(t, c, version, apiVersions(version, apiKey(60, 0, 2)))
		assert.Equal(t, provesPush, c.proved, "v%d", version)
	}
}

func TestAConnectionLearnsHoweverTheAnswerIsCut(t *testing.T) {
	p := kcfg.DefaultProtocol()
	body := apiVersions(3, all(apiKey(3, 0, 12), proof(p, 901)))
	for _, piece := range []int{1, 3, 5, 8, 9, 1000} {
		for _, read := range []int{1, 3, 4, 5, 1000} {
			c := connect(t, new(script))
			_, err := c.Write(encodeKey(keyAPIVersions, 3, 0))
			require.NoError(t, err)
			frame := answer(0, body...)
			c.NetConn().(*script).steps = split(append(frame, answer(1)...), []int{piece}, io.EOF).steps
			for got := 0; got < len(frame); {
				assert.Zero(t, c.proved)
				n, err := c.Read(make([]byte, read))
				require.NoError(t, err)
				got += n
			}
			assert.Equal(t, provesAlter, c.proved)
		}
	}
}

func TestOnlyTheAnswerToApiVersionsIsLearnedFrom(t *testing.T) {
	c := connect(t, new(script))
	body := apiVersions(3, proof(kcfg.DefaultProtocol(), 902))
	_, err := c.Write(encodeKey(3, 3, 0))
	require.NoError(t, err)
	c.NetConn().(*script).steps = []step{{b: answer(0, body...)}, {b: answer(1, body...)}, {err: io.EOF}}
	_, err = io.ReadAll(c)
	require.NoError(t, err)
	assert.Zero(t, c.proved)
	assert.Nil(t, c.in.keep)
}

func TestAnAnswerThatIsTooLargeIsNotKept(t *testing.T) {
	for _, size := range []int{maxAPIVersions, maxAPIVersions + 1} {
		body := make([]byte, size-corrLen)
		c := connect(t, new(script))
		_, err := c.Write(encodeKey(keyAPIVersions, 3, 0))
		require.NoError(t, err)
		c.NetConn().(*script).steps = []step{{b: answer(0, body...)}}
		_, err = io.ReadFull(c, make([]byte, size))
		require.NoError(t, err)
		if size > maxAPIVersions {
			assert.Nil(t, c.in.keep)
		} else {
			assert.Len(t, c.in.keep, size)
		}
	}
}

func FuzzLearn(f *testing.F) {
	p := kcfg.DefaultProtocol()
	for version := range kmsg.NewPtrApiVersionsRequest().MaxVersion() + 1 {
		f.Add(version, apiVersions(version, all(apiKey(3, 0, 12), proof(p, 900, 902))))
		f.Add(version, apiVersions(0, code(35)))
	}
	f.Fuzz(func(t *testing.T, version int16, body []byte) {
		without := p
		without.Feature = ""
		strict, ok := learn(p, version, body)
		if strict != 0 && !ok {
			t.Fatal("a proof in an answer that tells nothing")
		}
		loose, _ := learn(without, version, body)
		if strict&^loose != 0 {
			t.Fatalf("%b is proved with a feature, %b without one", strict, loose)
		}
		if strict != 0 && version < 3 {
			t.Fatalf("a feature in version %d", version)
		}
	})
}
