package connpatch

import (
	"context"
	"math"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

// kgo knows a broker by its id and as a seed. Whoever avoids the one wants none
// of the other.
func TestAvoidingANodeAvoidsWhatLeadsToTheSamePlace(t *testing.T) {
	const seed0, seed1 = math.MinInt32, math.MinInt32 + 1
	key := kcfg.DefaultProtocol().PushConfigKey
	m := NewManager(kcfg.DefaultProtocol(), func(context.Context, string, string) (net.Conn, error) {
		return new(script), nil
	}, nil)
	for _, n := range []struct {
		id   int32
		addr string
	}{{seed0, "a:9092"}, {seed1, "b:9092"}, {0, "a:9092"}, {1, "b:9092"}} {
		conn, err := m.Dial(t.Context(), "tcp", n.addr)
		require.NoError(t, err)
		c, ok := conn.(*Conn)
		require.True(t, ok)
		c.learned(everything)
		require.True(t, m.Connected(n.id, conn))
	}
	for range 50 {
		for _, avoid := range []int32{seed0, 0} {
			got, ok := m.Target(key, avoid)
			require.True(t, ok)
			assert.Contains(t, []int32{seed1, 1}, got)
		}
	}
	got, ok := m.Target(key, seed0, seed1)
	require.True(t, ok, "where there is no other, an avoided one is taken")
	assert.Contains(t, []int32{seed0, seed1}, got)
}
