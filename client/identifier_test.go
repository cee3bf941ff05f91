package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// han returns a name of n characters and three times as many bytes.
func han(n int) string { return strings.Repeat("\u6f22", n) }

// tooLarge fails unless a name is too large.
func tooLarge(t *testing.T, err error) *cfgerrors.IdentifierTooLargeError {
	t.Helper()
	require.Error(t, err)
	e, ok := errors.AsType[*cfgerrors.IdentifierTooLargeError](err)
	require.True(t, ok, "%T %v", err, err)
	assert.False(t, cfgerrors.Retriable(err))
	return e
}

func TestCheckIdentifierKnowsEveryTypeAndItsLimit(t *testing.T) {
	for typ := client.IdentifierTopic; typ <= client.IdentifierACLHost; typ++ {
		limit, _, ok := typ.Limit()
		require.True(t, ok)
		require.NoError(t, client.CheckIdentifier(typ, strings.Repeat("a", limit)))
		assert.Equal(t, limit, tooLarge(t, client.CheckIdentifier(typ, strings.Repeat("a", limit+1))).Limit)
		assert.Equal(t, 32_767, tooLarge(t, client.CheckIdentifier(typ, strings.Repeat("a", 32_768))).Limit)
	}
	for _, typ := range []client.IdentifierType{0, client.IdentifierACLHost + 1} {
		require.ErrorContains(t, client.CheckIdentifier(typ, ""), "there is no identifier type")
	}
}

// nameOption is a kgo option with a name of a length that kgo itself takes.
type nameOption struct {
	name string
	typ  string
	opts func(name string) []kgo.Opt
	wire bool // kgo takes names that are too long for a request
}

func nameOptions() []nameOption {
	one := func(f func(string) kgo.Opt) func(string) []kgo.Opt {
		return func(name string) []kgo.Opt { return []kgo.Opt{f(name)} }
	}
	return []nameOption{
		{"kgo.ClientID", "client id", one(kgo.ClientID), false},
		{"kgo.ConsumerGroup", "group", one(func(s string) kgo.Opt { return kgo.ConsumerGroup(s) }), true},
		{"kgo.ShareGroup", "group", one(func(s string) kgo.Opt { return kgo.ShareGroup(s) }), false},
		{"kgo.InstanceID", "group instance", func(s string) []kgo.Opt {
			return []kgo.Opt{kgo.ConsumerGroup("g"), kgo.InstanceID(s)}
		}, true},
		{"kgo.TransactionalID", "transactional id", one(func(s string) kgo.Opt { return kgo.TransactionalID(s) }), false},
		{"kgo.Rack", "rack", one(func(s string) kgo.Opt { return kgo.Rack(s) }), false},
		{"kgo.DefaultProduceTopic", "topic", one(func(s string) kgo.Opt { return kgo.DefaultProduceTopic(s) }), true},
		{"kgo.ConsumeTopics", "topic", one(func(s string) kgo.Opt { return kgo.ConsumeTopics("orders", s) }), true},
		{"kgo.ConsumePartitions", "topic", one(func(s string) kgo.Opt {
			return kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{s: {0: kgo.NewOffset()}})
		}), true},
	}
}

func TestANameThatKafka5IsToRefuseIsWarnedOfOnceAndWorks(t *testing.T) {
	for _, o := range nameOptions() {
		t.Run(o.name, func(t *testing.T) {
			for n, want := range map[int]int{249: 0, 250: 1} {
				log := &logger{}
				cl := newClient(t, append(o.opts(strings.Repeat("x", n)), kgo.WithLogger(log)))
				lines := log.about("Kafka 5.0")
				require.Len(t, lines, want, "%d characters", n)
				assert.Len(t, cl.Status().Warnings, want)
				if want > 0 {
					assert.Contains(t, lines[0], o.name+": 250 characters, limit 249")
					assert.NotContains(t, lines[0], "xxx", "the name itself")
				}
			}
		})
	}
}

func TestLimitsOfNamesAreCharacters(t *testing.T) {
	log := &logger{}
	cl := newClient(t, []kgo.Opt{kgo.ConsumerGroup(han(249)), kgo.ConsumeTopics("orders"), kgo.WithLogger(log)}, client.EnforceIdentifierLimits())
	assert.Empty(t, cl.Status().Warnings)
	_, err := client.New([]kgo.Opt{kgo.ConsumerGroup(han(250))}, client.EnforceIdentifierLimits())
	assert.Equal(t, &cfgerrors.IdentifierTooLargeError{Type: "group", Length: 250, Limit: 249}, tooLarge(t, err))
}

func TestSeveralNamesAreOneWarning(t *testing.T) {
	log := &logger{}
	long := strings.Repeat("x", 250)
	cl := newClient(t, []kgo.Opt{
		kgo.ClientID(long), kgo.Rack(long), kgo.ConsumeTopics(long, "y"+long[1:], "z"+long), kgo.WithLogger(log),
	})
	require.Len(t, log.about("Kafka 5.0"), 1)
	require.Len(t, cl.Status().Warnings, 1)
	for _, want := range []string{"kgo.ClientID: 250", "kgo.Rack: 250", "kgo.ConsumeTopics: 250", "kgo.ConsumeTopics: 251"} {
		assert.Contains(t, cl.Status().Warnings[0], want)
	}
}

func TestPatternsAreNoNames(t *testing.T) {
	log := &logger{}
	cl := newClient(t, []kgo.Opt{
		kgo.ConsumeRegex(), kgo.ConsumeTopics("(" + strings.Repeat("x|", 20_000) + "y)"), kgo.WithLogger(log),
	}, client.EnforceIdentifierLimits())
	assert.Empty(t, cl.Status().Warnings)
}

func TestEnforcedLimitsMakeNoClient(t *testing.T) {
	for _, o := range nameOptions() {
		t.Run(o.name, func(t *testing.T) {
			cl, err := client.New(o.opts(strings.Repeat("x", 250)), client.EnforceIdentifierLimits())
			assert.Nil(t, cl)
			assert.Equal(t, &cfgerrors.IdentifierTooLargeError{Type: o.typ, Length: 250, Limit: 249}, tooLarge(t, err))
			require.ErrorContains(t, err, "client: "+o.name)
			assert.NotContains(t, err.Error(), "xxx")
			newClient(t, o.opts(strings.Repeat("x", 249)), client.EnforceIdentifierLimits())
		})
	}
}

// lifeHook counts clients of the application's.
type lifeHook struct{ made, closed atomic.Int32 }

func (h *lifeHook) OnNewClient(*kgo.Client)    { h.made.Add(1) }
func (h *lifeHook) OnClientClosed(*kgo.Client) { h.closed.Add(1) }

func TestANameThatNoRequestCanHoldMakesNoClientAndNoConnection(t *testing.T) {
	for _, o := range nameOptions() {
		if !o.wire {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			var dials atomic.Int32
			life := &lifeHook{}
			dial := client.Dialer(func(context.Context, string, string) (net.Conn, error) {
				dials.Add(1)
				return nil, errors.New("no connection")
			})
			kopts := append(o.opts(strings.Repeat("x", 32_768)), kgo.WithHooks(life))
			cl, err := client.New(kopts, dial)
			assert.Nil(t, cl)
			assert.Equal(t, &cfgerrors.IdentifierTooLargeError{Type: o.typ, Length: 32_768, Limit: 32_767}, tooLarge(t, err))
			assert.NotContains(t, err.Error(), "xxx")
			assert.Zero(t, dials.Load())
			assert.EqualValues(t, 1, life.made.Load())
			assert.EqualValues(t, 1, life.closed.Load(), "nothing of it is left")

			cl = newClient(t, o.opts(strings.Repeat("x", 32_767)), dial)
			require.Error(t, cl.Ping(withTimeout(t)))
			assert.Positive(t, dials.Load(), "the guard is what kept it from connecting")
		})
	}
}

func TestAPluginWithANameThatIsTooLongFailsItsDials(t *testing.T) {
	c := cluster(t)
	log := &logger{}
	p := client.NewPlugin()
	cl, err := kgo.NewClient(seeds(c, append(p.Opts(), kgo.DefaultProduceTopic(strings.Repeat("x", 32_768)), kgo.WithLogger(log))...)...)
	require.NoError(t, err)
	defer cl.Close()
	assert.Equal(t, 32_767, tooLarge(t, cl.Ping(withTimeout(t))).Limit)
	assert.Zero(t, c.Connections(-1))
	s := p.Status()
	assert.Equal(t, kcfg.PushDisabled, s.Push.State)
	assert.Equal(t, kcfg.DynamicDisabled, s.Dynamic.State)
	assert.Len(t, s.Warnings, 1)
	assert.Len(t, log.about("the client cannot connect"), 1)
}

func TestARefusalBecauseOfTheLengthIsTyped(t *testing.T) {
	long := strings.Repeat("x", 5000)
	other := errors.New("another error")
	wrapped := fmt.Errorf("commit: %w", kerr.OffsetMetadataTooLarge)
	already := cfgerrors.FromCode(cfgerrors.CodeResourceIdentifierTooLarge, "")
	for _, tt := range []struct {
		err   error
		typ   client.IdentifierType
		value string
		typed bool
	}{
		{kerr.InvalidTopicException, client.IdentifierTopic, long, true},
		{kerr.InvalidTopicException, client.IdentifierTopic, "no name!", false},
		{kerr.InvalidTopicException, client.IdentifierGroup, long, false},
		{kerr.InvalidRequest, client.IdentifierGroup, long, true},
		{kerr.InvalidRequest, client.IdentifierGroup, "g", false},
		{wrapped, client.IdentifierOffsetMetadata, long, true},
		{wrapped, client.IdentifierOffsetMetadata, "a broker with a limit of its own", true},
		{wrapped, client.IdentifierGroup, long, false},
		{already, client.IdentifierGroup, "g", true},
		{other, client.IdentifierGroup, long, false},
		{nil, client.IdentifierGroup, long, false},
	} {
		got := client.IdentifierError(tt.err, tt.typ, tt.value)
		require.ErrorIs(t, got, tt.err)
		_, typed := errors.AsType[*cfgerrors.IdentifierTooLargeError](got)
		assert.Equal(t, tt.typed, typed, "%v of a %s", tt.err, tt.typ)
		if !tt.typed {
			assert.Equal(t, tt.err, got)
			continue
		}
		assert.False(t, cfgerrors.Retriable(got))
		assert.NotContains(t, got.Error(), "xxx")
	}
	got := client.IdentifierError(wrapped, client.IdentifierOffsetMetadata, "m")
	require.ErrorIs(t, got, kerr.OffsetMetadataTooLarge)
}
