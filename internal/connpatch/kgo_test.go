package connpatch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/kcfg-go/kcfg"
)

const (
	topic      = "topic"
	partitions = 6
)

// watch is what a kgo client tells of its connections.
type watch struct {
	m        *Manager
	connects atomic.Int64
	foreign  atomic.Int64 // connections that the manager did not find
	writes   [128]atomic.Int64
}

func (w *watch) OnBrokerConnect(meta kgo.BrokerMetadata, _ time.Duration, conn net.Conn, err error) {
	if err != nil {
		return
	}
	w.connects.Add(1)
	if !w.m.Connected(meta.NodeID, conn) {
		w.foreign.Add(1)
	}
}

func (w *watch) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	if err == nil {
		w.writes[key].Add(1)
	}
}

// reauthentications is how often a connection authenticated again.
func (w *watch) reauthentications() int64 { return w.writes[keySaslHandshk].Load() - w.connects.Load() }

func startKfake(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3), kfake.SeedTopics(partitions, topic)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// startKgo makes a kgo client whose connections are a manager's.
func startKgo(t *testing.T, c *kfake.Cluster, p kcfg.Protocol, below DialFunc, opts ...kgo.Opt) (*kgo.Client, *watch) {
	t.Helper()
	w := &watch{m: NewManager(p, below, nil)}
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(c.ListenAddrs()...),
		kgo.Dialer(w.m.Dial),
		kgo.WithHooks(w),
		kgo.DefaultProduceTopic(topic),
	}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl, w
}

// shut closes the client and fails unless its connections were understood.
func shut(t *testing.T, cl *kgo.Client, w *watch) {
	t.Helper()
	cl.Close()
	waitFor(t, "connections are left open", func() bool { return w.m.Counts().Open == 0 })
	got := w.m.Counts()
	assert.Positive(t, got.Requests)
	got.Requests = 0
	assert.Equal(t, Counts{}, got)
	assert.Zero(t, w.foreign.Load())
}

func timeLimit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// produceNumbers produces the numbers from the first one on.
func produceNumbers(ctx context.Context, t *testing.T, cl *kgo.Client, first, count int) {
	t.Helper()
	failed := make(chan error, count)
	for i := range count {
		r := &kgo.Record{Value: []byte(strconv.Itoa(first + i))}
		cl.Produce(ctx, r, func(_ *kgo.Record, err error) {
			if err != nil {
				failed <- err
			}
		})
	}
	require.NoError(t, cl.Flush(ctx))
	select {
	case err := <-failed:
		require.NoError(t, err)
	default:
	}
}

// consumeNumbers consumes the numbers from 0 on and fails unless every one is
// there once, and those of a partition are in order.
func consumeNumbers(ctx context.Context, t *testing.T, cl *kgo.Client, count int) {
	t.Helper()
	seen := make([]bool, count)
	last := make(map[int32]int)
	for n := 0; n < count; {
		fetches := cl.PollFetches(ctx)
		require.NoError(t, fetches.Err0())
		require.Empty(t, fetches.Errors())
		fetches.EachRecord(func(r *kgo.Record) {
			i, err := strconv.Atoi(string(r.Value))
			require.NoError(t, err)
			require.Less(t, i, count)
			require.False(t, seen[i], "%d came twice", i)
			seen[i] = true
			if before, ok := last[r.Partition]; ok {
				require.Less(t, before, i, "out of order in partition %d", r.Partition)
			}
			last[r.Partition] = i
			n++
		})
	}
}

func plaintext() DialFunc { return (&net.Dialer{Timeout: 10 * time.Second}).DialContext }

// certificate returns the two sides of a TLS connection to 127.0.0.1.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: pool}
}

func acks(a kgo.Acks) []kgo.Opt {
	return []kgo.Opt{kgo.RequiredAcks(a), kgo.DisableIdempotentWrite()}
}

func TestKgoProducesAndConsumesThroughUs(t *testing.T) {
	plainAuth := kgo.SASL(plain.Auth{User: "user", Pass: "pass"}.AsMechanism())
	scramAuth := kgo.SASL(scram.Auth{User: "user", Pass: "pass"}.AsSha256Mechanism())
	reauth := kfake.BrokerConfigs(map[string]string{"connections.max.reauth.ms": "1500"})
	serverTLS, clientTLS := certificate(t)

	type scenario struct {
		broker []kfake.Opt
		client []kgo.Opt
		below  DialFunc
		reauth bool
	}
	scenarios := map[string]scenario{
		"idempotent":       {},
		"acks 0":           {client: acks(kgo.NoAck())},
		"acks 1":           {client: acks(kgo.LeaderAck())},
		"acks all":         {client: acks(kgo.AllISRAcks())},
		"one broker":       {broker: []kfake.Opt{kfake.NumBrokers(1)}},
		"PLAIN":            {broker: []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("PLAIN", "user", "pass")}, client: []kgo.Opt{plainAuth}},
		"SCRAM and acks 0": {broker: []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "user", "pass")}, client: append(acks(kgo.NoAck()), scramAuth)},
		"PLAIN again and again": {
			broker: []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("PLAIN", "user", "pass"), reauth},
			client: []kgo.Opt{plainAuth},
			reauth: true,
		},
		"SCRAM again and again": {
			broker: []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "user", "pass"), reauth},
			client: []kgo.Opt{scramAuth},
			reauth: true,
		},
		"TLS": {
			broker: []kfake.Opt{kfake.TLS(serverTLS)},
			below:  (&tls.Dialer{Config: clientTLS}).DialContext,
		},
		"TLS and acks 0": {
			broker: []kfake.Opt{kfake.TLS(serverTLS)},
			below:  (&tls.Dialer{Config: clientTLS}).DialContext,
			client: acks(kgo.NoAck()),
		},
	}
	for name, v := range map[string]*kversion.Versions{
		"0.11": kversion.V0_11_0(), "1.0": kversion.V1_0_0(), "2.4": kversion.V2_4_0(), "2.8": kversion.V2_8_0(), "3.7": kversion.V3_7_0(),
	} {
		scenarios["as Kafka "+name] = scenario{client: append(acks(kgo.LeaderAck()), kgo.MaxVersions(v))}
		scenarios["as Kafka "+name+", acks 0"] = scenario{client: append(acks(kgo.NoAck()), kgo.MaxVersions(v))}
	}
	for name, sc := range scenarios {
		t.Run(name, func(t *testing.T) {
			ctx := timeLimit(t)
			if sc.below == nil {
				sc.below = plaintext()
			}
			c := startKfake(t, sc.broker...)
			producer, pw := startKgo(t, c, kcfg.DefaultProtocol(), sc.below, sc.client...)
			consumer, cw := startKgo(t, c, kcfg.DefaultProtocol(), sc.below, append([]kgo.Opt{kgo.ConsumeTopics(topic)}, sc.client...)...)
			count := 10_000
			produceNumbers(ctx, t, producer, 0, count)
			for sc.reauth && pw.reauthentications() < 3 {
				require.NoError(t, ctx.Err(), "%d re-authentications", pw.reauthentications())
				produceNumbers(ctx, t, producer, count, 20)
				count += 20
			}
			consumeNumbers(ctx, t, consumer, count)
			assert.True(t, pw.m.Produced())
			assert.False(t, cw.m.Produced())
			shut(t, producer, pw)
			shut(t, consumer, cw)
		})
	}
}

func TestAGroupConsumesThroughUs(t *testing.T) {
	for name, tc := range map[string]struct {
		opts []kgo.Opt
		key  int16 // of the request that makes a member
	}{
		"classic": {nil, joinGroup},
		"KIP-848": {[]kgo.Opt{kgo.ServerSideBalancer()}, 68},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := timeLimit(t)
			c := startKfake(t, kfake.NumBrokers(1))
			p := protocolOfKafka()
			opts := append(tc.opts, kgo.ConsumerGroup("group"), kgo.ConsumeTopics(topic))
			cl, w := startKgo(t, c, p, plaintext(), opts...)
			produceNumbers(ctx, t, cl, 0, 10_000)
			consumeNumbers(ctx, t, cl, 10_000)
			require.NoError(t, cl.CommitUncommittedOffsets(ctx))
			require.Positive(t, w.writes[tc.key].Load())
			for range 100 {
				node, ok := w.m.Target(p.PushConfigKey)
				require.True(t, ok)
				require.Negative(t, node, "the broker carries the group's traffic")
			}
			shut(t, cl, w)
		})
	}
}

// protocolOfKafka is a Protocol whose push is an RPC that kfake knows and kgo
// never sends of its own accord, so that kfake can be told how to answer it.
func protocolOfKafka() kcfg.Protocol {
	p := kcfg.DefaultProtocol()
	p.PushConfigKey = 60 // DescribeCluster
	p.Feature = ""
	return p
}

func TestBrokersThatProveNothingAreNoTargets(t *testing.T) {
	ctx := timeLimit(t)
	c := startKfake(t)
	cl, w := startKgo(t, c, kcfg.DefaultProtocol(), plaintext())
	require.NoError(t, cl.Ping(ctx))
	for _, key := range w.m.keys {
		assert.False(t, w.m.Supported(key), fmt.Sprint(key))
		_, ok := w.m.Target(key)
		assert.False(t, ok)
	}
	shut(t, cl, w)
}
