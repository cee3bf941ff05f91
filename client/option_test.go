package client_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/sensitive"
)

func TestBadOptionsAreRefusedWithTheirNames(t *testing.T) {
	with := func(change func(*kcfg.Protocol)) client.Option {
		p := kcfg.DefaultProtocol()
		change(&p)
		return client.WithProtocol(p)
	}
	for _, tt := range []struct {
		name string
		opt  client.Option
		want string
	}{
		{"nil", nil, "option 0 is nil"},
		{"kind", client.WithKind(0), "WithKind"},
		{"unknown kind", client.WithKind(1 << 7), "WithKind"},
		{"dialer", client.Dialer(nil), "Dialer"},
		{"tls", client.DialTLSConfig(nil), "DialTLSConfig"},
		{"versions", client.MaxVersions(nil), "MaxVersions"},
		{"logger", client.WithLogger(nil), "WithLogger"},
		{"backoff", client.RetryBackoff(0, time.Second), "RetryBackoff"},
		{"backoff order", client.RetryBackoff(time.Minute, time.Second), "RetryBackoff"},
		{"timeout", client.PushTimeout(-1), "PushTimeout"},
		{"extra", client.ExtraConfig("", "x", sensitive.String), "ExtraConfig"},
		{"push key", client.PushKeys("a", ""), "PushKeys"},
		{"hook", client.WithHooks(42), "int implements no hook"},
		{"nil hook", client.WithHooks(nil), "implements no hook"},
		{"Kafka's key", with(func(p *kcfg.Protocol) { p.PushConfigKey = 94 }), "94"},
		{"key twice", with(func(p *kcfg.Protocol) { p.PushConfigKey = 900 }), "900"},
		{"negative key", with(func(p *kcfg.Protocol) { p.PushConfigKey = -1 }), "-1"},
		{"codes", with(func(p *kcfg.Protocol) { p.ConfigTooLargeCode = 901 }), "codes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cl, err := client.New(nil, tt.opt)
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "client: ")
			assert.Nil(t, cl)
			require.ErrorContains(t, client.NewPlugin(tt.opt).Err(), tt.want)
		})
	}
}

func TestAllMistakesAreToldAtOnce(t *testing.T) {
	_, err := client.New(nil, client.PushTimeout(0), nil, client.Dialer(nil),
		client.ExtraConfig("a", "1", sensitive.Int), client.ExtraConfig("a", "2", sensitive.Int))
	for _, want := range []string{"PushTimeout", "option 1 is nil", "Dialer", `ExtraConfig("a"): given twice`} {
		require.ErrorContains(t, err, want)
	}
}

func TestAnErrorNeverHoldsAnExtraValue(t *testing.T) {
	_, err := client.New(nil, client.ExtraConfig("", "hunter2-hunter2", sensitive.Password), client.PushTimeout(0))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestNoOptionsAtAllMakeAClient(t *testing.T) {
	for _, opts := range [][]client.Option{nil, {}} {
		cl, err := client.New(nil, opts...)
		require.NoError(t, err)
		assert.Equal(t, kcfg.KindProducer, cl.Status().Kinds)
		cl.Close()
		cl, err = client.New([]kgo.Opt{}, opts...)
		require.NoError(t, err)
		cl.Close()
	}
}

// marked is a hook that tells whether a client was built with it.
type marked struct{ built int }

func (m *marked) OnNewClient(*kgo.Client) { m.built++ }

func TestKgoOptionsThatBypassTheLibraryAreRefusedBeforeAClientIsBuilt(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts []kgo.Opt
		want []string
	}{
		{"DialTLSConfig", []kgo.Opt{kgo.DialTLSConfig(&tls.Config{MinVersion: tls.VersionTLS12})}, []string{"client.DialTLSConfig(cfg)"}},
		{"DialTLS", []kgo.Opt{kgo.DialTLS()}, []string{"client.DialTLSConfig(cfg)"}},
		{"Dialer", []kgo.Opt{kgo.Dialer((&net.Dialer{}).DialContext)}, []string{"client.Dialer(fn)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &marked{}
			cl, err := client.New(append(tt.opts, kgo.WithHooks(m)))
			assert.Nil(t, cl)
			conflict, ok := errors.AsType[*client.OptionConflictError](err)
			require.True(t, ok, "%v", err)
			for _, want := range tt.want {
				assert.Contains(t, conflict.Error(), want)
			}
			assert.Zero(t, m.built)
		})
	}
}

func TestKgosOwnErrorsPassThrough(t *testing.T) {
	opts := []kgo.Opt{kgo.RequiredAcks(kgo.NoAck())} // without DisableIdempotentWrite
	want := kgo.ValidateOpts(opts...)
	require.Error(t, want)
	cl, err := client.New(opts)
	assert.Nil(t, cl)
	assert.Equal(t, want.Error(), err.Error())

	_, err = client.New([]kgo.Opt{kgo.ClientID("a"), nil})
	require.ErrorContains(t, err, "kgo option 1 is nil")
}

func TestTheCallersSlicesAreNotChanged(t *testing.T) {
	kopts := make([]kgo.Opt, 1, 8)
	kopts[0] = kgo.ClientID("a")
	opts := make([]client.Option, 1, 8)
	opts[0] = client.PushKeys("bootstrap.servers")
	cl, err := client.NewProducer(kopts, opts...)
	require.NoError(t, err)
	cl.Close()
	assert.Nil(t, kopts[:2][1])
	assert.Nil(t, opts[:2][1])
}

// Going on without what was asked for, TLS perhaps, would be worse.
func TestAPluginWithBadOptionsMakesAClientThatCannotConnect(t *testing.T) {
	for _, opt := range []client.Option{client.PushTimeout(0), client.DialTLSConfig(nil)} {
		c := cluster(t)
		p := client.NewPlugin(opt)
		cl, err := kgo.NewClient(append(p.Opts(), seeds(c)...)...)
		require.NoError(t, err)
		defer cl.Close()
		require.ErrorIs(t, cl.Ping(withTimeout(t)), p.Err())
		require.ErrorIs(t, p.PushConfig(withTimeout(t)), p.Err())
		assert.Len(t, p.Status().Warnings, 1)
		assert.Zero(t, c.Connections(fakebroker.AnyNode))
	}
}

func TestTheOptionsOfAnotherClientAreRefused(t *testing.T) {
	first, err := client.New([]kgo.Opt{kgo.ClientID("first")})
	require.NoError(t, err)
	defer first.Close()
	for _, opts := range [][]kgo.Opt{client.NewPlugin().Opts(), first.Opts()} {
		cl, err := client.New(opts)
		assert.Nil(t, cl)
		require.ErrorContains(t, err, "another client")
	}
}

func TestANilKgoDialerDoesNotDropTLS(t *testing.T) {
	server, trusting := certificate(t, "localhost")
	c := cluster(t, fakebroker.TLS(server))
	cl := newClient(t, seeds(c, kgo.Dialer(nil)), client.DialTLSConfig(trusting))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	assert.Equal(t, "SSL", c.Pushes()[0].Context.Security)
}

// Their dialer would have been lost without a word, and the TLS in it.
func TestAKgoDialerInFrontOfAPluginFailsEveryDial(t *testing.T) {
	c := cluster(t)
	p := client.NewPlugin()
	cl, err := kgo.NewClient(append(seeds(c, kgo.Dialer((&net.Dialer{}).DialContext)), p.Opts()...)...)
	require.NoError(t, err)
	defer cl.Close()
	err = cl.Ping(withTimeout(t))
	require.True(t, isA[*client.OptionConflictError](err), "%v", err)
	require.ErrorContains(t, err, "client.Dialer(fn)")
	assert.Zero(t, c.Connections(fakebroker.AnyNode))
	assert.Len(t, p.Status().Warnings, 1)
	require.ErrorIs(t, p.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
}

func TestNoFormOfAPluginShowsAValue(t *testing.T) {
	const value = "hunter2-hunter2"
	p := client.NewPlugin(client.ExtraConfig("db.password", value, sensitive.Password))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		assert.NotContains(t, fmt.Sprintf(verb, p), "hunter2", verb)
	}
}

func TestAnExtraConfigMustBeWhatItsKeyAndTypeSay(t *testing.T) {
	for _, tt := range []struct {
		key, value string
		t          sensitive.Type
		want       string
	}{
		{"value.serializer", "org.example.Value", sensitive.String, "CLASS"},
		{"send.buffer.bytes", "1", sensitive.String, "INT"},
		{"Client.Id", "a", sensitive.String, "client.id"},
		{"app.number", "hunter2", sensitive.Int, "app.number"},
	} {
		_, err := client.New(nil, client.ExtraConfig(tt.key, tt.value, tt.t))
		require.ErrorContains(t, err, tt.want)
		assert.NotContains(t, err.Error(), "hunter2")
	}
	cl, err := client.New(nil, client.ExtraConfig("value.serializer", "org.example.Value", sensitive.Class))
	require.NoError(t, err, "it is held back")
	cl.Close()
}

func TestAPluginWithoutAClientIsNotInstrumented(t *testing.T) {
	p := client.NewPlugin()
	require.ErrorIs(t, p.PushConfig(withTimeout(t)), cfgerrors.ErrNotInstrumented)
	assert.Equal(t, kcfg.PushWaiting, p.Status().Push.State)
}

func TestASecondClientOnAPluginIsWarnedOf(t *testing.T) {
	log := &logger{}
	c := cluster(t)
	p := client.NewPlugin(client.WithLogger(log))
	var cls []*kgo.Client
	for range 2 {
		cl, err := kgo.NewClient(append(p.Opts(), seeds(c)...)...)
		require.NoError(t, err)
		defer cl.Close()
		cls = append(cls, cl)
	}
	require.NoError(t, p.PushConfig(withTimeout(t)))
	p.UpdateFetchMaxBytes(1<<20, 1<<20) // of the first; of no consequence for a producer
	for _, cl := range cls {
		produce(t, cl, 10)
	}
	assert.Len(t, log.about("second kgo client"), 1)
	assert.Len(t, p.Status().Warnings, 1)
	assert.Len(t, c.Pushes(), 1)
}

func TestAKgoDialerBehindAPluginIsSeenAndSaid(t *testing.T) {
	log := &logger{}
	c := cluster(t)
	p := client.NewPlugin(client.WithLogger(log))
	cl, err := kgo.NewClient(append(p.Opts(), seeds(c, kgo.Dialer((&net.Dialer{}).DialContext))...)...)
	require.NoError(t, err)
	defer cl.Close()
	require.ErrorIs(t, p.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
	produce(t, cl, 10)
	require.ErrorIs(t, p.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
	assert.Len(t, log.about("client.Dialer"), 1)
	assert.Equal(t, "conflicting options", p.Status().Push.Reason)
	assert.Empty(t, c.Requests())
}
