package connpatch

import (
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heldConn returns a connection with a JoinGroup that is held, and what is to be
// closed to release it.
func heldConn(t *testing.T, inner net.Conn, bound time.Duration) (*Conn, chan struct{}) {
	t.Helper()
	c := connect(t, inner)
	release := make(chan struct{})
	c.m.HoldJoins(release, bound)
	frame := joinFrame(9, 0)
	start := time.Now()
	write(t, c, frame)
	clear(frame) // kgo uses it again
	assert.Zero(t, time.Since(start))
	return c, release
}

func TestAHeldJoinLeavesFromTheRead(t *testing.T) {
	const bound = 3 * time.Second
	resp := joinAnswer(9, 0, 0, 1)
	for name, tc := range map[string]struct {
		after   time.Duration // 0 if never
		do      func(c *Conn, release chan struct{})
		took    time.Duration
		session int32 // that leaves, 0 if none does
		err     error
	}{
		"released":          {time.Second, func(_ *Conn, r chan struct{}) { close(r) }, time.Second, 20_000, nil},
		"never":             {0, nil, bound, 20_000, nil},
		"manager closed":    {time.Second, func(c *Conn, _ chan struct{}) { c.m.Close() }, time.Second, 45_000, nil},
		"connection closed": {time.Second, func(c *Conn, _ chan struct{}) { _ = c.Close() }, time.Second, 0, net.ErrClosed},
		"deadline now": {time.Second, func(c *Conn, _ chan struct{}) { _ = c.SetDeadline(time.Now()) },
			time.Second, 0, os.ErrDeadlineExceeded},
		"deadline later": {time.Second, func(c *Conn, _ chan struct{}) { _ = c.SetReadDeadline(time.Now().Add(time.Second)) },
			2 * time.Second, 0, os.ErrDeadlineExceeded},
		"deadline moved away": {time.Second, func(c *Conn, _ chan struct{}) {
			_ = c.SetReadDeadline(time.Now().Add(time.Second))
			_ = c.SetReadDeadline(time.Time{})
		}, bound, 20_000, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, release := heldConn(t, deadlines{whole(resp)}, bound)
				c.m.SetPatches(&Patches{SessionTimeout: new(int32(20_000))})
				inner := c.NetConn().(deadlines).script
				if tc.do != nil {
					go func() {
						time.Sleep(tc.after)
						tc.do(c, release)
					}()
				}
				start := time.Now()
				got := make([]byte, len(resp))
				_, err := io.ReadFull(c, got)
				assert.Equal(t, tc.took, time.Since(start))
				if tc.err != nil {
					require.ErrorIs(t, err, tc.err)
					assert.Empty(t, inner.wrote.Bytes())
					return
				}
				require.NoError(t, err)
				assert.Equal(t, resp, got)
				assert.Equal(t, tc.session, sentSession(t, inner.wrote.Bytes()))
				assert.Equal(t, new(tc.session), c.m.Observe().SessionTimeout)

				inner.wrote.Reset()
				write(t, c, joinFrame(9, 1))
				assert.NotEmpty(t, inner.wrote.Bytes(), "only the first is held")
			})
		})
	}
}

// deadlines is a script that takes deadlines.
type deadlines struct{ *script }

func (deadlines) SetDeadline(time.Time) error     { return nil }
func (deadlines) SetReadDeadline(time.Time) error { return nil }

// Answers come in the order of the requests, so nothing may pass a held one.
func TestAHeldJoinLeavesBeforeWhatIsWrittenBehindIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := heldConn(t, whole(joinAnswer(9, 0, 0, 1), answer(1)), time.Minute)
		done := make(chan []byte)
		go func() {
			got, err := io.ReadAll(c)
			assert.NoError(t, err)
			done <- got
		}()
		synctest.Wait()
		write(t, c, encodeKey(metadata, 9, 1))
		assert.Equal(t, slices.Concat(joinFrame(9, 0), encodeKey(metadata, 9, 1)), below(c))
		assert.Equal(t, slices.Concat(joinAnswer(9, 0, 0, 1), answer(1)), <-done)
	})
}

// A connection may break, and kgo writes the request to another one.
func TestTheBoundDoesNotBeginAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp := joinAnswer(9, 0, 0, 1)
		c, _ := heldConn(t, whole(resp), 3*time.Second)
		time.Sleep(2 * time.Second)
		require.NoError(t, c.Close())
		c.m.dial = testManager(c.m.proto, whole(resp)).dial
		again := dial(t, c.m)
		write(t, again, joinFrame(9, 0))
		start := time.Now()
		_, err := io.ReadFull(again, make([]byte, len(resp)))
		require.NoError(t, err)
		assert.Equal(t, time.Second, time.Since(start))
	})
}

func TestAfterTheReleaseNothingIsHeld(t *testing.T) {
	c := connect(t, new(script))
	release := make(chan struct{})
	close(release)
	c.m.HoldJoins(release, time.Minute)
	write(t, c, joinFrame(9, 0))
	assert.Equal(t, joinFrame(9, 0), below(c))
	assert.Nil(t, c.m.hold.Load())
}
