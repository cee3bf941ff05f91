package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// records are what the clients of a cluster tell of themselves.
func records(t *testing.T, a *client.Admin) []kcfg.ClientRecord {
	t.Helper()
	recs, err := a.Clients(withTimeout(t))
	require.NoError(t, err)
	return recs.Records
}

func TestACloseDuringAPushTakesTheRecordBackAllTheSame(t *testing.T) {
	c := unmodified(t)
	a := setUp(t, c)
	hold := make(chan struct{})
	defer close(hold)
	before := c.Count(fakebroker.AnyNode, int16(kmsg.Produce))
	c.Script(fakebroker.Fault{Keys: []int16{int16(kmsg.Produce)}, Count: 1, Hold: hold}) // written, and not answered
	cl, err := client.NewProducer(seeds(c), overTopics())
	require.NoError(t, err)
	require.NoError(t, cl.Ping(withTimeout(t)))
	require.NoError(t, c.Wait(withTimeout(t), func() bool { return c.Count(fakebroker.AnyNode, int16(kmsg.Produce)) > before }))
	eventually(t, func() bool { return len(records(t, a)) == 1 }, "it is there")
	cl.Close()
	eventually(t, func() bool { return len(records(t, a)) == 0 }, "and taken back")
}

func TestAClientThatTakesNothingSupportsNothing(t *testing.T) {
	for name, opt := range map[string]client.Option{
		"disabled":      client.DisableDynamicConfigs(),
		"nobody known":  client.Dialer(dialPlain),
		"one that does": client.PollInterval(time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			c := unmodified(t)
			a := setUp(t, c)
			cl := acksProducer(t, c, overTopics(), opt)
			require.NoError(t, cl.PushConfig(withTimeout(t)))
			recs := records(t, a)
			require.Len(t, recs, 1)
			if name == "one that does" {
				assert.Equal(t, []string{"acks"}, recs[0].Supported)
				return
			}
			assert.Empty(t, recs[0].Supported)
		})
	}
}

func TestWhatLooksLikeACredentialIsNowhereInTheRecord(t *testing.T) {
	c := unmodified(t)
	a := setUp(t, c)
	id, group := "svc:hunter2pw@db:5432", "https://u:hunter2pw@h/"
	cl, err := client.NewConsumer(seeds(c, kgo.ClientID(id), kgo.ConsumerGroup(group), kgo.ConsumeTopics("orders")), overTopics())
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	recs := records(t, a)
	require.Len(t, recs, 1)
	assert.Empty(t, recs[0].ClientID)
	assert.Empty(t, recs[0].Group)
	assert.NotEmpty(t, recs[0].Configs, "the rest is there")
}

func TestAClientTellsOfItselfAgainWhenTheTopicWasMadeAgain(t *testing.T) {
	c := unmodified(t)
	a := setUp(t, c)
	cl := acksProducer(t, c, overTopics())
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	require.Len(t, records(t, a), 1)
	require.NoError(t, c.Kfake().DeleteTopic("_kcfg_clients"))
	_, err := a.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
	require.NoError(t, err)
	require.Empty(t, records(t, a))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	eventually(t, func() bool { return len(records(t, a)) == 1 }, "it is back")
}

func TestAutoGoesBackToTheTopicsWhenTheRPCsAreGone(t *testing.T) {
	c := overriding(t, fakebroker.Brokers(3))
	a := setUp(t, c)
	setTopics(t, a, kcfg.Set("acks", "1"))
	set(t, c, kcfg.Set("acks", "0"))
	cl := acksProducer(t, c, client.Transport(client.TransportAuto), client.PollInterval(time.Second))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, 10)
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
	require.Equal(t, "0", *state(t, cl.Status(), "acks").InForce, "the RPCs go first")

	require.NoError(t, c.SetSupport())
	c.CloseConnections()
	eventually(t, func() bool {
		produce(t, cl.Client, 1)
		return *state(t, cl.Status(), "acks").InForce == "1"
	}, "by itself")
	assert.Equal(t, kcfg.DynamicPolled, cl.Status().Dynamic.State)
}

func TestAnAdminThatKnowsNotWhatBrokersSpeakDoesNotTakeTopicsForThem(t *testing.T) {
	c := overriding(t)
	setUp(t, c)
	cl, err := kgo.NewClient(seeds(c)...)
	require.NoError(t, err)
	defer cl.Close()
	a, err := client.NewAdmin(cl, client.Transport(client.TransportAuto))
	require.NoError(t, err)
	_, err = a.AlterClientConfigs(withTimeout(t), kcfg.Alter(everyone(), kcfg.Set("acks", "1")))
	require.ErrorIs(t, err, cfgerrors.ErrNotInstrumented)
}

func TestPrincipalsAreChecked(t *testing.T) {
	_, err := client.New(nil, client.Principal("User:alice"))
	require.ErrorContains(t, err, "User:")
	c := unmodified(t)
	a := operator(t, c)
	for _, p := range []string{"orders", "", ":x", "User:"} {
		_, err := a.SetupTopics(withTimeout(t), kcfg.TopicSetup{Applications: []string{p}})
		require.ErrorContains(t, err, "principal")
	}
}
