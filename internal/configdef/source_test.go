package configdef

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

var update = flag.Bool("update", false, "write testdata/defaults.golden anew")

func TestDefaultsOfEachKindAreGolden(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		kind kcfg.Kind
		opts []kgo.Opt
	}{
		{producer, nil},
		{consumer, []kgo.Opt{kgo.ConsumerGroup("orders"), kgo.ConsumeTopics("t")}},
		{share, []kgo.Opt{kgo.ShareGroup("orders"), kgo.ConsumeTopics("t")}},
		{admin, nil},
	} {
		fmt.Fprintf(&b, "# %s\n", c.kind)
		for _, e := range NewSource(newClient(t, c.opts...)).Collect(c.kind) {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", e.Key, e.Type, shown(e, true))
		}
		b.WriteByte('\n')
	}
	const file = "testdata/defaults.golden"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}

func TestCollectIsSortedAndStable(t *testing.T) {
	s := NewSource(newClient(t, kgo.ConsumerGroup("g"), kgo.TransactionalID("tx"), kgo.Rack("r")))
	for kind := kcfg.Kind(1); kind <= every; kind++ {
		first := s.Collect(kind)
		keys := keysOf(first)
		assert.True(t, slices.IsSorted(keys), kind)
		assert.Len(t, slices.Compact(slices.Clone(keys)), len(keys), "%s: a key twice", kind)
		assert.Equal(t, first, s.Collect(kind), kind)
	}
	assert.Empty(t, s.Collect(0))
}

func TestCollectOfSeveralKindsIsTheUnion(t *testing.T) {
	s := NewSource(newClient(t, kgo.ShareGroup("s"), kgo.Rack("r")))
	want := append(keysOf(s.Collect(share)), keysOf(s.Collect(producer))...)
	slices.Sort(want)
	assert.Equal(t, slices.Compact(want), keysOf(s.Collect(share|producer)))
	assert.NotContains(t, keysOf(s.Collect(share)), "client.rack")
}

func TestReadGivesKeysOutsideTheDefaultSet(t *testing.T) {
	s := NewSource(newClient(t, kgo.ShareGroup("s")))
	for _, key := range []string{"bootstrap.servers", "metadata.max.age.ms"} {
		e, ok := s.Read(key, share)
		assert.True(t, ok, key)
		assert.Equal(t, key, e.Key)
		assert.NotContains(t, keysOf(s.Collect(share)), key)
	}
	for _, key := range []string{"acks", "session.timeout.ms", "max.block.ms", "ssl.protocol", "my.key", ""} {
		e, ok := s.Read(key, share)
		assert.False(t, ok, "%q", key)
		assert.Zero(t, e)
	}
	_, ok := s.Read("bootstrap.servers", 0)
	assert.False(t, ok, "no kind, no key")
}

func TestFetchLimitsAreThoseThatTheSourceWasTold(t *testing.T) {
	cl := newClient(t, kgo.ConsumeTopics("t"))
	s := NewSource(cl)
	cl.UpdateFetchMaxBytes(1, 1)
	read := func(key string) string { e, ok := s.Read(key, consumer); return shown(e, ok) }

	assert.Equal(t, "52428800"+isDefault, read("fetch.max.bytes"), "read when the Source was made")

	s.SetFetchLimits(4096, 4096)
	assert.Equal(t, "4096", read("fetch.max.bytes"))
	assert.Equal(t, "4096", read("max.partition.fetch.bytes"), "an update is not kgo's clamp")

	s.SetFetchLimits(4096, 8192)
	assert.Equal(t, "8192", read("max.partition.fetch.bytes"), "an update is not clamped")

	s.SetFetchLimits(50<<20, 1<<20)
	assert.Equal(t, "52428800"+isDefault, read("fetch.max.bytes"))
	assert.Equal(t, "1048576"+isDefault, read("max.partition.fetch.bytes"))
}

// The race detector is the judge: OptValue reads the two plainly.
func TestCollectDoesNotRaceWithUpdateFetchMaxBytes(t *testing.T) {
	cl := newClient(t, kgo.ConsumerGroup("g"))
	s := NewSource(cl)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := int32(1); ; i++ {
				select {
				case <-stop:
					return
				default:
					cl.UpdateFetchMaxBytes(i, i)
					s.SetFetchLimits(i, i)
				}
			}
		})
	}
	for range 20 {
		assert.NotEmpty(t, s.Collect(consumer))
		s.Skipped(every)
	}
	close(stop)
	wg.Wait()
}

func TestSourceIsSafeForConcurrentUse(t *testing.T) {
	cl := newClient(t, kgo.ConsumerGroup("g"), kgo.Balancers(silentBalancer{}))
	s := newSource(func(opt any) []any { // a fault, so that logging takes part
		if optName(opt) == "Rack" {
			return nil
		}
		return cl.OptValues(opt)
	})
	want := newSource(s.opts).Collect(every)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { assert.Equal(t, want, s.Collect(every)) })
	}
	wg.Wait()
}

func TestPanickingFunctionsOfTheApplicationAreSkipped(t *testing.T) {
	armed := false
	l := &memoryLogger{level: kgo.LogLevelDebug}
	cl := newClient(t, kgo.WithLogger(l),
		kgo.ProducerBatchMaxBytesFn(func(string) int32 { // kgo's validation calls it too
			if armed {
				panic("secret")
			}
			return 1 << 20
		}),
		kgo.RetryTimeoutFn(func(int16) time.Duration { panic("secret") }),
	)
	armed = true
	s := NewSource(cl)
	keys := keysOf(s.Collect(every))
	assert.NotContains(t, keys, "batch.size")
	assert.NotContains(t, keys, "default.api.timeout.ms")
	assert.Contains(t, keys, "acks")
	assert.Equal(t, []Skip{{"batch.size", faultPanic}, {"default.api.timeout.ms", faultPanic}}, s.Skipped(every))
	assert.Equal(t, []Skip{{"batch.size", faultPanic}}, s.Skipped(producer))
	assert.Equal(t, [][]any{
		{kgo.LogLevelDebug, "key", "batch.size", "reason", faultPanic},
		{kgo.LogLevelDebug, "key", "default.api.timeout.ms", "reason", faultPanic},
	}, l.taken())
}

// inNewClient reads where a plugin could.
type inNewClient struct {
	source *Source
	early  string
}

func (h *inNewClient) OnNewClient(cl *kgo.Client) {
	h.source = NewSource(cl)
	e, ok := h.source.Read("enable.auto.commit", consumer)
	h.early = shown(e, ok)
}

func TestValuesReadInOnNewClientAreRight(t *testing.T) {
	h := &inNewClient{}
	newClient(t, kgo.ConsumerGroup("g"), kgo.TransactionalID("tx"), kgo.WithHooks(h))
	assert.Equal(t, "false"+isDefault, h.early, "kgo has not yet switched it off")
	e, ok := h.source.Read("enable.auto.commit", consumer)
	assert.Equal(t, h.early, shown(e, ok))
}

func keysOf(entries []sensitive.Entry) []string {
	keys := make([]string, len(entries))
	for i, e := range entries {
		keys[i] = e.Key
	}
	return keys
}

// optName returns the name of an option function, as kgo's OptValues does.
func optName(opt any) string {
	name := runtime.FuncForPC(reflect.ValueOf(opt).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}
