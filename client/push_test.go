package client_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/pushconfig"
	"github.com/kcfg-go/kcfg/sensitive"
)

// got returns the entries of a push by key, as the policy saw them.
func got(p fakebroker.Push) map[string]fakebroker.Entry {
	out := make(map[string]fakebroker.Entry)
	for _, e := range p.Configs.Entries {
		out[e.Key] = e
	}
	return out
}

func TestAProducerPushesItsConfigurationAfterItsFirstConnection(t *testing.T) {
	c := cluster(t)
	cl, err := client.NewProducer(seeds(c, kgo.ClientID("orders-api"), kgo.ProducerLinger(25*time.Millisecond)))
	require.NoError(t, err)
	defer cl.Close()
	assert.Equal(t, kcfg.PushWaiting, cl.Status().Push.State)
	produce(t, cl.Client, 10)
	require.NoError(t, c.WaitPushes(withTimeout(t), 1))
	require.NoError(t, cl.PushConfig(withTimeout(t)))

	require.Len(t, c.Pushes(), 1, "and PushConfig sends nothing that the cluster has")
	push := c.Pushes()[0]
	assert.Equal(t, "orders-api", push.Context.ClientID)
	assert.Equal(t, "kgo", push.Context.SoftwareName)
	assert.Equal(t, "ANONYMOUS", push.Context.Principal)
	configs := got(push)
	assert.Equal(t, "orders-api", configs["client.id"].Value)
	assert.False(t, configs["client.id"].IsDefault)
	assert.Equal(t, "all", configs["acks"].Value)
	assert.True(t, configs["acks"].IsDefault)
	assert.Equal(t, int64(25), configs["linger.ms"].Value)
	assert.NotContains(t, configs, "bootstrap.servers")
	assert.NotContains(t, configs, "group.id")

	s := cl.Status()
	assert.Equal(t, kcfg.PushPushed, s.Push.State)
	assert.Equal(t, kcfg.KindProducer, s.Kinds)
	assert.Equal(t, 1, s.Push.Pushes)
	assert.Len(t, s.Push.Keys, len(configs))
}

func TestWhatTheBrokerGetsIsWhatCollectSays(t *testing.T) {
	for _, tt := range []struct {
		name  string
		kind  kcfg.Kind
		kopts []kgo.Opt
	}{
		{"producer", kcfg.KindProducer, nil},
		{"consumer", kcfg.KindConsumer, []kgo.Opt{kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders")}},
		{"direct consumer", kcfg.KindConsumer, []kgo.Opt{kgo.ConsumeTopics("orders")}},
		{"share consumer", kcfg.KindShare, []kgo.Opt{kgo.ShareGroup("s"), kgo.ConsumeTopics("orders")}},
		{"transactional producer", kcfg.KindProducer, []kgo.Opt{kgo.TransactionalID("t")}},
		{"transactional consumer and producer", kcfg.KindProducer | kcfg.KindConsumer, []kgo.Opt{kgo.TransactionalID("t"), kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := cluster(t)
			cl := newClient(t, seeds(c, tt.kopts...))
			require.NoError(t, cl.PushConfig(withTimeout(t)))
			require.Equal(t, tt.kind, cl.Status().Kinds)

			want := pushconfig.Collect(cl.Client, tt.kind)
			require.NotEmpty(t, want)
			require.NotEmpty(t, c.Requests())
			assert.Equal(t, want, c.Requests()[0].Entries)
		})
	}
}

func TestAnAdminPushesWhenToldThatItIsOne(t *testing.T) {
	c := cluster(t)
	cl := newClient(t, seeds(c), client.WithKind(kcfg.KindAdmin))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	assert.Equal(t, kcfg.KindAdmin, cl.Status().Kinds)
	configs := got(c.Pushes()[0])
	assert.Contains(t, configs, "default.api.timeout.ms")
	assert.NotContains(t, configs, "acks")
}

func TestAConsumerThatProducesBecomesAProducerToo(t *testing.T) {
	c := cluster(t)
	cl, err := client.NewConsumer(seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders")))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	assert.NotContains(t, got(c.Pushes()[0]), "acks")

	produce(t, cl.Client, 1)
	require.NoError(t, c.WaitPushes(withTimeout(t), 2))
	configs := got(c.Pushes()[1])
	assert.Contains(t, configs, "acks")
	assert.Contains(t, configs, "group.id")
	produce(t, cl.Client, 10)
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	assert.Len(t, c.Pushes(), 2, "once")
	assert.Equal(t, kcfg.KindProducer|kcfg.KindConsumer, cl.Status().Kinds)
}

func TestNewFetchLimitsArePushed(t *testing.T) {
	c := cluster(t)
	cl := newClient(t, seeds(c, kgo.ConsumeTopics("orders")))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	cl.UpdateFetchMaxBytes(1<<22, 1<<21)
	require.NoError(t, c.WaitPushes(withTimeout(t), 2))
	configs := got(c.Pushes()[1])
	assert.Equal(t, int32(1<<22), configs["fetch.max.bytes"].Value)
	assert.Equal(t, int32(1<<21), configs["max.partition.fetch.bytes"].Value)
	assert.False(t, configs["fetch.max.bytes"].IsDefault)
}

func TestSecretsStayAndTheHarmlessGoes(t *testing.T) {
	const marker, secret = "a-harmless-marker-4711", "hunter2-hunter2"
	log := &logger{}
	c := cluster(t, fakebroker.CaptureBytes())
	cl := newClient(t, seeds(c, kgo.WithLogger(log)),
		client.ExtraConfig("app.region", marker, sensitive.String),
		client.ExtraConfig("db.password", secret, sensitive.String),
		client.ExtraConfig("ssl.key.password", secret, sensitive.Password),
		client.ExtraConfig("app.backend", "https://svc:"+secret+"@host/", sensitive.String),
		client.ExtraConfig("interceptor.classes", secret, sensitive.List),
		client.ExtraConfig("value.serializer", secret, sensitive.Class),
		client.PushKeys("bootstrap.servers", "ssl.keystore.location", "app.nobody.knows"),
	)
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	produce(t, cl.Client, 1)

	assert.True(t, c.Contains([]byte(marker)), "the capture works")
	assert.False(t, c.Contains([]byte(secret)))
	configs := got(c.Pushes()[0])
	assert.Equal(t, marker, configs["app.region"].Value)
	assert.False(t, configs["app.region"].IsDefault)
	assert.Contains(t, configs, "bootstrap.servers", "PushKeys adds")

	var held []string
	for _, h := range cl.Status().HeldBack {
		held = append(held, h.Key)
		assert.NotEmpty(t, h.Reason)
	}
	assert.Equal(t, []string{"app.backend", "db.password", "interceptor.classes", "ssl.key.password", "ssl.keystore.location", "value.serializer"}, held)
	for _, key := range append(held, "app.nobody.knows") {
		assert.Len(t, log.about(key), 1, "one line about %s", key)
	}
	assert.Empty(t, log.about(secret))
	assert.Empty(t, log.about(marker), "no values at all")
}

func TestOddValuesArriveOrAreHeldBackWhole(t *testing.T) {
	c := cluster(t)
	text := "line one\nline two\t\u00e4\u6f22\U0001f680"
	long := strings.Repeat("x", 100<<10)
	cl := newClient(t, seeds(c),
		client.ExtraConfig("app.text", text, sensitive.String),
		client.ExtraConfig("app.long", long, sensitive.String),
		client.ExtraConfig("app.longest", long[:32767], sensitive.String),
		client.ExtraConfig("app.broken", "\xff\xfe", sensitive.String),
		client.ExtraConfig("app.empty", "", sensitive.String),
	)
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	configs := got(c.Pushes()[0])
	assert.Equal(t, text, configs["app.text"].Value)
	assert.Equal(t, long[:32767], configs["app.longest"].Value)
	assert.Contains(t, configs, "app.empty")
	assert.NotContains(t, configs, "app.long")
	assert.NotContains(t, configs, "app.broken")
	assert.Len(t, cl.Status().HeldBack, 2)
}

func TestAnExtraConfigDoesNotHideTheClientsOwnValue(t *testing.T) {
	log := &logger{}
	c := cluster(t)
	cl := newClient(t, seeds(c), client.WithLogger(log), client.ExtraConfig("acks", "0", sensitive.String))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	assert.Equal(t, "all", got(c.Pushes()[0])["acks"].Value)
	assert.Len(t, log.about("ExtraConfig"), 1)
}

func TestBrokerErrorsReachTheCallerTyped(t *testing.T) {
	const value = "the-value-of-app-region"
	for _, tt := range []struct {
		name string
		code int16
		is   func(error) bool
	}{
		{"CONFIG_TOO_LARGE", 900, isA[*cfgerrors.ConfigTooLargeError]},
		{"INVALID_CONFIG", 40, isA[*cfgerrors.InvalidConfigError]},
		{"POLICY_VIOLATION", 44, isA[*cfgerrors.PolicyViolationError]},
		{"CLUSTER_AUTHORIZATION_FAILED", 31, isA[*cfgerrors.AuthorizationError]},
		{"RESOURCE_IDENTIFIER_TOO_LARGE", 901, isA[*cfgerrors.IdentifierTooLargeError]},
		{"UNSUPPORTED_VERSION", 35, func(err error) bool { return errors.Is(err, errors.ErrUnsupported) }},
		{"an unknown code", 4711, isA[*cfgerrors.CodeError]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := &logger{}
			c := cluster(t)
			message := strings.Repeat("\x00\x1b[31m\n", 100) + "app.region is " + value + strings.Repeat("\x07", 32000)
			c.Script(fakebroker.Fault{Code: tt.code, Message: message, Count: -1})
			cl := newClient(t, seeds(c, kgo.WithLogger(log)), client.ExtraConfig("app.region", value, sensitive.String))

			err := cl.PushConfig(withTimeout(t))
			require.Error(t, err)
			assert.True(t, tt.is(err), "%T", err)
			assert.NotContains(t, err.Error(), value)
			for _, r := range err.Error() {
				assert.True(t, r >= ' ' && r < 0x7f, "%q in the error's text", r)
			}
			assert.Less(t, len(err.Error()), 2048)
			m, ok := errors.AsType[interface {
				error
				Message() string
			}](err)
			require.True(t, ok)
			assert.Equal(t, message, m.Message())
			assert.Empty(t, log.about(value))

			produce(t, cl.Client, 10)
			assert.Len(t, c.Requests(), 1, "not retried")
			s := cl.Status().Push
			require.ErrorIs(t, s.Err, err)
			assert.NotEmpty(t, s.Error)
		})
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func TestTheSizeLimitIsInclusive(t *testing.T) {
	probe := cluster(t)
	opts := []client.Option{client.ExtraConfig("app.blob", strings.Repeat("b", 3000), sensitive.String)}
	require.NoError(t, newClient(t, seeds(probe), opts...).PushConfig(withTimeout(t)))
	// Behind the header of 12 bytes, the client id "kgo" and its length, and the
	// tags, up to the tags of the request itself.
	size := len(probe.Requests()[0].Frame) - 12 - (2 + 3) - 1 - 1

	exact := cluster(t, fakebroker.MaxBytes(size))
	require.NoError(t, newClient(t, seeds(exact), opts...).PushConfig(withTimeout(t)))

	policy := &fakebroker.RecordPolicy{}
	under := cluster(t, fakebroker.MaxBytes(size-1), fakebroker.Policy(policy))
	err := newClient(t, seeds(under), opts...).PushConfig(withTimeout(t))
	require.True(t, isA[*cfgerrors.ConfigTooLargeError](err), "%v", err)
	assert.Empty(t, policy.Calls())
}

// hooks notes events and may block.
type hooks struct {
	mu     sync.Mutex
	pushed []kcfg.Pushed
	failed []kcfg.PushFailure
	block  func(context.Context)
}

func (h *hooks) OnPushed(ctx context.Context, ev kcfg.Pushed) {
	h.mu.Lock()
	h.pushed = append(h.pushed, ev)
	h.mu.Unlock()
	if h.block != nil {
		h.block(ctx)
	}
}

func (h *hooks) OnPushFailed(_ context.Context, ev kcfg.PushFailure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed = append(h.failed, ev)
}

func (h *hooks) counts() (pushed, failed int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.pushed), len(h.failed)
}

func TestHooksSeePushesAndFailures(t *testing.T) {
	c := cluster(t)
	c.Script(fakebroker.Fault{Code: 40, Message: "no"})
	h := &hooks{}
	cl := newClient(t, seeds(c), client.WithHooks(h))
	require.Error(t, cl.PushConfig(withTimeout(t)))
	require.NoError(t, cl.PushConfig(withTimeout(t)), "asked again, it is tried again")
	eventually(t, func() bool { p, f := h.counts(); return p == 1 && f == 1 }, "both hooks ran")
	assert.True(t, isA[*cfgerrors.InvalidConfigError](h.failed[0].Err))
	assert.NotEmpty(t, h.pushed[0].Configs)
	assert.Equal(t, 1, h.pushed[0].Requests)
}

func TestAPushedEventIsLoggedWithoutValues(t *testing.T) {
	var out bytes.Buffer
	ev := kcfg.Pushed{Node: 1, Configs: []sensitive.Entry{{Key: "client.id", Value: "hunter2", Type: sensitive.String}}}
	for _, h := range []slog.Handler{slog.NewJSONHandler(&out, nil), slog.NewTextHandler(&out, nil)} {
		slog.New(h).Info("pushed", "event", ev)
	}
	assert.Equal(t, 2, strings.Count(out.String(), "client.id"))
	assert.NotContains(t, out.String(), "hunter2")
}

// Closing twice waits for a hook that does not heed its context once.
func TestASecondCloseDoesNotWaitForAHookAgain(t *testing.T) {
	c := cluster(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	h := &hooks{block: func(context.Context) { close(entered); <-leave }}
	cl := newClient(t, seeds(c), client.WithHooks(h))
	require.NoError(t, cl.Ping(withTimeout(t)))
	<-entered
	start := time.Now()
	cl.Close()
	first := time.Since(start)
	cl.Close()
	assert.Less(t, time.Since(start), first+900*time.Millisecond)
	assert.Len(t, cl.Status().Warnings, 1)
	close(leave)
}

func TestABlockingHookHoldsUpNeitherTheClientNorClose(t *testing.T) {
	c := cluster(t)
	entered := make(chan struct{})
	h := &hooks{block: func(ctx context.Context) { close(entered); <-ctx.Done() }}
	cl := newClient(t, seeds(c), client.WithHooks(h))
	require.NoError(t, cl.Ping(withTimeout(t)))
	<-entered
	produce(t, cl.Client, 100)
	cl.Close()
}
