package connpatch

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

// wrapped is a connection of an application that wraps ours.
type wrapped struct{ net.Conn }

func (w wrapped) NetConn() net.Conn { return w.Conn }

// hidden is one that does not say what it wraps.
type hidden struct{ net.Conn }

func TestConnectedFindsOurConnection(t *testing.T) {
	p := kcfg.DefaultProtocol()
	m, other := testManager(p, new(script)), testManager(p, new(script))
	ours, theirs := dial(t, m), dial(t, other)
	overTheirs := dial(t, testManager(p, ours))
	for name, tc := range map[string]struct {
		conn net.Conn
		want bool
	}{
		"ours":                       {ours, true},
		"wrapped":                    {wrapped{ours}, true},
		"wrapped twice":              {wrapped{wrapped{ours}}, true},
		"under another manager's":    {overTheirs, true},
		"another manager's":          {theirs, false},
		"another manager's, wrapped": {wrapped{theirs}, false},
		"none of ours":               {new(script), false},
		"wrapped around nothing":     {wrapped{}, false},
		"hidden":                     {hidden{ours}, false},
		"nothing":                    {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			ours.learned(provesPush)
			theirs.learned(provesPush)
			m.nodes = map[int32]node{}
			assert.Equal(t, tc.want, m.Connected(1, tc.conn))
			assert.Equal(t, tc.want, m.Supported(902))
		})
	}
}

func TestAFailedDialIsReturnedAsItIs(t *testing.T) {
	fails := &net.OpError{Op: "dial", Err: net.ErrClosed}
	m := NewManager(kcfg.DefaultProtocol(), func(context.Context, string, string) (net.Conn, error) { return nil, fails }, nil)
	conn, err := m.Dial(t.Context(), "tcp", "broker:9092")
	assert.Nil(t, conn)
	assert.True(t, same(fails, err))
	assert.Zero(t, m.Counts().Open)
}

func TestDialPassesOnWhatItIsGiven(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	inner := new(script)
	m := NewManager(kcfg.DefaultProtocol(), func(ctx context.Context, network, host string) (net.Conn, error) {
		assert.Equal(t, "value", ctx.Value(key{}))
		assert.Equal(t, "tcp", network)
		assert.Equal(t, "broker:9092", host)
		return inner, nil
	}, nil)
	conn, err := m.Dial(ctx, "tcp", "broker:9092")
	require.NoError(t, err)
	assert.Same(t, inner, conn.(*Conn).NetConn())
}

// The race detector judges this one.
func TestAManagerMayBeAskedFromAnywhere(t *testing.T) {
	p := kcfg.DefaultProtocol()
	m := NewManager(p, func(context.Context, string, string) (net.Conn, error) { return new(script), nil }, func() {})
	var wg sync.WaitGroup
	for node := range int32(4) {
		wg.Go(func() {
			for range 200 {
				c := dial(t, m)
				c.NetConn().(*script).steps = []step{{b: answer(0, apiVersions(3, proof(p, 902))...)}}
				write(t, c, encodeKey(keyAPIVersions, 3, 0))
				_, err := c.Read(make([]byte, 1000))
				assert.NoError(t, err)
				assert.True(t, m.Connected(node, c))
				write(t, c, encodeOurs(902, 1))
				write(t, c, encodeOurs(902, 2))
				c.answered(2)
				write(t, c, produce(9, 3, nil, nil, 1))
				assert.NoError(t, c.Close())
			}
		})
		wg.Go(func() {
			for range 200 {
				m.Target(902, 1)
				m.Supported(902)
				m.Produced()
				m.Counts()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, Counts{Requests: 3200, Ours: 1600, Unmatched: 800}, m.Counts())
}
