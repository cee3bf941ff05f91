package connpatch

import (
	"io"
	"net"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

func write(tb testing.TB, c *Conn, frame []byte) {
	tb.Helper()
	n, err := c.Write(frame)
	require.NoError(tb, err)
	require.Equal(tb, len(frame), n)
}

func TestWhatIsWrittenPassesUnchanged(t *testing.T) {
	s := saslStream(0, 3, 3000)
	for _, sizes := range [][]int{nil, {1}, {7, 100}} {
		c := connect(t, new(script))
		for _, step := range split(slices.Clone(s.bytes), sizes, nil).steps {
			before := slices.Clone(step.b)
			write(t, c, step.b)
			assert.Equal(t, before, step.b, "the caller's slice")
		}
		inner := c.NetConn().(*script)
		assert.Equal(t, s.bytes, inner.wrote.Bytes())
		assert.EqualValues(t, 3, c.m.Counts().Strange)
		assert.EqualValues(t, len(s.want), c.m.Counts().Requests)
		assert.Zero(t, c.m.Counts().Opaque)
	}
}

func TestOneWriteIsOneWriteBelow(t *testing.T) {
	c := connect(t, new(script))
	write(t, c, encodeKey(metadata, 9, 0))
	write(t, c, produce(9, 1, nil, nil, 0))
	assert.Equal(t, 2, c.NetConn().(*script).writes)
}

func TestOursIsRefusedWhereNothingWasProved(t *testing.T) {
	for name, s := range map[string]support{"nothing": 0, "other RPCs": provesDescribe | provesAlter} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, new(script))
			c.learned(s)
			write(t, c, encodeKey(metadata, 9, 0))
			n, err := c.Write(encodeOurs(902, 1))
			require.ErrorIs(t, err, ErrNotProved)
			assert.Zero(t, n)
			inner := c.NetConn().(*script)
			assert.Equal(t, encodeKey(metadata, 9, 0), inner.wrote.Bytes())
			assert.Equal(t, 1, inner.writes)
			assert.Equal(t, Counts{Open: 1, Requests: 1, Refused: 1}, c.m.Counts())
			assert.Equal(t, 1, c.waiting.len(), "nothing waits for an answer to it")
		})
	}
}

func TestOursIsWrittenWhereItWasProved(t *testing.T) {
	c := connect(t, new(script))
	c.learned(provesPush)
	write(t, c, encodeOurs(902, 0))
	assert.Equal(t, encodeOurs(902, 0), c.NetConn().(*script).wrote.Bytes())
	assert.Equal(t, Counts{Open: 1, Requests: 1, Ours: 1}, c.m.Counts())
}

// A dialer of the application may stand between kgo and us and merge or cut
// what kgo writes: the last guard must not depend on it.
func TestOursIsNeverWholeBelowHoweverItIsWritten(t *testing.T) {
	app, ours, after := encodeKey(metadata, 9, 0), encodeOurs(902, 1), encodeKey(metadata, 9, 2)
	stream := slices.Concat(app, ours, after)
	for i := range stream {
		for j := i; j <= len(stream); j++ {
			c := connect(t, new(script))
			var failed error
			for _, p := range [][]byte{stream[:i], stream[i:j], stream[j:]} {
				n, err := c.Write(p)
				if err != nil {
					require.ErrorIs(t, err, ErrNotProved)
					require.Zero(t, n)
					failed = err
				} else if len(p) > 0 {
					require.NoError(t, failed, "a Write after one that failed")
				}
			}
			require.Error(t, failed)
			below := c.NetConn().(*script).wrote.Len()
			require.Less(t, below, len(app)+headerLen, "cut at %d and %d", i, j)
		}
	}
}

func TestARawTokenIsNoRequestOfOurs(t *testing.T) {
	c := connect(t, new(script))
	write(t, c, encodeKey(keyAPIVersions, 0, 0))
	write(t, c, encodeKey(keySaslHandshk, 0, 1))
	raw := token(30)
	raw[4], raw[5] = 902>>8, 902&0xff
	write(t, c, raw)
	assert.Zero(t, c.m.Counts().Refused)
}

func TestAnswersToRawTokensAreNotMissed(t *testing.T) {
	inner := new(script)
	c := connect(t, inner)
	exchange := func(request, response []byte) {
		write(t, c, request)
		inner.steps = append(inner.steps, step{b: response})
		_, err := io.ReadFull(c, make([]byte, len(response)))
		require.NoError(t, err)
	}
	exchange(encodeKey(keySaslHandshk, 0, 0), answer(0))
	exchange(token(30), token(20))
	exchange(token(3), token(4))
	exchange(token(0), token(0))
	exchange(encodeKey(metadata, 9, 1), answer(1))
	assert.Zero(t, c.waiting.len())
	assert.Equal(t, Counts{Open: 1, Requests: 2, Strange: 3}, c.m.Counts())
}

// A token's answer comes when nothing else is waited for.
func TestAfterRawTokensAnswersAreStillMatched(t *testing.T) {
	c := connect(t, whole(answer(9)))
	write(t, c, token(30))
	write(t, c, encodeKey(metadata, 9, 0))
	_, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.EqualValues(t, 1, c.m.Counts().Unmatched)
}

func TestWithoutRawTokensEveryAnswerIsExpectedOrCounted(t *testing.T) {
	c := connect(t, whole(answer(0)))
	_, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.EqualValues(t, 1, c.m.Counts().Unmatched)
}

func TestAnswersThatWereNotExpectedAreCounted(t *testing.T) {
	inner := whole(answer(7), answer(1), answer(0), answer(2))
	c := connect(t, inner)
	for corr := range int32(3) {
		write(t, c, encodeKey(metadata, 9, corr))
	}
	_, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.EqualValues(t, 3, c.m.Counts().Unmatched, "7 is unknown, 1 is not the next, 0 was dropped")
	assert.Zero(t, c.waiting.len())
}

func TestAnAnswerIsNotedBeforeItHasPassed(t *testing.T) {
	c := connect(t, whole(answer(0, make([]byte, 5000)...)))
	write(t, c, encodeKey(metadata, 9, 0))
	assert.Equal(t, 1, c.waiting.len())
	_, err := c.Read(make([]byte, 100))
	require.NoError(t, err)
	assert.Zero(t, c.waiting.len())
}

// Nobody reads a connection of a client with acks 0, so nothing may pile up.
func TestProduceWithoutAnAnswerWaitsForNone(t *testing.T) {
	c := connect(t, new(script))
	for corr := range int32(1000) {
		write(t, c, produce(9, corr, nil, nil, 0))
	}
	assert.Zero(t, c.waiting.len())
	assert.Zero(t, cap(c.waiting.q))
	assert.EqualValues(t, 1000, c.m.Counts().Requests)
}

// Event Hubs does answer them.
func TestAnAnswerToAProduceWithoutOneIsNoHarm(t *testing.T) {
	c := connect(t, whole(answer(0), answer(1)))
	write(t, c, produce(9, 0, nil, nil, 0))
	write(t, c, encodeKey(metadata, 9, 1))
	_, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.Zero(t, c.waiting.len())
	assert.EqualValues(t, 1, c.m.Counts().Unmatched)
}

func TestWritesThatAreNoFramesAreCountedOnce(t *testing.T) {
	c := connect(t, whole([]byte("HTTP/1.1 400 Bad Request")))
	for range 3 {
		write(t, c, []byte("GET / HTTP/1.1\r\n"))
		assert.EqualValues(t, 1, c.m.Counts().Opaque)
	}
	_, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.EqualValues(t, 1, c.m.Counts().Opaque)
	assert.Equal(t, "GET / HTTP/1.1\r\nGET / HTTP/1.1\r\nGET / HTTP/1.1\r\n", c.NetConn().(*script).wrote.String())
}

func TestAnErrorBelowIsTheErrorOfAWrite(t *testing.T) {
	ours, theirs := net.Pipe()
	require.NoError(t, theirs.Close())
	c := connect(t, ours)
	_, err := c.Write(encodeKey(metadata, 9, 0))
	assert.True(t, same(err, io.ErrClosedPipe))
}

func TestCloseMayBeCalledTwice(t *testing.T) {
	c := connect(t, new(script))
	assert.Equal(t, 1, c.m.Counts().Open)
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	assert.Zero(t, c.m.Counts().Open)
	assert.EqualValues(t, 2, c.NetConn().(*script).closes.Load(), "the second one is answered by the connection below")
}

func TestNetConnIsTheConnectionBelow(t *testing.T) {
	inner := new(script)
	assert.Same(t, inner, connect(t, inner).NetConn())
}

func TestGivingWayIsAnErrorThatKgoRetries(t *testing.T) {
	require.ErrorIs(t, errGaveWay, net.ErrClosed)
	assert.NotErrorIs(t, ErrNotProved, net.ErrClosed)
	assert.NotErrorIs(t, errGaveWay, ErrNotProved)
}

func TestProduceIsToldOnce(t *testing.T) {
	told := 0
	m := NewManager(kcfg.DefaultProtocol(), testManager(kcfg.DefaultProtocol(), new(script)).dial, func() { told++ })
	a, b := dial(t, m), dial(t, m)
	write(t, a, encodeKey(metadata, 9, 0))
	write(t, a, encodeKey(fetch, 9, 1))
	assert.False(t, m.Produced())
	assert.Zero(t, told)
	write(t, a, produce(9, 2, nil, nil, 1))
	write(t, a, produce(9, 3, nil, nil, 0))
	write(t, b, produce(9, 0, nil, nil, 1))
	assert.True(t, m.Produced())
	assert.Equal(t, 1, told)

	m = testManager(kcfg.DefaultProtocol(), new(script)) // nobody to tell
	write(t, dial(t, m), produce(9, 0, nil, nil, 1))
	assert.True(t, m.Produced())
}
