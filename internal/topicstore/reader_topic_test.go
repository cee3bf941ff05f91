package topicstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/kcfg-go/kcfg"
)

func TestATopicThatIsMissingIsNotSetUpAndNotMade(t *testing.T) {
	c := cluster(t, kfake.AllowAutoTopicCreation())
	s := store(t, c, nil)
	notRead(t, s, missingTopic)
	_, err := s.Describe(withTimeout(t), kcfg.Filter{})
	requireNotSetUp(t, err, DefaultDynamicTopic)
	_, err = s.Alter(withTimeout(t), false, []kcfg.Alteration{kcfg.Alter(kcfg.User("alice"), kcfg.Set("acks", "1"))})
	requireNotSetUp(t, err, DefaultDynamicTopic)
	_, err = s.Clients(withTimeout(t))
	requireNotSetUp(t, err, DefaultClientsTopic)
	_, err = s.Push(withTimeout(t), nil)
	requireNotSetUp(t, err, DefaultClientsTopic)
	assert.Nil(t, c.TopicInfo(DefaultDynamicTopic))
	assert.Nil(t, c.TopicInfo(DefaultClientsTopic))

	setUp(t, s)
	assert.Empty(t, self(t, s))
}

func TestATopicWithAnotherNumberOfPartitionsIsNotRead(t *testing.T) {
	c := cluster(t)
	require.NoError(t, c.CreateTopic(DefaultDynamicTopic, partitions-1, nil))
	put(t, c, DefaultDynamicTopic, alicePartition, acksOf("1"))
	notRead(t, store(t, c, nil), "11 partitions instead of 12")
}

func TestATopicWithoutAHeaderIsNotObeyed(t *testing.T) {
	c := cluster(t)
	require.NoError(t, c.CreateTopic(DefaultDynamicTopic, partitions, nil))
	require.NoError(t, c.CreateTopic(DefaultClientsTopic, partitions, nil))
	s := store(t, c, nil)
	notRead(t, s, "no header")
	putAlice(t, c, acksOf("1"))
	notRead(t, s, "no header")
	// The same reader finds out by itself.
	putHeaders(t, c, DefaultDynamicTopic, headerOf(t, s))
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
}

func TestATopicWithTheHeaderOfAnotherClusterIsNotObeyed(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))

	right := headerOf(t, s)
	mirrored := right
	mirrored.Cluster = "elsewhere"
	putHeaders(t, c, DefaultDynamicTopic, mirrored)
	notRead(t, s, "elsewhere")
	notRead(t, store(t, c, nil), "elsewhere")
	_, err := s.Describe(withTimeout(t), kcfg.Filter{})
	requireNotSetUp(t, err, DefaultDynamicTopic)

	before := written(c, DefaultDynamicTopic)
	_, err = s.Alter(withTimeout(t), false, []kcfg.Alteration{kcfg.Alter(kcfg.User("alice"), kcfg.Set("acks", "0"))})
	requireNotSetUp(t, err, DefaultDynamicTopic)
	assert.Equal(t, before, written(c, DefaultDynamicTopic))

	putHeaders(t, c, DefaultDynamicTopic, right)
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
}

func TestATopicThatWasMadeAgainIsNotObeyedBeforeSetup(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	old := headerOf(t, s)

	require.NoError(t, c.DeleteTopic(DefaultDynamicTopic))
	notRead(t, s, missingTopic)
	// As a broker makes it that creates topics by itself, and a mirror fills it.
	require.NoError(t, c.CreateTopic(DefaultDynamicTopic, partitions, nil))
	notRead(t, s, "no header")
	putHeaders(t, c, DefaultDynamicTopic, old)
	putAlice(t, c, acksOf("0"))
	notRead(t, s, "another topic with this name")
	notRead(t, store(t, c, nil), "another topic with this name")

	require.NoError(t, c.DeleteTopic(DefaultDynamicTopic))
	setUp(t, s)
	assert.Empty(t, self(t, s))
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "all"))
	assert.Equal(t, map[string]string{"acks": "all"}, self(t, s))
}

// TestATopicThatIsSetUpAgainBetweenPollsIsReadFromItsStart has more records in the
// new topic than were read of the old one, so that only the id tells them apart.
func TestATopicThatIsSetUpAgainBetweenPollsIsReadFromItsStart(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("linger.ms", "5"))
	require.Equal(t, map[string]string{"linger.ms": "5"}, self(t, s))

	require.NoError(t, c.DeleteTopic(DefaultDynamicTopic))
	setUp(t, s)
	for _, acks := range []string{"0", "1", "all"} {
		alter(t, s, kcfg.User("alice"), kcfg.Set("acks", acks))
	}
	assert.Equal(t, map[string]string{"acks": "all"}, self(t, s))
}

func TestAPartitionWhoseRecordsWereDeletedIsNotObeyedByAnybodyNew(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("acks", "1"))
	late := store(t, c, nil)
	require.Empty(t, self(t, store(t, c, func(cfg *Config) { cfg.Principal = new("bob") })))
	require.Equal(t, map[string]string{"acks": "1"}, self(t, s))

	require.NoError(t, c.DeleteRecords(DefaultDynamicTopic, alicePartition, -1))
	notRead(t, late, "no header")
	// Setup puts the header back, as into a new topic.
	made := setUp(t, s)
	assert.Equal(t, 1, made.Headers)
	assert.Empty(t, self(t, late))
}

// TestAReaderThatIsBehindADeletionReadsFromTheStart has the first record, the
// header, written anew before the rest is deleted.
func TestAReaderThatIsBehindADeletionReadsFromTheStart(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alter(t, s, kcfg.User("alice"), kcfg.Set("linger.ms", "5"))
	require.Equal(t, map[string]string{"linger.ms": "5"}, self(t, s))

	putAlice(t, c, acksOf("0"))
	putHeaders(t, c, DefaultDynamicTopic, headerOf(t, s))
	putAlice(t, c, acksOf("1"))
	require.NoError(t, c.DeleteRecords(DefaultDynamicTopic, alicePartition, 3))
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
}
