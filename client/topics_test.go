package client_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/sensitive"
)

// unmodified is a cluster that speaks none of our RPCs, as the Kafka that people
// run.
func unmodified(t *testing.T, opts ...fakebroker.Option) *fakebroker.Cluster {
	t.Helper()
	c, err := fakebroker.New(append([]fakebroker.Option{fakebroker.Brokers(3), fakebroker.Topics(3, "orders")}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func overTopics() client.AnyOption { return client.Transport(client.TransportTopics) }

// operator is an Admin over topics, on a client that is not ours.
func operator(t *testing.T, c *fakebroker.Cluster) *client.Admin {
	t.Helper()
	cl, err := kgo.NewClient(seeds(c)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	a, err := client.NewAdmin(cl, overTopics())
	require.NoError(t, err)
	return a
}

// setUp is operator, with the topics made.
func setUp(t *testing.T, c *fakebroker.Cluster) *client.Admin {
	t.Helper()
	a := operator(t, c)
	made, err := a.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
	require.NoError(t, err)
	require.Equal(t, 12, made.Headers)
	return a
}

func setTopics(t *testing.T, a *client.Admin, ops ...kcfg.Op) {
	t.Helper()
	out, err := a.AlterClientConfigs(withTimeout(t), kcfg.Alter(everyone(), ops...))
	require.NoError(t, err)
	require.Len(t, out, 1)
	require.NoError(t, out[0].Err)
}

func TestOverTopicsAnOverrideIsInForceWithTheNextProduceAndItsRemovalToo(t *testing.T) {
	for name, opts := range map[string][]client.Option{
		"newest": nil,
		"2.8":    {client.MaxVersions(kversion.V2_8_0())},
		"3.0":    {client.MaxVersions(kversion.V3_0_0())},
		"auto":   {client.Transport(client.TransportAuto)},
	} {
		t.Run(name, func(t *testing.T) {
			c := unmodified(t)
			a := setUp(t, c)
			cl := acksProducer(t, c, append([]client.Option{overTopics()}, opts...)...)
			produce(t, cl.Client, 10)
			for _, acks := range []string{"1", "0", "all"} {
				setTopics(t, a, kcfg.Set("acks", acks))
				require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
				produce(t, cl.Client, 10)
				require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
				assert.Equal(t, acks, *state(t, cl.Status(), "acks").InForce)
			}
			setTopics(t, a, kcfg.Remove("acks"))
			require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
			assert.Equal(t, kcfg.OverrideStatic, state(t, cl.Status(), "acks").State)
			require.NoError(t, cl.PushConfig(withTimeout(t)))
			assert.Empty(t, c.Requests(), "none of the RPCs")
		})
	}
}

func TestAutoTakesTheRPCsWhereTheyAre(t *testing.T) {
	c := overriding(t)
	set(t, c, kcfg.Set("acks", "1"))
	cl := acksProducer(t, c, client.Transport(client.TransportAuto))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, 10)
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	assert.NotEmpty(t, c.Pushes())
	a, err := client.NewAdmin(cl.Client)
	require.NoError(t, err)
	got, err := a.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser("ANONYMOUS"))
	require.NoError(t, err)
	assert.NotEmpty(t, got)
}

func TestTopicsThatNobodySetUpAreOneLineAndNoTopic(t *testing.T) {
	c := unmodified(t)
	log := &logger{}
	cl, err := client.NewConsumer(seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"), kgo.WithLogger(log)),
		overTopics(), client.PollInterval(time.Second))
	require.NoError(t, err)
	defer cl.Close()
	produce(t, cl.Client, 10)
	consume(t, cl.Client, 10)
	for range 3 {
		require.True(t, isA[*cfgerrors.NotSetUpError](cl.RefreshConfigs(withTimeout(t))))
		require.True(t, isA[*cfgerrors.NotSetUpError](cl.PushConfig(withTimeout(t))))
	}
	assert.Equal(t, kcfg.DynamicFailed, cl.Status().Dynamic.State)
	assert.Contains(t, cl.Status().Dynamic.Error, "_kcfg_dynamic_configs")
	assert.Contains(t, cl.Status().Push.Error, "_kcfg_clients")
	assert.Len(t, log.told(), 2, "one for each of the two: %q", log.told())
	topics, err := kadm.NewClient(cl.Client).ListTopics(withTimeout(t))
	require.NoError(t, err)
	assert.Equal(t, []string{"orders"}, topics.Names())

	a := setUp(t, c)
	setTopics(t, a, kcfg.Set("session.timeout.ms", "20000"))
	require.NoError(t, cl.WaitApplied(withTimeout(t), "session.timeout.ms"), "by itself, within an interval or two")
	eventually(t, func() bool { return cl.Status().Push.State == kcfg.PushPushed }, "and it tells of itself then")
}

func TestOverTopicsTheFirstJoinCarriesTheSessionTimeout(t *testing.T) {
	c := unmodified(t)
	a := setUp(t, c)
	setTopics(t, a, kcfg.Set("session.timeout.ms", "12000"), kcfg.Set("heartbeat.interval.ms", "4000"))
	j := watchGroup(c)
	cl, err := client.NewConsumer(seeds(c, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders")), overTopics())
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.WaitApplied(withTimeout(t), "session.timeout.ms"))
	for _, session := range j.since(0) { // the first is answered with a member id
		assert.Equal(t, int32(12000), session)
	}
}

func TestAClientWhoseUserIsNotKnownTellsOfItselfAndTakesNothing(t *testing.T) {
	for name, opt := range map[string]client.Option{
		"an own dialer": client.Dialer(dialPlain),
		"told":          client.Principal("bob"),
	} {
		t.Run(name, func(t *testing.T) {
			c := unmodified(t)
			a := setUp(t, c)
			setTopics(t, a, kcfg.Set("acks", "1"))
			cl := acksProducer(t, c, overTopics(), opt)
			require.NoError(t, cl.PushConfig(withTimeout(t)))
			err := cl.RefreshConfigs(withTimeout(t))
			if name == "told" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "client.Principal")
				require.ErrorIs(t, err, errors.ErrUnsupported)
				assert.Contains(t, cl.Status().Dynamic.Reason, "client.Principal")
				assert.Len(t, cl.Status().Warnings, 1)
			}
			produce(t, cl.Client, 10)
			assert.Zero(t, c.Acks(fakebroker.AnyNode)[1])
			recs, err := a.Clients(withTimeout(t))
			require.NoError(t, err)
			require.Len(t, recs.Records, 1)
			if name == "told" {
				assert.Equal(t, "bob", *recs.Records[0].Principal)
			} else {
				assert.Nil(t, recs.Records[0].Principal)
			}
		})
	}
}

func TestAClientTellsOfItselfAtItsStartAtEachChangeAndAtItsEnd(t *testing.T) {
	c := unmodified(t)
	a := setUp(t, c)
	cl, err := client.NewProducer(seeds(c, kgo.ClientID("payments"), kgo.DisableIdempotentWrite()), overTopics(),
		client.PollInterval(time.Second), client.ExtraConfig("db.password", "hunter2", sensitive.Password))
	require.NoError(t, err)
	defer cl.Close()
	produce(t, cl.Client, 1)
	only := func() kcfg.ClientRecord {
		recs, err := a.Clients(withTimeout(t))
		require.NoError(t, err)
		if len(recs.Records) == 0 {
			return kcfg.ClientRecord{}
		}
		require.Len(t, recs.Records, 1)
		return recs.Records[0]
	}
	eventually(t, func() bool { return only().Instance == cl.ClientInstanceID() }, "at the start")
	r := only()
	assert.Equal(t, "payments", r.ClientID)
	assert.Equal(t, "ANONYMOUS", *r.Principal)
	assert.Equal(t, kcfg.KindProducer, r.Kinds)
	assert.Equal(t, "kgo", r.Software.Name)
	assert.Equal(t, []string{"acks"}, r.Supported)
	keys := make(map[string]kcfg.ClientConfig)
	for _, e := range r.Configs {
		keys[e.Key] = e
	}
	assert.Equal(t, kcfg.ClientConfig{Key: "acks", Value: "all", Type: "STRING", Default: true}, keys["acks"])
	assert.NotContains(t, keys, "db.password")

	setTopics(t, a, kcfg.Set("acks", "1"))
	eventually(t, func() bool {
		produce(t, cl.Client, 1)
		r := only()
		for _, k := range r.Dynamic {
			if k.Key == "acks" && k.State == kcfg.OverrideApplied {
				return *k.InForce == "1"
			}
		}
		return false
	}, "where each key stands")
	got, err := a.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser("ANONYMOUS").Client("payments"))
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, map[string][]string{r.Software.String(): {"acks"}}, got[0].Supported)

	cl.Close()
	assert.Empty(t, only().Instance, "a clean end takes it back")
}

func TestAClientOfWhichNothingIsWishedTellsOfItselfOnce(t *testing.T) {
	c := unmodified(t)
	a := setUp(t, c)
	cl := acksProducer(t, c, overTopics())
	for range 3 {
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		require.NoError(t, cl.PushConfig(withTimeout(t)))
	}
	assert.Equal(t, 1, cl.Status().Push.Pushes)
	recs, err := a.Clients(withTimeout(t))
	require.NoError(t, err)
	require.Len(t, recs.Records, 1)
	require.Len(t, recs.Records[0].Dynamic, 1, "with where its keys stand")
	assert.Equal(t, kcfg.OverrideStatic, recs.Records[0].Dynamic[0].State)

	setTopics(t, a, kcfg.Set("acks", "1"))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	assert.Equal(t, 2, cl.Status().Push.Pushes, "pending")
}

func TestTheApplicationsClientSeesNothingOfTheTransport(t *testing.T) {
	c := unmodified(t)
	a := setUp(t, c)
	setTopics(t, a, kcfg.Set("acks", "1"))
	seen := &hookCounts{}
	cl := newClient(t, seeds(c, kgo.DisableIdempotentWrite(), kgo.WithHooks(seen), kgo.ConsumeTopics("orders")), overTopics(), client.WithKind(kcfg.KindProducer))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	produce(t, cl.Client, 10)
	consume(t, cl.Client, 10)
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"), "the path ran")
	assert.Zero(t, cl.BufferedProduceRecords())
	assert.NotContains(t, cl.GetConsumeTopics(), "_kcfg_dynamic_configs")
	assert.Zero(t, cl.Status().Connections.Ours)
	assert.Positive(t, c.Count(fakebroker.AnyNode, int16(kmsg.Produce))-seen.count(int16(kmsg.Produce)), "a record of the transport's own was written")
}

func TestNamesOfTopicsAreChecked(t *testing.T) {
	for _, names := range []client.TopicNames{{Dynamic: "a b"}, {Clients: ".."}, {Dynamic: "x", Clients: "x"}, {Dynamic: "_kcfg_clients"}} {
		_, err := client.New(nil, client.Topics(names))
		require.ErrorContains(t, err, "Topics")
		cl, err := kgo.NewClient()
		require.NoError(t, err)
		_, err = client.NewAdmin(cl, client.Topics(names))
		require.ErrorContains(t, err, "Topics")
		cl.Close()
	}
	_, err := client.New(nil, client.Transport(9))
	require.ErrorContains(t, err, "Transport")
	_, err = client.New(nil, client.Principal(""))
	require.ErrorContains(t, err, "Principal")
}

func TestOtherNamesOfTopicsAreUsedByAll(t *testing.T) {
	c := unmodified(t)
	names := client.Topics(client.TopicNames{Dynamic: "overrides", Clients: "fleet"})
	cl := acksProducer(t, c, overTopics(), names)
	a, err := client.NewAdmin(cl.Client)
	require.NoError(t, err)
	made, err := a.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
	require.NoError(t, err)
	assert.Equal(t, "fleet", made.Topics[0].Name)
	setTopics(t, a, kcfg.Set("acks", "1"))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, 1)
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	recs, err := a.Clients(withTimeout(t))
	require.NoError(t, err)
	assert.Len(t, recs.Records, 1)
}

func dialPlain(ctx context.Context, network, addr string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}

// hookCounts counts requests written, by key.
type hookCounts struct {
	mu sync.Mutex
	n  map[int16]int
}

func (h *hookCounts) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.n == nil {
		h.n = make(map[int16]int)
	}
	if err == nil {
		h.n[key]++
	}
}

func (h *hookCounts) count(key int16) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n[key]
}
