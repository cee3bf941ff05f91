package topicstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

func TestWhatAnOperatorSetsAClientOfTheUserReads(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	made := setUp(t, s)
	assert.Equal(t, partitions, made.Headers)
	assert.Zero(t, setUp(t, s).Headers, "the second time there is nothing to do")
	assert.Empty(t, self(t, s))

	alice := kcfg.User("alice")
	alter(t, s, alice, kcfg.Set("acks", "1"), kcfg.Set("session.timeout.ms", "30000"))
	alter(t, s, kcfg.User("bob"), kcfg.Set("acks", "0"))
	alter(t, s, alice.Client("orders"), kcfg.Set("acks", "all"))
	alter(t, s, alice.Client("payments"), kcfg.Set("session.timeout.ms", "1"))
	assert.Equal(t, map[string]string{"acks": "all", "session.timeout.ms": "30000"}, self(t, s))
	assert.Equal(t, map[string]string{"acks": "all", "session.timeout.ms": "30000"}, self(t, s), "nothing new")

	alter(t, s, alice.Client("orders"), kcfg.Remove("acks"))
	assert.Equal(t, map[string]string{"acks": "1", "session.timeout.ms": "30000"}, self(t, s))

	told, err := s.Describe(withTimeout(t), kcfg.Filter{})
	require.NoError(t, err)
	assert.ElementsMatch(t, []kcfg.Described{
		{Entity: alice, Values: []kcfg.KeyValue{{Key: "acks", Value: "1"}, {Key: "session.timeout.ms", Value: "30000"}}},
		{Entity: alice.Client("payments"), Values: []kcfg.KeyValue{{Key: "session.timeout.ms", Value: "1"}}},
		{Entity: kcfg.User("bob"), Values: []kcfg.KeyValue{{Key: "acks", Value: "0"}}},
	}, told.Entries)
}
