package connpatch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A franz-go upgrade that brings a newer version fails here: look at where its
// fields are, then raise the constant.
func TestNewestVersionsAreTheNewestThatKmsgKnows(t *testing.T) {
	for key, newest := range map[int16]int16{
		keyProduce: newestProduce, keyFetch: newestFetch, keyJoinGroup: newestJoinGroup,
		keyHeartbeat: newestHeartbeat, keySyncGroup: newestSyncGroup,
	} {
		assert.Equal(t, kmsg.RequestForKey(key).MaxVersion(), newest, kmsg.NameForKey(key))
	}
}
