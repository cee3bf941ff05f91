package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// documented returns the settings of both topics as docs/topics.md has them.
func documented(t *testing.T) (dynamic, clients map[string]string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "topics.md"))
	require.NoError(t, err)
	_, text, ok := strings.Cut(string(b), "<!-- example:settings -->\n")
	require.True(t, ok)
	text, _, _ = strings.Cut(text, "\n\n")
	dynamic, clients = make(map[string]string), make(map[string]string)
	for _, line := range strings.Split(text, "\n")[2:] {
		cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "| "), "`", ""), "|")
		require.Len(t, cells, 3, line)
		for i, m := range []map[string]string{dynamic, clients} {
			if v := strings.TrimSpace(cells[i+1]); v != "" {
				m[strings.TrimSpace(cells[0])] = v
			}
		}
	}
	require.NotEmpty(t, dynamic)
	return dynamic, clients
}

// ownSettings returns what was set for a topic itself, as the brokers have it.
func ownSettings(t *testing.T, c *kafkatest.Cluster, topic string) map[string]string {
	t.Helper()
	got, err := admin(t, c).DescribeTopicConfigs(withTimeout(t), topic)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, got[0].Err)
	own := make(map[string]string)
	for _, config := range got[0].Configs {
		if config.Source == kmsg.ConfigSourceDynamicTopicConfig {
			own[config.Key] = config.MaybeValue()
		}
	}
	return own
}

func TestBothTopicsHaveTheSettingsOfTheirDescription(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	dynamic, clients := documented(t)
	for topic, want := range map[string]map[string]string{s.names.Dynamic: dynamic, s.names.Clients: clients} {
		assert.Equal(t, want, ownSettings(t, c, topic), "%s", topic)
		partitions := topicDetail(t, c, topic).Partitions
		assert.Len(t, partitions, 12)
		assert.Equal(t, 3, partitions.NumReplicas())
	}

	single := operator(t, c)
	_, err := single.SetupTopics(withTimeout(t), kcfg.TopicSetup{Replicas: 1})
	require.NoError(t, err)
	dynamic["min.insync.replicas"] = "1"
	assert.Equal(t, dynamic, ownSettings(t, c, single.names.Dynamic))
}

func TestSettingsThatSomebodyChangedAreBroughtInOrder(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	dynamic, _ := documented(t)
	_, err := admin(t, c).AlterTopicConfigs(withTimeout(t), []kadm.AlterConfig{
		{Name: "cleanup.policy", Value: new("delete")},
		{Op: kadm.DeleteConfig, Name: "min.insync.replicas"},
		{Name: "retention.bytes", Value: new("123456")}, // nothing that it sets
	}, s.names.Dynamic)
	require.NoError(t, err)
	eventually(t, func() bool { return ownSettings(t, c, s.names.Dynamic)["cleanup.policy"] == "delete" }, "it is changed")
	var changed []kcfg.TopicSetting
	eventually(t, func() bool { // by whichever broker is asked
		made, err := s.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
		if err != nil {
			return false
		}
		assert.Zero(t, made.Headers)
		for _, topic := range made.Topics {
			assert.False(t, topic.Created)
			for _, setting := range topic.Settings {
				if setting.Was != "" {
					changed = append(changed, setting)
				}
			}
		}
		return len(changed) >= 2
	}, "it says what it changed")
	assert.Contains(t, changed, kcfg.TopicSetting{Key: "cleanup.policy", Value: "compact", Was: "delete"})
	assert.Contains(t, changed, kcfg.TopicSetting{Key: "min.insync.replicas", Value: "2", Was: "1"})
	dynamic["retention.bytes"] = "123456"
	eventually(t, func() bool {
		return assert.ObjectsAreEqual(dynamic, ownSettings(t, c, s.names.Dynamic))
	}, "they are as they were")
}
