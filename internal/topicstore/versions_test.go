package topicstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

// TestAClientThatIsPinnedBelowTopicIDsIsServed is for one whose versions are those
// of a Kafka that had none, on a cluster that has them.
func TestAClientThatIsPinnedBelowTopicIDsIsServed(t *testing.T) {
	c, _ := reading(t)
	s := New(bare(t, c, kgo.MaxVersions(kversion.V2_7_0())), configured(nil))
	assert.Equal(t, map[string]string{"acks": "1"}, self(t, s))
	_, err := s.Push(withTimeout(t), clean(t, acksEntry()))
	require.NoError(t, err)

	h := headerOf(t, store(t, c, nil))
	h.Cluster = "elsewhere"
	putHeaders(t, c, DefaultDynamicTopic, h)
	notRead(t, s, "elsewhere")
}
