package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// way is how overrides get to clients. What clients do with them must not depend
// on it.
type way struct {
	topics bool
}

// overBoth runs a test over the RPCs, and over topics on a cluster without them.
func overBoth(t *testing.T, test func(*testing.T, way)) {
	t.Helper()
	t.Run("rpc", func(t *testing.T) { test(t, way{}) })
	t.Run("topics", func(t *testing.T) { test(t, way{topics: true}) })
}

// cluster is overriding or, over topics, a cluster on which they were made.
func (w way) cluster(t *testing.T, opts ...fakebroker.Option) *fakebroker.Cluster {
	t.Helper()
	return w.start(t, append([]fakebroker.Option{fakebroker.Topics(3, "orders")}, opts...)...)
}

// start is cluster without a topic of the application's.
func (w way) start(t *testing.T, opts ...fakebroker.Option) *fakebroker.Cluster {
	t.Helper()
	if !w.topics {
		opts = append([]fakebroker.Option{fakebroker.Policy(&fakebroker.RecordPolicy{}), fakebroker.DynamicConfigs()}, opts...)
	}
	c, err := fakebroker.New(opts...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	if w.topics {
		setUp(t, c)
	}
	return c
}

// set changes what is set for everyone.
func (w way) set(t *testing.T, c *fakebroker.Cluster, ops ...kcfg.Op) {
	t.Helper()
	if !w.topics {
		set(t, c, ops...)
		return
	}
	setTopics(t, operator(t, c), ops...)
}

// opts are the options of a client, and the transport. Over topics the client does
// not tell of itself, which it would do with a Produce that the tests count.
func (w way) opts(opts ...client.Option) []client.Option {
	if w.topics {
		return append([]client.Option{overTopics(), client.DisableConfigsPush()}, opts...)
	}
	return opts
}
