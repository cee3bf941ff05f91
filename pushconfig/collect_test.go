package pushconfig_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/pushconfig"
	"github.com/kcfg-go/kcfg/sensitive"
)

// newIdleClient makes a client that was given no reason to connect.
func newIdleClient(t *testing.T, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(opts...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

func collected(entries []sensitive.Entry, key string) string {
	for _, e := range entries {
		if e.Key == key {
			return e.Value
		}
	}
	return "absent"
}

func TestCollectOfNoKindFollowsTheOptions(t *testing.T) {
	for name, c := range map[string]struct {
		opts []kgo.Opt
		kind kcfg.Kind
	}{
		"nothing":               {nil, kcfg.KindProducer},
		"a group":               {[]kgo.Opt{kgo.ConsumerGroup("g")}, kcfg.KindConsumer},
		"a share group":         {[]kgo.Opt{kgo.ShareGroup("g")}, kcfg.KindShare},
		"a group, transactions": {[]kgo.Opt{kgo.ConsumerGroup("g"), kgo.TransactionalID("tx")}, kcfg.KindProducer | kcfg.KindConsumer},
	} {
		cl := newIdleClient(t, c.opts...)
		entries := pushconfig.Collect(cl, 0)
		assert.NotEmpty(t, entries, name)
		assert.Equal(t, pushconfig.Collect(cl, c.kind), entries, name)
	}
}

func TestCollectTakesTheKindThatItIsTold(t *testing.T) {
	cl := newIdleClient(t, kgo.ConsumerGroup("g"))
	assert.Equal(t, "absent", collected(pushconfig.Collect(cl, kcfg.KindAdmin), "group.id"))
	assert.Equal(t, "20", collected(pushconfig.Collect(cl, kcfg.KindAdmin), "retries"))
	assert.Equal(t, "g", collected(pushconfig.Collect(cl, 0), "group.id"))
}

func TestEverythingCollectedPassesTheKeyRules(t *testing.T) {
	cl := newIdleClient(t, kgo.ConsumerGroup("g"), kgo.InstanceID("i"), kgo.Rack("r"), kgo.TransactionalID("tx"))
	all := kcfg.KindProducer | kcfg.KindConsumer | kcfg.KindShare | kcfg.KindAdmin
	entries := pushconfig.Collect(cl, all)
	clean, held := sensitive.Filter(entries...)
	assert.Empty(t, held)
	assert.Len(t, clean, len(entries))
	assert.True(t, slices.IsSortedFunc(entries, func(a, b sensitive.Entry) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	}))
	for _, e := range entries {
		assert.Equal(t, pushconfig.TypeOf(e.Key), e.Type, e.Key)
	}
}

// sourceHook does what the plugin of package client does.
type sourceHook struct{ source *configdef.Source }

func (h *sourceHook) OnNewClient(cl *kgo.Client)      { h.source = configdef.NewSource(cl) }
func (h *sourceHook) ConfigSource() *configdef.Source { return h.source }

func TestCollectAsksThePluginOfTheClient(t *testing.T) {
	h := &sourceHook{}
	cl := newIdleClient(t, kgo.ConsumerGroup("g"), kgo.WithHooks(h))

	h.source.SetFetchLimits(12345, 1234)
	entries := pushconfig.Collect(cl, 0)
	assert.Equal(t, "12345", collected(entries, "fetch.max.bytes"))
	assert.Equal(t, "1234", collected(entries, "max.partition.fetch.bytes"))

	// The race detector fails this if the two are read from the client.
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 100 {
			cl.UpdateFetchMaxBytes(1, 1)
		}
	})
	for range 5 {
		assert.Equal(t, entries, pushconfig.Collect(cl, 0))
	}
	wg.Wait()
}

func TestCollectOfABareClientReadsItAnew(t *testing.T) {
	cl := newIdleClient(t, kgo.ConsumerGroup("g"))
	assert.Equal(t, "52428800", collected(pushconfig.Collect(cl, 0), "fetch.max.bytes"))
	cl.UpdateFetchMaxBytes(12345, 1234)
	assert.Equal(t, "12345", collected(pushconfig.Collect(cl, 0), "fetch.max.bytes"))
}

func TestTypeOfKnowsWhatIsNeverSent(t *testing.T) {
	for key, want := range map[string]sensitive.Type{
		"acks":              sensitive.String,
		"linger.ms":         sensitive.Long,
		"key.serializer":    sensitive.Class,
		"ssl.key.password":  sensitive.Password,
		"share.auto.offset": sensitive.Unknown,
		"":                  sensitive.Unknown,
	} {
		assert.Equal(t, want, pushconfig.TypeOf(key), "%q", key)
	}
}
