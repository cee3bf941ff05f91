package topicstore

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// configsOf are the settings that a topic has of its own.
func configsOf(t *testing.T, c *kfake.Cluster, topic string) map[string]string {
	t.Helper()
	info := c.TopicInfo(topic)
	require.NotNil(t, info, topic)
	out := make(map[string]string)
	for k, v := range info.Configs {
		out[k] = *v
	}
	return out
}

// setBy sets a setting of a topic as somebody with a shell does.
func setBy(t *testing.T, c *kfake.Cluster, topic, key, value string) {
	t.Helper()
	resp, err := admin(t, c).AlterTopicConfigs(withTimeout(t), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: key, Value: &value}}, topic)
	require.NoError(t, err)
	require.NoError(t, resp[0].Err)
}

func TestSetupMakesBothTopicsWithTheirSettings(t *testing.T) {
	c := cluster(t)
	made := setUp(t, store(t, c, nil))
	assert.Equal(t, partitions, made.Headers)
	assert.Empty(t, made.ACLs)
	assert.False(t, made.ACLsApplied)
	require.Len(t, made.Topics, 2)
	common := map[string]string{
		"compression.type": "uncompressed", "max.message.bytes": "1048576", "min.cleanable.dirty.ratio": "0.1",
		"min.insync.replicas": "2", "segment.ms": "3600000", "unclean.leader.election.enable": "false",
	}
	own := map[string]map[string]string{
		DefaultDynamicTopic: {"cleanup.policy": "compact", "delete.retention.ms": "86400000", "max.compaction.lag.ms": "86400000"},
		DefaultClientsTopic: {"cleanup.policy": "compact,delete", "delete.retention.ms": "3600000", "max.compaction.lag.ms": "3600000", "retention.ms": "86400000"},
	}
	for _, m := range made.Topics {
		want := own[m.Name]
		maps.Copy(want, common)
		assert.Equal(t, want, configsOf(t, c, m.Name))
		assert.True(t, m.Created)
		got := make(map[string]string)
		for i, s := range m.Settings {
			got[s.Key] = s.Value
			assert.Empty(t, s.Was)
			assert.True(t, i == 0 || m.Settings[i-1].Key < s.Key, "they are sorted")
		}
		assert.Equal(t, want, got)
		assert.Len(t, c.PartitionInfos(m.Name), partitions)
		assert.Equal(t, 3, c.TopicInfo(m.Name).NumReplicas)
	}
	for p, n := range c.PartitionInfos(DefaultDynamicTopic) {
		assert.EqualValues(t, 1, n.HighWatermark, "the header of partition %d", p)
	}
	assert.Zero(t, written(c, DefaultClientsTopic))
}

func TestSetupDoesNothingASecondTime(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	before := written(c, DefaultDynamicTopic)
	w := watch(c)
	made := setUp(t, s)
	got := keysOf(w.take())
	assert.Contains(t, got, kmsg.DescribeConfigs, "it looks")
	for _, key := range []kmsg.Key{kmsg.CreateTopics, kmsg.AlterConfigs, kmsg.IncrementalAlterConfigs, kmsg.Produce} {
		assert.NotContains(t, got, key)
	}
	assert.Zero(t, made.Headers)
	for _, m := range made.Topics {
		assert.False(t, m.Created)
	}
	assert.Equal(t, before, written(c, DefaultDynamicTopic))
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
}

func TestSetupRepairsSettingsAndTellsWhatTheyWere(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	want := configsOf(t, c, DefaultDynamicTopic)
	setBy(t, c, DefaultDynamicTopic, "cleanup.policy", "delete")
	setBy(t, c, DefaultDynamicTopic, "retention.bytes", "1000000") // which is none of ours

	made := setUp(t, s)
	for _, m := range made.Topics {
		for _, setting := range m.Settings {
			was := ""
			if m.Name == DefaultDynamicTopic && setting.Key == "cleanup.policy" {
				was = "delete"
			}
			assert.Equal(t, was, setting.Was, "%s of %s", setting.Key, m.Name)
		}
	}
	want["retention.bytes"] = "1000000"
	assert.Equal(t, want, configsOf(t, c, DefaultDynamicTopic))
}

func TestSetupWritesTheHeadersThatAreMissing(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	// It was cut short after some of them.
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Partitions: []int32{5}, Err: kerr.InvalidRecord, Count: 1})
	made, err := s.Setup(withTimeout(t), kcfg.TopicSetup{})
	require.ErrorIs(t, err, kerr.InvalidRecord)
	assert.Equal(t, 5, made.Headers)
	assert.Equal(t, partitions-5, setUp(t, s).Headers)
	assert.Zero(t, setUp(t, s).Headers)
	assert.Empty(t, self(t, s))
}

func TestSetupTakesTheReplicasThatThereAre(t *testing.T) {
	for _, tt := range []struct {
		brokers  int
		replicas int16
		want     int
		insync   string
	}{
		{brokers: 1, want: 1, insync: "1"}, {brokers: 2, want: 2, insync: "1"},
		{brokers: 4, want: 3, insync: "2"}, {brokers: 4, replicas: 1, want: 1, insync: "1"}, {brokers: 4, replicas: 4, want: 4, insync: "2"},
	} {
		c := cluster(t, kfake.NumBrokers(tt.brokers))
		_, err := store(t, c, nil).Setup(withTimeout(t), kcfg.TopicSetup{Replicas: tt.replicas})
		require.NoError(t, err)
		for _, name := range []string{DefaultDynamicTopic, DefaultClientsTopic} {
			assert.Equal(t, tt.want, c.TopicInfo(name).NumReplicas)
			assert.Equal(t, tt.insync, configsOf(t, c, name)["min.insync.replicas"])
		}
	}
	c := cluster(t, kfake.NumBrokers(1))
	_, err := store(t, c, nil).Setup(withTimeout(t), kcfg.TopicSetup{Replicas: 2})
	require.ErrorIs(t, err, kerr.InvalidReplicationFactor)
	assert.Nil(t, c.TopicInfo(DefaultDynamicTopic))
}

func TestSetupOfOtherNamesLeavesTheDefaultOnesAlone(t *testing.T) {
	c := cluster(t)
	s := store(t, c, func(cfg *Config) { cfg.Names = Names{Dynamic: "overrides", Clients: "who"} })
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	assert.Nil(t, c.TopicInfo(DefaultDynamicTopic))
	assert.Nil(t, c.TopicInfo(DefaultClientsTopic))
}

func TestSetupWithoutTheRightIsAnAuthorizationError(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.CreateTopics, kmsg.Produce, kmsg.ListOffsets, kmsg.DescribeConfigs, kmsg.IncrementalAlterConfigs} {
		c := cluster(t)
		s := store(t, c, nil)
		if key == kmsg.DescribeConfigs || key == kmsg.IncrementalAlterConfigs {
			setUp(t, s)
			setBy(t, c, DefaultDynamicTopic, "cleanup.policy", "delete")
		}
		h := fail(c, key, kerr.TopicAuthorizationFailed)
		_, err := s.Setup(withTimeout(t), kcfg.TopicSetup{})
		require.True(t, is[*cfgerrors.AuthorizationError](err), "%v: %v", key, err)
		assert.Positive(t, h.Hits())
		h.Remove()
		setUp(t, s)
	}
}
