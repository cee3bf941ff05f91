package connpatch

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// synced makes the connection's client a member, with requests 0 and 1.
func syncedConn(t *testing.T, session int32, more ...[]byte) *Conn {
	t.Helper()
	sync := kmsg.NewPtrSyncGroupResponse()
	inner := whole(append([][]byte{joinAnswer(9, 0, 0, 1), groupAnswer(sync, 1)}, more...)...)
	c := connect(t, inner)
	c.m.SetGroup(Group{HeartbeatInterval: 3 * time.Second})
	c.m.SetPatches(&Patches{SessionTimeout: &session, HeartbeatInterval: new(int32(10_000))})
	write(t, c, joinFrame(9, 0))
	write(t, c, encodeKey(keySyncGroup, 0, 1))
	n := len(joinAnswer(9, 0, 0, 1)) + len(groupAnswer(sync, 1))
	_, err := io.ReadFull(c, make([]byte, n))
	require.NoError(t, err)
	return c
}

func TestASwallowedHeartbeatIsAnsweredHere(t *testing.T) {
	for v := range int16(newestHeartbeat + 1) {
		synctest.Test(t, func(t *testing.T) {
			c := syncedConn(t, 45_000)
			left := len(below(c))
			var answers []byte
			for corr := int32(2); corr < 5; corr++ {
				time.Sleep(3 * time.Second)
				write(t, c, encodeKey(keyHeartbeat, v, corr))
				if corr < 4 {
					answers = append(answers, heartbeatAnswer(v, corr)...)
				}
			}
			assert.Equal(t, encodeKey(keyHeartbeat, v, 4), below(c)[left:])
			assert.Equal(t, new(int32(10_000)), c.m.Observe().HeartbeatInterval)
			got := make([]byte, len(answers))
			_, err := io.ReadFull(c, got)
			require.NoError(t, err)
			assert.Equal(t, answers, got)
			assert.Equal(t, 1, c.waiting.len())
		})
	}
}

func TestHeartbeatsReachTheBroker(t *testing.T) {
	for name, before := range map[string]func(c *Conn, write func([]byte)){
		"after a TxnOffsetCommit": func(_ *Conn, write func([]byte)) { write(encodeKey(28, 0, 2)) },
		"after EndTxn":            func(_ *Conn, write func([]byte)) { write(encodeKey(endTxn, 0, 2)) },
		"after a transaction's Produce": func(_ *Conn, write func([]byte)) {
			write(produce(9, 2, nil, new("id"), -1))
		},
		"after LeaveGroup": func(_ *Conn, write func([]byte)) { write(encodeKey(keyLeave, 0, 2)) },
		"after JoinGroup":  func(_ *Conn, write func([]byte)) { write(joinFrame(9, 2)) },
		"after the new protocol's": func(_ *Conn, write func([]byte)) {
			write(encodeKey(keyNewGroup, 0, 2))
		},
		"of a transactional client": func(c *Conn, write func([]byte)) {
			c.m.SetGroup(Group{HeartbeatInterval: 3 * time.Second, Transactional: true})
			write(encodeKey(metadata, 0, 2))
		},
		"above the session in force": func(c *Conn, write func([]byte)) {
			c.m.SetPatches(&Patches{SessionTimeout: new(int32(600_000)), HeartbeatInterval: new(int32(50_000))})
			write(encodeKey(metadata, 0, 2))
		},
		"earlier than kgo's": func(c *Conn, write func([]byte)) {
			write(encodeKey(metadata, 0, 2))
			c.m.group.state.lastKgo = time.Now().Add(time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := syncedConn(t, 45_000)
				before(c, func(p []byte) { write(t, c, p) })
				left := len(below(c))
				time.Sleep(3 * time.Second)
				write(t, c, encodeKey(keyHeartbeat, 4, 3))
				assert.Equal(t, encodeKey(keyHeartbeat, 4, 3), below(c)[left:])
			})
		})
	}
}

func TestAfterAHeartbeatThatFailedNoneIsSwallowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := kmsg.NewPtrHeartbeatResponse()
		failed.ErrorCode = codeRebalance
		c := syncedConn(t, 45_000, groupAnswer(failed, 2))
		write(t, c, encodeKey(keyHeartbeat, 0, 2)) // early, so it passes
		assert.Equal(t, groupAnswer(failed, 2), readAll(t, c, 100))
		left := len(below(c))
		time.Sleep(3 * time.Second)
		write(t, c, encodeKey(keyHeartbeat, 0, 3))
		assert.NotEmpty(t, below(c)[left:])
	})
}
