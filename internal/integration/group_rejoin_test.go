package integration_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func beforeKafka4(t *testing.T) bool {
	t.Helper()
	return strings.HasPrefix(version(t), "3.")
}

// What the library may call applied depends on when a coordinator takes the session
// timeout of a member that joins again. Each member here changes from or to a
// session that ends, and falls silent.
func TestTheCoordinatorTakesASessionTimeoutOnlyWithANewGeneration(t *testing.T) {
	c := kafka(t)
	t.Run("NotOfAFollowerWithTheSameMetadata", func(t *testing.T) {
		t.Parallel()
		for what, static := range map[string]bool{"dynamic": false, "static": true} {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				p := newRawPair(t, c, static, immortal, mortal)
				id, generation := p.follower.id, p.follower.generation
				resp := p.follower.join(t, immortal)
				require.NotNil(t, resp)
				assert.Equal(t, id, p.follower.id)
				assert.Equal(t, generation, resp.Generation, "answered from the current one")
				p.follower.sync(t)
				p.awaitExpelled(t, p.follower, p.leader)
			})
		}
	})
	t.Run("OfAFollowerWithOtherMetadata", func(t *testing.T) {
		t.Parallel()
		p := newRawPair(t, c, false, immortal, immortal)
		generation := p.follower.generation
		p.follower.topic = "others"
		p.rebalance(t, immortal, mortal)
		assert.Equal(t, generation+1, p.follower.generation)
		p.awaitExpelled(t, p.follower, p.leader)
	})
	t.Run("OfTheLeader", func(t *testing.T) {
		t.Parallel()
		p := newRawPair(t, c, false, immortal, immortal)
		generation := p.leader.generation
		var both sync.WaitGroup
		both.Go(func() { p.leader.join(t, mortal) })
		p.awaitState(t, "PreparingRebalance")
		both.Go(func() { p.follower.join(t, immortal) })
		both.Wait()
		p.finish(t)
		assert.Equal(t, generation+1, p.leader.generation)
		p.awaitExpelled(t, p.leader, p.follower)
	})
}

// The coordinator of Kafka 4 does so from the member's first heartbeat on, and until
// then waits for as long as the member said before; that of Kafka 3 at once.
func TestTheCoordinatorTakesTheSessionTimeoutOfAReturningStaticMemberByItsFirstHeartbeat(t *testing.T) {
	c := kafka(t)
	returned := func() rawPair {
		p := newRawPair(t, c, true, immortal, immortal)
		id, generation := p.follower.id, p.follower.generation
		p.follower.id = "" // as a process that was started again
		resp := p.follower.join(t, mortal)
		require.NotNil(t, resp)
		assert.NotEqual(t, id, p.follower.id)
		assert.Equal(t, generation, resp.Generation, "no rebalance")
		p.follower.sync(t)
		return p
	}
	silent, heard := returned(), returned()
	heard.follower.beat(t)
	heard.awaitExpelled(t, heard.follower, heard.leader)
	if !beforeKafka4(t) { // else they came and went together
		assert.Contains(t, silent.memberIDs(t), silent.follower.id)
	}
}
