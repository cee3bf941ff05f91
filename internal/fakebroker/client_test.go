package fakebroker

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/sensitive"
)

// realEntry is an entry that sensitive lets through.
func realEntry() sensitive.Entry {
	return sensitive.Entry{Key: "fetch.min.bytes", Value: "1", Type: sensitive.Int, IsDefault: true}
}

// pushing pushes to all brokers in a loop, at least once to each, until stop is
// called. It returns the number of pushes that were answered.
func pushing(t *testing.T, c *Cluster, cl *kgo.Client) (stop func() int) {
	t.Helper()
	ctx := testContext(t)
	var (
		end  atomic.Bool
		n    int
		fail error
		done = make(chan struct{})
	)
	go func() {
		defer close(done)
		for !end.Load() || n < len(c.nodes) {
			resp, err := push(ctx, cl, n%len(c.nodes), realEntry())
			if err == nil {
				err = kerr.ErrorForCode(resp.ErrorCode)
			}
			if err != nil {
				fail = err
				return
			}
			n++
		}
	}()
	return func() int {
		end.Store(true)
		<-done
		require.NoError(t, fail)
		return n
	}
}

// roundTrip produces n records of a topic in bursts and consumes them, in order
// within each partition.
func roundTrip(t *testing.T, cl *kgo.Client, topic string, n int) {
	t.Helper()
	ctx := testContext(t)
	for i := range n {
		r := &kgo.Record{Topic: topic, Key: fmt.Append(nil, i%7), Value: fmt.Append(nil, i)}
		cl.Produce(ctx, r, func(_ *kgo.Record, err error) {
			if err != nil {
				t.Errorf("produce: %v", err)
			}
		})
		if i%500 == 499 {
			require.NoError(t, cl.Flush(ctx))
		}
	}
	require.NoError(t, cl.Flush(ctx))
	last := make(map[string]int)
	for seen := 0; seen < n; {
		fetches := cl.PollFetches(ctx)
		require.NoError(t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			seen++
			var i int
			_, err := fmt.Sscan(string(r.Value), &i)
			require.NoError(t, err)
			before, ok := last[string(r.Key)]
			if ok {
				require.Equal(t, before+7, i, "key %s", r.Key)
			} else {
				require.Less(t, i, 7)
			}
			last[string(r.Key)] = i
		})
	}
}

func TestARealClientWorksWhilePushesRunOnIt(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	server := ca.server(t, tls.NoClientCert)
	for _, tt := range []struct {
		name      string
		mechanism string
		tls       bool
		security  string
	}{
		{"plaintext", "", false, "PLAINTEXT"},
		{"PLAIN", mechanismPlain, false, "SASL_PLAINTEXT"},
		{"SCRAM-SHA-256", mechanismScram256, false, "SASL_PLAINTEXT"},
		{"SCRAM-SHA-512", mechanismScram512, false, "SASL_PLAINTEXT"},
		{"TLS", "", true, "SSL"},
		{"TLS and SCRAM-SHA-512", mechanismScram512, true, "SASL_SSL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := []Option{Brokers(2), Topics(4, "t"), Policy(&RecordPolicy{})}
			kopts := []kgo.Opt{kgo.ConsumeTopics("t"), kgo.ConsumerGroup("g"), kgo.ClientID("app")}
			principal := "ANONYMOUS"
			if tt.mechanism != "" {
				principal = "alice"
				opts = append(opts, SASL(User{tt.mechanism, principal, "wonder"}))
				kopts = append(kopts, kgo.SASL(mechanism(tt.mechanism, principal, "wonder")))
			}
			if tt.tls {
				opts = append(opts, TLS(server))
				kopts = append(kopts, kgo.DialTLSConfig(ca.client()))
			}
			c := start(t, opts...)
			cl := newClient(t, c, kopts...)
			stop := pushing(t, c, cl)
			roundTrip(t, cl, "t", 3000)
			n := stop()
			pushes := c.Pushes()
			require.Len(t, pushes, n)
			for _, p := range pushes {
				require.Equal(t, principal, p.Context.Principal)
				require.Equal(t, tt.security, p.Context.Security)
				require.Equal(t, "app", p.Context.ClientID)
				require.Equal(t, "kgo", p.Context.SoftwareName)
				require.NotEmpty(t, p.Context.SoftwareVersion)
				require.Len(t, p.Configs.Entries, 1)
				require.EqualValues(t, 1, p.Configs.Entries[0].Value)
			}
		})
	}
}

func TestAClientWithoutAcksWorksWhilePushesRunOnIt(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(2, "t"), Policy(&RecordPolicy{}))
	cl := newClient(t, c, kgo.ConsumeTopics("t"), kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite())
	stop := pushing(t, c, cl)
	roundTrip(t, cl, "t", 3000)
	stop()
	acks := c.Acks(AnyNode)
	require.Len(t, acks, 1)
	require.Positive(t, acks[0])
}

func TestLargeFetchesPassWhilePushesRun(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(3, "t"), Policy(&RecordPolicy{}))
	cl := newClient(t, c, kgo.ConsumeTopics("t"), kgo.FetchMaxPartitionBytes(32<<20),
		kgo.ProducerBatchCompression(kgo.NoCompression()))
	stop := pushing(t, c, cl)
	ctx := testContext(t)
	const n = 30
	value := func(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(i + 1), byte(i * 3)}, 300_000) }
	for i := range n {
		cl.Produce(ctx, &kgo.Record{Topic: "t", Key: fmt.Append(nil, i), Value: value(i)}, nil)
	}
	require.NoError(t, cl.Flush(ctx))
	for seen := 0; seen < n; {
		fetches := cl.PollFetches(ctx)
		require.NoError(t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			seen++
			var i int
			_, err := fmt.Sscan(string(r.Key), &i)
			require.NoError(t, err)
			require.True(t, bytes.Equal(value(i), r.Value), "record %d", i)
		})
	}
	stop()
}

func TestTransactionsWorkWhilePushesRun(t *testing.T) {
	t.Parallel()
	c := start(t, Brokers(2), Topics(3, "t"), Policy(&RecordPolicy{}))
	cl := newClient(t, c, kgo.TransactionalID("txn"))
	stop := pushing(t, c, cl)
	ctx := testContext(t)
	const rounds, records = 20, 15
	for round := range rounds {
		require.NoError(t, cl.BeginTransaction())
		for range records {
			cl.Produce(ctx, &kgo.Record{Topic: "t", Value: fmt.Append(nil, round)}, nil)
		}
		require.NoError(t, cl.Flush(ctx))
		require.NoError(t, cl.EndTransaction(ctx, kgo.TransactionEndTry(round%2 == 0)))
	}
	stop()
	consumer := newClient(t, c, kgo.ConsumeTopics("t"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	counts := make(map[string]int)
	for seen := 0; seen < rounds/2*records; {
		fetches := consumer.PollFetches(ctx)
		require.NoError(t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			seen++
			counts[string(r.Value)]++
		})
	}
	for round := range rounds {
		want := 0
		if round%2 == 0 {
			want = records
		}
		require.Equal(t, want, counts[fmt.Sprint(round)], "round %d", round)
	}
}

func TestPushesAndRecordsGoOnAcrossReauthentication(t *testing.T) {
	t.Parallel()
	const lifetime = "1100" // milliseconds; kgo begins anew after about 100
	c := start(t, Topics(2, "t"), Policy(&RecordPolicy{}),
		SASL(User{mechanismScram256, "alice", "wonder"}),
		KfakeOpts(kfake.BrokerConfigs(map[string]string{"connections.max.reauth.ms": lifetime})))
	cl := newClient(t, c, kgo.SASL(mechanism(mechanismScram256, "alice", "wonder")))
	stop := pushing(t, c, cl)
	ctx := testContext(t)
	// Two messages for each authentication: until every connection has had
	// several on average.
	for n := 0; c.Count(AnyNode, keySASLAuthenticate) < 8*c.Connections(AnyNode); n++ {
		require.NoError(t, cl.ProduceSync(ctx, &kgo.Record{Topic: "t", Value: fmt.Append(nil, n)}).FirstErr())
	}
	stop()
	for _, p := range c.Pushes() {
		require.Equal(t, "alice", p.Context.Principal)
	}
	for _, r := range c.Requests() {
		require.Equal(t, Answered, r.Answer.Outcome)
	}
}

func TestARealClientSendsOnlyWhereTheKeyIsAdvertised(t *testing.T) {
	t.Parallel()
	c := start(t, Brokers(3), Topics(3, "t"), Policy(&RecordPolicy{}), SupportedBy(1))
	cl := newClient(t, c)
	ctx := testContext(t)
	for node := range 3 {
		_, err := push(ctx, cl, node, realEntry())
		require.Equal(t, node == 1, err == nil, "node %d: %v", node, err)
	}
	require.Len(t, c.Requests(), 1)

	// kgo remembers what a broker advertised until it connects again, so make it.
	// It may first notice that its connection is gone, and does not always retry.
	reconnect := func(nodes ...int32) {
		c.CloseConnections(nodes...)
		for _, node := range nodes {
			before := c.Connections(node)
			for c.Connections(node) == before {
				_, err := cl.Broker(int(node)).Request(ctx, kmsg.NewPtrMetadataRequest())
				require.NoError(t, ctx.Err(), "%v", err)
			}
		}
	}
	require.NoError(t, c.SetSupport(0))
	reconnect(c.Nodes()...)
	for node := range 3 {
		_, err := push(ctx, cl, node, realEntry())
		require.Equal(t, node == 0, err == nil, "node %d: %v", node, err)
	}

	require.NoError(t, c.SetSupportMode(Unserved, 2))
	reconnect(2)
	resp, err := push(ctx, cl, 2, realEntry())
	require.NoError(t, err)
	require.Equal(t, kerr.UnsupportedVersion.Code, resp.ErrorCode)
	require.Len(t, c.Pushes(), 2)
}

func TestAClientSurvivesTheLossOfItsConnections(t *testing.T) {
	t.Parallel()
	c := start(t, Brokers(2), Topics(2, "t"), Policy(&RecordPolicy{}))
	cl := newClient(t, c)
	ctx := testContext(t)
	for range 5 {
		require.NoError(t, cl.ProduceSync(ctx, &kgo.Record{Topic: "t"}).FirstErr())
		before := c.Connections(AnyNode)
		c.CloseConnections()
		require.NoError(t, cl.ProduceSync(ctx, &kgo.Record{Topic: "t"}).FirstErr())
		require.Greater(t, c.Connections(AnyNode), before)
	}
}

func TestAHeldPushDoesNotHoldUpTheRecords(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(1, "t"), Policy(&RecordPolicy{}))
	c.Script(Fault{Hold: make(chan struct{})})
	cl := newClient(t, c, kgo.ConsumeTopics("t"), kgo.RequestTimeoutOverhead(10*time.Minute))
	roundTrip(t, cl, "t", 500) // so that it knows where everything is
	ctx, cancel := context.WithCancel(testContext(t))
	held := make(chan error)
	go func() {
		_, err := push(ctx, cl, 0, realEntry())
		held <- err
	}()
	require.NoError(t, c.WaitPushes(ctx, 1))
	roundTrip(t, cl, "t", 2000)
	select {
	case err := <-held:
		t.Fatal("the push was answered: ", err)
	default:
	}
	cancel()
	require.ErrorIs(t, <-held, context.Canceled)
}

// keeping is a connection that keeps the slice of the last Write.
type keeping struct {
	segments
	last []byte
}

func (k *keeping) Write(p []byte) (int, error) {
	k.last = p
	return len(p), nil
}

// An answer that needs no change goes to the socket as kfake's own slice.
func TestAnAnswerIsNotCopied(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	inner := &keeping{segments: segments{pieces: [][]byte{formatted(kmsg.NewPtrFetchRequest(), 3)}}}
	tap := tapOf(t, c, inner)
	_, err := readFrame(tap)
	require.NoError(t, err)
	answer := sized(append([]byte{0, 0, 0, 0, 0, 0, 0, 3}, make([]byte, 1<<20)...))
	_, err = tap.Write(answer)
	require.NoError(t, err)
	require.Same(t, &answer[0], &inner.last[0])
}
