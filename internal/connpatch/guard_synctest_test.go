package connpatch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Ours was written behind a request that takes its time, and one more of the
// application behind ours. When the first is answered and ours is not, nobody
// writes any more.
func TestARequestBehindOursIsSentElsewhereWhenOursStaysUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, 902)
		inner := c.NetConn().(*script)
		_, err := held(t, c, encodeKey(metadata, 9, 2))
		require.NoError(t, err, "it passes, since the broker works on the application's")
		time.Sleep(time.Hour)
		require.Zero(t, inner.closes.Load())

		c.answered(0)
		time.Sleep(giveWayAfter - time.Millisecond)
		synctest.Wait()
		require.Zero(t, inner.closes.Load(), "ours has its time")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		assert.EqualValues(t, 1, inner.closes.Load())
		assert.EqualValues(t, 1, c.m.Counts().GaveWay)
	})
}

func TestARequestBehindOursIsLeftAloneWhenOursIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, 902)
		inner := c.NetConn().(*script)
		_, err := held(t, c, encodeKey(metadata, 9, 2))
		require.NoError(t, err)
		c.answered(0)
		time.Sleep(giveWayAfter / 2)
		c.answered(1)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Zero(t, inner.closes.Load())
		assert.Nil(t, c.watch)
	})
}

func TestEachOfOursInFrontOfARequestHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, 902, 900)
		inner := c.NetConn().(*script)
		_, err := held(t, c, encodeKey(metadata, 9, 3))
		require.NoError(t, err)
		c.answered(0)
		time.Sleep(giveWayAfter / 2)
		c.answered(1)
		time.Sleep(giveWayAfter)
		synctest.Wait()
		require.Zero(t, inner.closes.Load())
		time.Sleep(giveWayAfter / 2)
		synctest.Wait()
		assert.EqualValues(t, 1, inner.closes.Load())
	})
}

func TestOursAloneIsNotGuarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, 902, 900)
		c.answered(0)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Zero(t, c.NetConn().(*script).closes.Load())
	})
}

func TestCloseEndsTheGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, 902)
		_, err := held(t, c, encodeKey(metadata, 9, 2))
		require.NoError(t, err)
		c.answered(0)
		require.NoError(t, c.Close())
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.EqualValues(t, 1, c.NetConn().(*script).closes.Load())
		assert.Zero(t, c.m.Counts().GaveWay)
	})
}
