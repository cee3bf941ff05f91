package client_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/internal/wire"
)

// forced makes a producer on which an override of acks to 1 is in force.
func forced(t *testing.T, c *fakebroker.Cluster, opts ...client.Option) *client.Client {
	t.Helper()
	set(t, c, kcfg.Set("acks", "1"))
	cl := acksProducer(t, c, append([]client.Option{quick(), client.PushTimeout(200 * time.Millisecond)}, opts...)...)
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	onlyWith(t, c, cl.Client, 1)
	require.NoError(t, cl.WaitApplied(withTimeout(t), "acks"))
	return cl
}

// onlyWith produces, and requires that the brokers saw it with this value of acks
// and no other.
func onlyWith(t *testing.T, c *fakebroker.Cluster, cl *kgo.Client, acks int16) {
	t.Helper()
	before := c.Acks(fakebroker.AnyNode)
	produce(t, cl, 3)
	require.NoError(t, c.Wait(withTimeout(t), func() bool { return c.Acks(fakebroker.AnyNode)[acks] > before[acks] }))
	after := c.Acks(fakebroker.AnyNode)
	delete(before, acks)
	delete(after, acks)
	require.Equal(t, before, after)
}

// asked are the nodes to which a client's questions for overrides went.
func asked(c *fakebroker.Cluster) (nodes []int32) {
	for _, r := range c.Requests() {
		if r.Key == describeKey {
			nodes = append(nodes, r.Node)
		}
	}
	return nodes
}

// told returns an answer to a client that asks for itself, without values. With
// null entries it is none that a broker should give.
func told(null bool) []byte {
	resp := wire.NewDescribeClientConfigsResponse(kcfg.DefaultProtocol())
	if !null {
		resp.Entries = []wire.DescribeEntry{{Entity: everyone().Client("kgo").Parts()}}
	}
	return resp.AppendTo(nil)
}

func TestAnOverrideStaysInForceThroughEveryFailureToAskForIt(t *testing.T) {
	every := func(f fakebroker.Fault) func(*fakebroker.Cluster, *atomic.Bool) {
		return func(c *fakebroker.Cluster, _ *atomic.Bool) {
			f.Keys, f.Count = []int16{describeKey}, -1
			c.Script(f)
		}
	}
	for _, tt := range []struct {
		name  string
		fail  func(c *fakebroker.Cluster, down *atomic.Bool)
		state kcfg.DynamicState
	}{
		{"an error and null entries", every(fakebroker.Fault{Code: kerr.InvalidRequest.Code, Message: "no"}), kcfg.DynamicFailed},
		{"a passing error", every(fakebroker.Fault{Code: kerr.CoordinatorLoadInProgress.Code}), kcfg.DynamicFailed},
		{"a refusal", every(fakebroker.Fault{Code: kerr.ClusterAuthorizationFailed.Code}), kcfg.DynamicFailed},
		{"null entries and no error", every(fakebroker.Fault{Garbage: told(true)}), kcfg.DynamicFailed},
		{"garbage", every(fakebroker.Fault{Garbage: []byte{1, 2, 3}}), kcfg.DynamicFailed},
		{"no answer", every(fakebroker.Fault{Never: true}), kcfg.DynamicFailed},
		{"closed when asked", every(fakebroker.Fault{Close: fakebroker.CloseOnReceipt}), kcfg.DynamicFailed},
		{"dead", func(c *fakebroker.Cluster, down *atomic.Bool) {
			down.Store(true)
			c.CloseConnections()
		}, kcfg.DynamicFailed},
		{"support ends", func(c *fakebroker.Cluster, _ *atomic.Bool) {
			_ = c.SetSupport() // of no node: there is none to be unknown
			c.CloseConnections()
		}, kcfg.DynamicUnsupported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var down atomic.Bool
			c := overriding(t)
			cl := forced(t, c, client.Dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
				if down.Load() {
					return nil, errDown
				}
				var d net.Dialer
				return d.DialContext(ctx, network, address)
			}))
			tt.fail(c, &down)
			// What did not come through yet says nothing about the cluster: a broker
			// that ends its support is known by a new connection only.
			eventually(t, func() bool { return cl.RefreshConfigs(withTimeout(t)) != nil && cl.Status().Dynamic.State == tt.state }, "it fails")
			require.Error(t, cl.Status().Dynamic.Err)
			t.Log(cl.Status().Dynamic.Err)
			k := state(t, cl.Status(), "acks")
			assert.Equal(t, kcfg.OverrideApplied, k.State)
			assert.Equal(t, "1", *k.InForce)
			down.Store(false)
			onlyWith(t, c, cl.Client, 1)

			c.ClearScript()
			require.NoError(t, c.SetSupport(c.Nodes()...))
			c.CloseConnections()
			set(t, c, kcfg.Set("acks", "all"))
			eventually(t, func() bool { return cl.Ping(withTimeout(t)) == nil && cl.RefreshConfigs(withTimeout(t)) == nil }, "it recovers")
			onlyWith(t, c, cl.Client, -1)
			eventually(t, func() bool { return cl.Status().Dynamic.State == kcfg.DynamicPolled }, "it waits for its next turn")
			assert.NoError(t, cl.Status().Dynamic.Err)
		})
	}
}

func TestAnOverrideStaysInForceWhenTheBrokerThatToldItIsTakenAway(t *testing.T) {
	c := overriding(t, fakebroker.Brokers(3))
	cl := forced(t, c)
	nodes := asked(c)
	gone := nodes[len(nodes)-1]
	require.NoError(t, c.Kfake().RemoveNode(gone))
	c.CloseConnections(gone)
	eventually(t, func() bool { return cl.RefreshConfigs(withTimeout(t)) == nil }, "another broker is asked")
	nodes = asked(c)
	require.NotEqual(t, gone, nodes[len(nodes)-1])
	onlyWith(t, c, cl.Client, 1)
	set(t, c, kcfg.Set("acks", "0"))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	onlyWith(t, c, cl.Client, 0)
}

func TestABrokerThatIsBehindTakesNoOverrideAwayAndTwoDo(t *testing.T) {
	c := overriding(t, fakebroker.Brokers(3))
	cl := forced(t, c)
	for _, b := range cl.DiscoveredBrokers() { // so that there is another one to ask
		_, err := b.Request(withTimeout(t), metadataRequest())
		require.NoError(t, err)
	}
	nodes := asked(c)
	behind := nodes[len(nodes)-1]
	c.Script(fakebroker.Fault{Keys: []int16{describeKey}, Nodes: []int32{behind}, Garbage: told(false), Count: -1})
	before := c.Count(behind, describeKey)
	for ctx := withTimeout(t); c.Count(behind, describeKey) < before+3; {
		require.NoError(t, cl.RefreshConfigs(ctx))
		onlyWith(t, c, cl.Client, 1)
		assert.Equal(t, "1", *state(t, cl.Status(), "acks").InForce)
	}

	c.ClearScript()
	c.Script(fakebroker.Fault{Keys: []int16{describeKey}, Garbage: told(false), Count: 2})
	n := len(asked(c))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	onlyWith(t, c, cl.Client, -1)
	nodes = asked(c)[n:]
	require.Len(t, nodes, 2, "both agree")
	assert.NotEqual(t, nodes[0], nodes[1])
	assert.Zero(t, c.ClearScript())
	eventually(t, func() bool { return state(t, cl.Status(), "acks").State == kcfg.OverrideStatic }, "the client's own")

	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	onlyWith(t, c, cl.Client, 1)
}

// The client knows three brokers and is connected to one of them only.
func TestABrokerThatIsBehindTakesNoOverrideAwayFromAClientThatOnlyKnowsIt(t *testing.T) {
	c := overriding(t, fakebroker.Brokers(3))
	set(t, c, kcfg.Set("acks", "1"))
	leader := c.Kfake().LeaderFor("orders", 0)
	cl, err := client.NewProducer([]kgo.Opt{kgo.SeedBrokers(c.Addrs()[leader]), kgo.DisableIdempotentWrite(),
		kgo.RecordPartitioner(kgo.ManualPartitioner())}, quick()) // all to partition 0
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	onlyWith(t, c, cl.Client, 1)
	require.Len(t, cl.DiscoveredBrokers(), 3)
	c.Script(fakebroker.Fault{Keys: []int16{describeKey}, Nodes: []int32{leader}, Garbage: told(false), Count: -1})
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	before := c.Acks(fakebroker.AnyNode)[1]
	produce(t, cl.Client, 1)
	assert.Greater(t, c.Acks(fakebroker.AnyNode)[1], before, "asked: %v", asked(c))
}

// An error from before the support ended says nothing about why nobody is asked.
func TestRefreshConfigsSaysUnsupportedAfterTheSupportEnded(t *testing.T) {
	c := overriding(t)
	cl := acksProducer(t, c, quick(), client.PushTimeout(200*time.Millisecond))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	c.Script(fakebroker.Fault{Keys: []int16{describeKey}, Code: kerr.InvalidRequest.Code})
	require.Error(t, cl.RefreshConfigs(withTimeout(t)))
	require.NoError(t, c.SetSupport())
	c.CloseConnections()
	eventually(t, func() bool {
		produce(t, cl.Client, 1)
		return cl.Status().Dynamic.State == kcfg.DynamicUnsupported
	}, "unsupported")
	require.ErrorIs(t, cl.RefreshConfigs(withTimeout(t)), errors.ErrUnsupported)
}
