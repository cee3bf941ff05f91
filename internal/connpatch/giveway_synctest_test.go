package connpatch

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unanswered returns a connection on which these requests wait for an answer.
func unanswered(t *testing.T, keys ...int16) *Conn {
	t.Helper()
	c := connect(t, new(script))
	c.learned(everything)
	for i, key := range keys {
		_, err := c.Write(encodeAny(key, int32(i)))
		require.NoError(t, err)
	}
	return c
}

// held writes a frame and returns how long it took.
func held(t *testing.T, c *Conn, p []byte) (time.Duration, error) {
	t.Helper()
	inner := c.NetConn().(*script)
	before, start := inner.wrote.Len(), time.Now()
	n, err := c.Write(p)
	if err != nil {
		assert.Zero(t, n)
		assert.Equal(t, before, inner.wrote.Len(), "nothing may be written below")
	} else {
		assert.Equal(t, len(p), n)
		assert.Equal(t, before+n, inner.wrote.Len())
	}
	return time.Since(start), err
}

// answerAfter answers requests one after another, each after some time.
func answerAfter(c *Conn, d time.Duration, corrs ...int32) {
	go func() {
		for _, corr := range corrs {
			time.Sleep(d)
			c.answered(corr)
		}
	}()
}

func TestTheApplicationDoesNotWaitBehindItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, metadata)
		waited, err := held(t, c, encodeKey(metadata, 9, 2))
		require.NoError(t, err)
		assert.Zero(t, waited)
	})
}

func TestAConnectionGivesWayIfOursStaysUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, 902)
		c.answered(0)
		waited, err := held(t, c, encodeKey(metadata, 9, 2))
		require.ErrorIs(t, err, errGaveWay)
		assert.Equal(t, giveWayAfter, waited)
		assert.EqualValues(t, 1, c.m.Counts().GaveWay)
		assert.EqualValues(t, 2, c.m.Counts().Requests)
		assert.Nil(t, c.free)
	})
}

func TestTheApplicationGoesOnWhenOursIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, 902)
		inner := c.NetConn().(*script)
		inner.steps = []step{{b: answer(0, make([]byte, 1000)...)}}
		go func() {
			time.Sleep(30 * time.Millisecond)
			_, err := c.Read(make([]byte, 10)) // the start of the answer is enough
			assert.NoError(t, err)
		}()
		waited, err := held(t, c, encodeKey(metadata, 9, 1))
		require.NoError(t, err)
		assert.Equal(t, 30*time.Millisecond, waited)
		assert.Zero(t, c.m.Counts().GaveWay)
		assert.Nil(t, c.free)

		waited, err = held(t, c, encodeKey(metadata, 9, 2))
		require.NoError(t, err)
		assert.Zero(t, waited)
	})
}

func TestTheApplicationWaitsForAllOfOurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, 902, 900)
		answerAfter(c, 40*time.Millisecond, 0, 1)
		waited, err := held(t, c, encodeKey(metadata, 9, 2))
		require.NoError(t, err)
		assert.Equal(t, 80*time.Millisecond, waited)
	})
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, 902, 900)
		answerAfter(c, 40*time.Millisecond, 0)
		waited, err := held(t, c, encodeKey(metadata, 9, 2))
		require.ErrorIs(t, err, errGaveWay)
		assert.Equal(t, giveWayAfter, waited)
		synctest.Wait()
	})
}

func TestTheApplicationGoesOnWhenOursWillNeverBeAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, 902, 900)
		answerAfter(c, 20*time.Millisecond, 1) // not 0
		waited, err := held(t, c, encodeKey(metadata, 9, 2))
		require.NoError(t, err)
		assert.Equal(t, 20*time.Millisecond, waited)
	})
}

// Giving way would close a connection on which the broker works on a request of
// the application. It is that request that the next one waits for, as it would
// without us.
func TestAConnectionDoesNotGiveWayIfTheBrokerIsBusyWithTheApplication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, 902)
		waited, err := held(t, c, encodeKey(metadata, 9, 2))
		require.NoError(t, err)
		assert.Equal(t, giveWayAfter, waited)
		assert.Zero(t, c.m.Counts().GaveWay)
		assert.Nil(t, c.free)

		// The others need not wait for what did not happen.
		waited, err = held(t, c, encodeKey(metadata, 9, 3))
		require.NoError(t, err)
		assert.Zero(t, waited)

		c.answered(0) // from now on it is ours that the broker does not answer
		waited, err = held(t, c, encodeKey(metadata, 9, 4))
		require.ErrorIs(t, err, errGaveWay)
		assert.Equal(t, giveWayAfter, waited)

		c.answered(1) // the next one of ours is waited for again
		c.answered(2)
		_, err = held(t, c, encodeOurs(902, 4))
		require.NoError(t, err)
		waited, err = held(t, c, encodeKey(metadata, 9, 5))
		require.NoError(t, err)
		assert.Equal(t, giveWayAfter, waited)
		assert.EqualValues(t, 1, c.m.Counts().GaveWay)
	})
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, 902)
		waited, err := held(t, c, encodeKey(metadata, 9, 2))
		require.NoError(t, err)
		assert.Equal(t, giveWayAfter, waited)
		c.answered(0)
		c.answered(1)
		// Another of ours behind another of the application: all anew.
		_, err = held(t, c, encodeOurs(902, 3))
		require.NoError(t, err)
		waited, err = held(t, c, encodeKey(metadata, 9, 4))
		require.NoError(t, err)
		assert.Equal(t, giveWayAfter, waited)
	})
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, metadata, 902)
		answerAfter(c, giveWayAfter/2, 0)
		waited, err := held(t, c, encodeKey(metadata, 9, 2))
		require.ErrorIs(t, err, errGaveWay)
		assert.Equal(t, giveWayAfter, waited)
	})
}

func TestAnAnswerAtTheLastMomentIsInTime(t *testing.T) {
	c := unanswered(t, 902)
	c.answered(0)
	require.NoError(t, c.giveWay())
	assert.False(t, c.passed)
}

func TestOursBehindOursDoesNotGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, 902)
		waited, err := held(t, c, encodeOurs(900, 1))
		require.NoError(t, err)
		assert.Zero(t, waited)
	})
}

func TestCloseWakesAWriteThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, 902)
		go func() {
			time.Sleep(10 * time.Millisecond)
			assert.NoError(t, c.Close())
		}()
		waited, err := held(t, c, encodeKey(metadata, 9, 1))
		assert.True(t, same(err, net.ErrClosed))
		assert.Equal(t, 10*time.Millisecond, waited)
		assert.Zero(t, c.m.Counts().GaveWay)

		waited, err = held(t, c, encodeKey(metadata, 9, 1))
		require.ErrorIs(t, err, net.ErrClosed)
		assert.Zero(t, waited)
		synctest.Wait()
	})
}

func TestOnlyTheStartOfARequestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t)
		ours := encodeOurs(902, 0)
		for i := range ours { // the request is known while its last bytes are on their way
			waited, err := held(t, c, ours[i:i+1])
			require.NoError(t, err)
			require.Zero(t, waited)
		}
		waited, err := held(t, c, nil)
		require.NoError(t, err)
		assert.Zero(t, waited)
		_, err = held(t, c, encodeKey(metadata, 9, 1)[:3])
		require.ErrorIs(t, err, errGaveWay)
	})
}

func TestALateAnswerIsNoHarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := unanswered(t, 902)
		frame := encodeKey(metadata, 9, 1)
		_, err := held(t, c, frame)
		require.ErrorIs(t, err, errGaveWay)

		// kgo would not, but another may try again on the same connection.
		answerAfter(c, 50*time.Millisecond, 0)
		waited, err := held(t, c, frame)
		require.NoError(t, err)
		assert.Equal(t, 50*time.Millisecond, waited)
		_, ok := c.answered(1)
		assert.True(t, ok)
		assert.Zero(t, c.m.Counts().Unmatched)
	})
}
