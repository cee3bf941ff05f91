package topicstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/kcfg-go/kcfg"
)

// refuses requires that Setup refuses a topic, and neither writes to it nor
// changes its settings.
func refuses(t *testing.T, c *kfake.Cluster, s *Store, topic, reason string) {
	t.Helper()
	records, configs := written(c, topic), configsOf(t, c, topic)
	made, err := s.Setup(withTimeout(t), kcfg.TopicSetup{ApplyACLs: true, Applications: []string{"User:alice"}})
	assert.Contains(t, requireNotSetUp(t, err, topic), reason)
	assert.Zero(t, made.Headers)
	assert.False(t, made.ACLsApplied)
	assert.Equal(t, records, written(c, topic))
	assert.Equal(t, configs, configsOf(t, c, topic))
}

// foreign is a cluster with two topics that have the names of ours.
func foreign(t *testing.T) (*kfake.Cluster, *Store) {
	t.Helper()
	c := cluster(t)
	for _, name := range []string{DefaultDynamicTopic, DefaultClientsTopic} {
		require.NoError(t, c.CreateTopic(name, partitions, map[string]string{"cleanup.policy": "delete"}))
	}
	return c, store(t, c, nil)
}

func TestSetupRefusesATopicWithTheHeaderOfAnotherCluster(t *testing.T) {
	c, s := foreign(t)
	h := headerOf(t, s)
	h.Cluster = "elsewhere"
	putHeaders(t, c, DefaultDynamicTopic, h)
	refuses(t, c, s, DefaultDynamicTopic, "elsewhere")
}

func TestSetupRefusesATopicWithTheHeaderOfAnotherTopic(t *testing.T) {
	c, s := foreign(t)
	h := headerOf(t, s)
	h.Topic = h.Clients
	putHeaders(t, c, DefaultDynamicTopic, h)
	refuses(t, c, s, DefaultDynamicTopic, "another topic")
}

func TestSetupRefusesATopicWithRecordsAndNoHeader(t *testing.T) {
	c, s := foreign(t)
	put(t, c, DefaultDynamicTopic, partitions-1, rec("an order", "of somebody's"))
	refuses(t, c, s, DefaultDynamicTopic, "records and no header")
}

func TestSetupRefusesATopicWhoseHeaderWasRemovedOrDamaged(t *testing.T) {
	c, s := foreign(t)
	putHeaders(t, c, DefaultDynamicTopic, headerOf(t, s))
	putAlice(t, c, tombstone("[1]"))
	refuses(t, c, s, DefaultDynamicTopic, "records and no header")
	putAlice(t, c, rec("[1]", "garbage"))
	refuses(t, c, s, DefaultDynamicTopic, "records and no header")
}

func TestSetupRefusesATopicWithAnotherNumberOfPartitions(t *testing.T) {
	for _, name := range []string{DefaultDynamicTopic, DefaultClientsTopic} {
		c := cluster(t)
		require.NoError(t, c.CreateTopic(name, partitions+1, map[string]string{"cleanup.policy": "delete"}))
		refuses(t, c, store(t, c, nil), name, "13 partitions")
	}
}

// TestSetupRefusesAClientsTopicOfSomebodyElse is for a slip in a name: records of
// clients are deleted after a day, and those of others must not be.
func TestSetupRefusesAClientsTopicOfSomebodyElse(t *testing.T) {
	c, s := foreign(t)
	put(t, c, DefaultClientsTopic, 3, rec("an order", "of somebody's"))
	dynamic := configsOf(t, c, DefaultDynamicTopic)
	refuses(t, c, s, DefaultClientsTopic, "not of clients")
	assert.Equal(t, dynamic, configsOf(t, c, DefaultDynamicTopic))
	assert.Zero(t, written(c, DefaultDynamicTopic))
}

func TestSetupMakesNothingWhereItRefusesTheOther(t *testing.T) {
	c := cluster(t)
	require.NoError(t, c.CreateTopic(DefaultDynamicTopic, partitions, nil))
	putAlice(t, c, acksOf("1"))
	refuses(t, c, store(t, c, nil), DefaultDynamicTopic, "records and no header")
	assert.Nil(t, c.TopicInfo(DefaultClientsTopic))
}
