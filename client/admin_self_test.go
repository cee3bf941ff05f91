package client

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// A client asks for its own configurations by the principal of its connection,
// and an admin sees what it registered.
func TestAClientAndItsAdminSeeTheSameStore(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c, err := fakebroker.New(fakebroker.Brokers(3), fakebroker.DynamicConfigs(), fakebroker.SASL(
		fakebroker.User{Mechanism: "PLAIN", Name: "alice", Password: "wonder"},
		fakebroker.User{Mechanism: "PLAIN", Name: "operator", Password: "wonder"},
	), fakebroker.Authorizer(func(rc fakebroker.RequestContext, _ fakebroker.Operation) bool { return rc.Principal == "operator" }))
	require.NoError(t, err)
	defer c.Close()
	as := func(user string) *Client {
		cl, err := New([]kgo.Opt{kgo.SeedBrokers(c.Addrs()...), kgo.SASL(plain.Auth{User: user, Pass: "wonder"}.AsMechanism())}, DisableDynamicConfigs())
		require.NoError(t, err)
		t.Cleanup(cl.Close)
		return cl
	}
	admin, err := NewAdmin(as("operator").Client)
	require.NoError(t, err)
	user, orders := kcfg.User("alice"), kcfg.User("alice").Client("orders")
	_, err = admin.AlterClientConfigs(ctx,
		kcfg.Alter(user, kcfg.Set("acks", "all"), kcfg.Set("session.timeout.ms", "30000")),
		kcfg.Alter(orders, kcfg.Set("acks", "1")))
	require.NoError(t, err)

	alice := as("alice")
	require.NoError(t, alice.Ping(ctx))
	rpc := transport.NewRPC(alice.plugin.cfg.proto, alice.plugin.conns, sender(alice.Client))
	told, err := rpc.DescribeSelf(ctx, "orders", []string{"session.timeout.ms", "acks"})
	require.NoError(t, err)
	require.True(t, told.Sent)
	assert.Equal(t, []kcfg.Described{{Entity: orders, Values: []kcfg.KeyValue{
		{Key: "acks", Value: "1"}, {Key: "session.timeout.ms", Value: "30000"},
	}}}, told.Entries)

	got, err := admin.DescribeClientConfigs(ctx, kcfg.FilterUser("alice").Client("orders"))
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Len(t, got[0].Supported, 1)
	for software, keys := range got[0].Supported {
		assert.Contains(t, software, "kgo/")
		assert.Equal(t, []string{"acks", "session.timeout.ms"}, keys)
	}
	_, err = rpc.Describe(ctx, kcfg.Filter{})
	require.Error(t, err, "others are not alice's business")
}
