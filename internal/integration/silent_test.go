package integration_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// trail is what a client leaves in the logs of the brokers.
type trail struct {
	requests  []string // names of requests, sorted, each once
	decisions []string // operation and resource, sorted, each once
}

// trailOf returns the trail of a client id, and what was decided about a principal
// more often than before.
func trailOf(t *testing.T, c *kafkatest.Cluster, clientID, principal string, before map[string]int) trail {
	t.Helper()
	requests, err := c.Requests(clientID)
	require.NoError(t, err)
	var out trail
	for _, r := range requests {
		require.NotNil(t, kmsg.RequestForKey(r.Key), "a request that Kafka does not know: %d", r.Key)
		out.requests = append(out.requests, r.Name)
	}
	slices.Sort(out.requests)
	out.requests = slices.Compact(out.requests)
	for what, n := range decisions(t, c, principal) {
		if n > before[what] {
			out.decisions = append(out.decisions, what)
		}
	}
	return out
}

// decisions counts what was decided about a principal.
func decisions(t *testing.T, c *kafkatest.Cluster, principal string) map[string]int {
	t.Helper()
	all, err := c.Decisions(principal)
	require.NoError(t, err)
	out := make(map[string]int)
	for _, d := range all {
		out[d.Operation+" "+d.Resource+" "+d.Request]++
	}
	return out
}

// work produces and consumes over several intervals.
func work(t *testing.T, cl *kgo.Client, topic string, rounds int, interval time.Duration) {
	t.Helper()
	for round := range rounds {
		produce(t, cl, topic, 10)
		consume(t, cl, 10)
		if round < rounds-1 {
			tick := time.After(interval)
			select {
			case <-tick:
			case <-t.Context().Done():
			}
		}
	}
}

// Where nothing is set up and nothing was chosen, brokers see of a client what they
// see of bare kgo, over five intervals.
func TestOnAKafkaThatKnowsNothingOfItAClientIsSilent(t *testing.T) {
	const interval = time.Second
	c := kafka(t)
	run := func(what string, newClient func(opts ...kgo.Opt) *kgo.Client) trail {
		topic, id := newTopic(t, c, 3, 3), name(t)+"-"+what
		seen := decisions(t, c, "User:admin")
		cl := newClient(append(as(c, kafkatest.Admin), kgo.ClientID(id), kgo.ConsumeTopics(topic),
			kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.MetadataMaxAge(interval), kgo.MetadataMinAge(interval/2))...)
		work(t, cl, topic, 6, interval)
		cl.Close()
		out := trailOf(t, c, id, "User:admin", seen)
		for i, d := range out.decisions {
			out.decisions[i] = strings.ReplaceAll(d, topic, "TOPIC")
		}
		slices.Sort(out.decisions)
		require.Contains(t, out.requests, "PRODUCE", "the log has what was done")
		require.NotEmpty(t, out.decisions)
		return out
	}
	want := run("bare", func(opts ...kgo.Opt) *kgo.Client { return bare(t, nil, opts...) })
	log := &logger{}
	var cl *client.Client
	got := run("ours", func(opts ...kgo.Opt) *kgo.Client {
		cl = ours(t, append(opts, kgo.WithLogger(log)), client.PollInterval(interval), client.WithKind(kcfg.KindProducer|kcfg.KindConsumer))
		return cl.Client
	})
	assert.Equal(t, want, got)
	assert.Zero(t, cl.Status().Connections.Ours)
	assert.Len(t, log.told(), 1, "%q", log.told())
	after, err := admin(t, c).ListTopics(withTimeout(t))
	require.NoError(t, err)
	for _, topic := range after.Names() {
		assert.NotContains(t, topic, "_kcfg", "no topic was created")
	}

	fresh := ours(t, as(c, kafkatest.Admin))
	require.ErrorIs(t, fresh.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
	require.ErrorIs(t, fresh.RefreshConfigs(withTimeout(t)), cfgerrors.ErrUnsupported)
}

// Who chose the topics where nobody made them, or may not use them, gets one line
// for each, asks within its means, and works.
func TestATransportOverTopicsThatNobodyMadeOrAllowedIsQuiet(t *testing.T) {
	c := kafka(t)
	made := setUp(t, c, kcfg.TopicSetup{})
	for what, tt := range map[string]struct {
		names client.TopicNames
		user  string // Kafka does not tell who may not look that there is nothing
	}{
		"not made":    {client.TopicNames{Dynamic: name(t) + "-x", Clients: name(t) + "-y"}, kafkatest.Admin},
		"not allowed": {made.names, kafkatest.Bob},
	} {
		t.Run(what, func(t *testing.T) {
			topic, log := newTopic(t, c, 3, 3), &logger{}
			allow(t, c, "User:"+kafkatest.Bob, topic)
			cl := ours(t, append(as(c, tt.user), kgo.WithLogger(log), kgo.DisableIdempotentWrite(),
				kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart())),
				client.Transport(client.TransportTopics), client.Topics(tt.names), client.Principal(tt.user),
				client.PollInterval(time.Second), client.WithKind(kcfg.KindProducer))
			work(t, cl.Client, topic, 4, time.Second)
			for range 3 {
				err := cl.RefreshConfigs(withTimeout(t))
				require.Error(t, err)
				_, denied := errors.AsType[*cfgerrors.AuthorizationError](err)
				_, missing := errors.AsType[*cfgerrors.NotSetUpError](err)
				assert.Equal(t, what == "not allowed", denied, "%v", err)
				assert.Equal(t, what == "not made", missing, "%v", err)
			}
			eventually(t, func() bool { return cl.Status().Push.Error != "" }, "the push failed")
			assert.Len(t, log.told(), 2, "one line for each of the two: %q", log.told())
			assert.Equal(t, kcfg.DynamicFailed, cl.Status().Dynamic.State)
		})
	}
}
