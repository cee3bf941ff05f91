package topicstore

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg"
)

// spy is a hook of an application's that nothing of a session may reach. The
// application's own client cannot connect.
type spy struct {
	t    *testing.T
	made *int
}

func (h spy) OnNewClient(*kgo.Client) { *h.made++ }
func (h spy) OnBrokerWrite(kgo.BrokerMetadata, int16, int, time.Duration, time.Duration, error) {
	h.t.Error("a request")
}
func (h spy) OnProduceRecordBuffered(*kgo.Record) { h.t.Error("a record") }

func nowhere(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }

func option[T any](t *testing.T, cl *kgo.Client, opt any) T {
	t.Helper()
	v, ok := cl.OptValue(opt).(T)
	require.True(t, ok)
	return v
}

func TestASessionHasNothingOfTheApplicationsWork(t *testing.T) {
	c := cluster(t)
	setUp(t, store(t, c, nil))
	made := 0
	cl := bare(t, c, kgo.WithHooks(spy{t, &made}), kgo.Dialer(nowhere), kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"),
		kgo.TransactionalID("txn"), kgo.DefaultProduceTopic("orders"), kgo.ProducerBatchCompression(kgo.GzipCompression()),
		kgo.InstanceID("i"), kgo.AllowAutoTopicCreation())
	s := New(cl, configured(nil))
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	_, err := s.Push(withTimeout(t), clean(t, acksEntry()))
	require.NoError(t, err)

	own, err := s.session()
	require.NoError(t, err)
	defer own.Close()
	assert.Equal(t, 1, made, "the hook saw the application's client only")
	for _, h := range option[[]kgo.Hook](t, own, kgo.WithHooks) {
		assert.NotEqual(t, kgo.Hook(spy{t, &made}), h)
	}
	assert.Empty(t, option[string](t, own, kgo.ConsumerGroup))
	assert.Empty(t, own.GetConsumeTopics())
	assert.Empty(t, option[string](t, own, kgo.DefaultProduceTopic))
	assert.False(t, option[bool](t, own, kgo.AllowAutoTopicCreation))
	if id := own.OptValue(kgo.TransactionalID); id != nil {
		assert.Empty(t, id)
	}
	assert.True(t, option[bool](t, own, kgo.DisableIdempotentWrite))
	assert.True(t, option[bool](t, own, kgo.DisableClientMetrics))
}

// frames are the first bytes of the requests that a Dial sent.
type frames struct {
	mu      sync.Mutex
	clients map[string]bool
	keys    map[int16]bool
}

type framesConn struct {
	net.Conn
	f *frames
}

func (f *frames) dial(ctx context.Context, network, host string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, host)
	return &framesConn{c, f}, err
}

// Write is called by kgo once for every request.
func (c *framesConn) Write(b []byte) (int, error) {
	if len(b) > 14 {
		n := int(int16(binary.BigEndian.Uint16(b[12:])))
		c.f.mu.Lock()
		c.f.keys[int16(binary.BigEndian.Uint16(b[4:]))] = true
		if n >= 0 && 14+n <= len(b) {
			c.f.clients[string(b[14:14+n])] = true
		}
		c.f.mu.Unlock()
	}
	return c.Conn.Write(b)
}

func TestASessionIsTheSameToTheCluster(t *testing.T) {
	c := cluster(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "admin", "admin"))
	f := &frames{clients: make(map[string]bool), keys: make(map[int16]bool)}
	var mu sync.Mutex
	names := make(map[string]bool)
	c.ControlKey(kmsg.ApiVersions.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		mu.Lock()
		defer mu.Unlock()
		r := req.(*kmsg.ApiVersionsRequest)
		names[r.ClientSoftwareName+" "+r.ClientSoftwareVersion] = true
		return nil, nil, false
	})
	cl := bare(t, c, as("admin", "admin"), kgo.SoftwareNameAndVersion("app", "7"), kgo.Rack("r"), kgo.RequestTimeoutOverhead(17*time.Second))
	s := New(cl, configured(func(cfg *Config) { cfg.Dial = f.dial }))
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	assert.Equal(t, map[string]bool{"orders": true}, f.clients)
	assert.True(t, f.keys[kmsg.SASLAuthenticate.Int16()])
	assert.True(t, f.keys[kmsg.Produce.Int16()])
	mu.Lock()
	assert.Equal(t, map[string]bool{"app 7": true}, names)
	mu.Unlock()

	own, err := s.session()
	require.NoError(t, err)
	defer own.Close()
	assert.Equal(t, "r", option[string](t, own, kgo.Rack))
	assert.Equal(t, 17*time.Second, option[time.Duration](t, own, kgo.RequestTimeoutOverhead))
}

func TestASessionSendsNoVersionThatTheApplicationDoesNot(t *testing.T) {
	c := cluster(t)
	pinned := kversion.V2_8_0()
	pinned.SetMaxKeyVersion(902, 0) // a key of ours, which the session has no use for
	cl := bare(t, c, kgo.MaxVersions(pinned))
	s := New(cl, configured(nil))
	w := watch(c)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	seen := 0
	for _, r := range w.take() {
		most, ok := pinned.LookupMaxKeyVersion(r.key)
		require.True(t, ok, "%v", kmsg.Key(r.key))
		assert.LessOrEqual(t, r.version, most, "%v", kmsg.Key(r.key))
		seen++
	}
	assert.Greater(t, seen, 10)
	// The application's object is as it was.
	v, ok := pinned.LookupMaxKeyVersion(902)
	assert.True(t, ok)
	assert.Zero(t, v)
	assert.False(t, s.versions().HasKey(902))
}

func TestASessionFetchesByNameWhateverTheVersions(t *testing.T) {
	c := cluster(t)
	for _, opts := range [][]kgo.Opt{nil, {kgo.MaxVersions(kversion.Stable())}, {kgo.MaxVersions(kversion.Tip())}} {
		s := New(bare(t, c, opts...), configured(nil))
		setUp(t, s)
		w := watch(c)
		require.Empty(t, self(t, s))
		fetched := false
		for _, r := range w.take() {
			if r.key == kmsg.Fetch.Int16() {
				fetched = true
				assert.EqualValues(t, fetchVersion, r.version)
			}
		}
		assert.True(t, fetched)
	}
}

func TestNothingOfASessionIsLoggedAboveDebug(t *testing.T) {
	c := cluster(t)
	said := make(chan kgo.LogLevel, 1000)
	s := store(t, c, func(cfg *Config) {
		cfg.Log = func(level kgo.LogLevel, _ string, _ ...any) { said <- level }
	})
	setUp(t, s)
	c.Close()
	ctx, cancel := context.WithCancel(withTimeout(t))
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		defer cancel()
		select {
		case level := <-said: // kgo warns that nobody is there
			assert.Equal(t, kgo.LogLevelDebug, level)
		case <-ctx.Done():
			t.Error("kgo had nothing to say")
		}
	})
	_, err := s.DescribeSelf(ctx, "orders", nil)
	require.Error(t, err)
	wg.Wait()
	for len(said) > 0 {
		assert.Equal(t, kgo.LogLevelDebug, <-said)
	}
}
