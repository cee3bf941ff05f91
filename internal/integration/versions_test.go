package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// newerThan returns the requests of a client, by name, that the versions do not
// have.
func newerThan(t *testing.T, c *kafkatest.Cluster, clientID string, pinned *kversion.Versions) (names []string) {
	t.Helper()
	requests, err := c.Requests(clientID)
	require.NoError(t, err)
	require.NotEmpty(t, requests)
	for _, r := range requests {
		if highest, ok := pinned.LookupMaxKeyVersion(r.Key); !ok || r.Version > highest {
			names = append(names, r.Name)
		}
	}
	return names
}

// Clients whose requests are those of an older Kafka get all of it too, over topics.
func TestClientsPinnedToOlderVersionsTakeOverridesAndTellOfThemselves(t *testing.T) {
	c := kafka(t)
	for what, pinned := range map[string]*kversion.Versions{
		"2.8": kversion.V2_8_0(), "3.0": kversion.V3_0_0(), "3.7": kversion.V3_7_0(),
	} {
		t.Run(what, func(t *testing.T) {
			s := setUp(t, c, kcfg.TopicSetup{})
			s.set(t, anonymous(), kcfg.Set("acks", "1"), kcfg.Set("session.timeout.ms", "21000"))
			topic, id := newTopic(t, c, 3, 3), name(t)
			cl := ours(t, []kgo.Opt{
				kgo.SeedBrokers(c.Addrs()...), kgo.ClientID(id), kgo.DisableIdempotentWrite(), kgo.ConsumerGroup(id),
				kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
			}, append(s.where(), client.MaxVersions(pinned), client.WithKind(kcfg.KindProducer|kcfg.KindConsumer))...)
			require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
			produce(t, cl.Client, topic, 30)
			consume(t, cl.Client, 30)
			require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
			require.NoError(t, cl.WaitApplied(withTimeout(t), "session.timeout.ms"))
			require.NoError(t, cl.PushConfig(withTimeout(t)))
			recs, err := s.Clients(withTimeout(t))
			require.NoError(t, err)
			require.Len(t, recs.Records, 1)
			assert.Equal(t, cl.ClientInstanceID(), recs.Records[0].Instance)
			assert.Equal(t, id, recs.Records[0].Group)

			eventually(t, func() bool { return len(sentBy(t, c, id, "JOIN_GROUP", "sessionTimeoutMs")) > 0 }, "it joined")
			for _, session := range sentBy(t, c, id, "JOIN_GROUP", "sessionTimeoutMs") {
				assert.InDelta(t, 21000, session, 0)
			}
			eventually(t, func() bool {
				one, all := 0, 0
				for _, acks := range sentBy(t, c, id, "PRODUCE", "acks") {
					if acks == 1 {
						one++
					} else {
						all++
					}
				}
				return one > 0 && all > 0
			}, "the records with acks=1, what it tells of itself with acks=all")
			assert.Empty(t, newerThan(t, c, id, pinned))
		})
	}
}
