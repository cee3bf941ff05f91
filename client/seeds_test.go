package client_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// The name by which the client knew the cluster when it was made is gone.
func TestTheTransportOverTopicsFollowsTheClientsNewSeeds(t *testing.T) {
	const old = "old.invalid:9092"
	c := unmodified(t)
	a := setUp(t, c)
	setTopics(t, a, kcfg.Set("acks", "1"))
	var gone atomic.Bool
	var asked atomic.Int32 // for the old name since it is gone
	dial := client.Dialer(func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == old {
			if gone.Load() {
				asked.Add(1)
				return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("no such host")}
			}
			addr = c.Addrs()[0]
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	})
	cl, err := client.NewProducer([]kgo.Opt{kgo.SeedBrokers(old), kgo.DisableIdempotentWrite()}, overTopics(), client.Principal("ANONYMOUS"), dial)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))

	gone.Store(true)
	require.Error(t, cl.UpdateSeedBrokers("localhost:x"))
	require.NoError(t, cl.UpdateSeedBrokers(c.Addrs()...))
	setTopics(t, a, kcfg.Set("acks", "0"))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	s := state(t, cl.Status(), "acks")
	require.NotNil(t, s.Wished)
	assert.Equal(t, "0", *s.Wished)
	assert.Zero(t, asked.Load())
}

func TestNewSeedsArePushedWhereTheyArePushed(t *testing.T) {
	c := cluster(t)
	cl := newClient(t, seeds(c), client.PushKeys("bootstrap.servers"))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	other := strings.Replace(c.Addrs()[0], "127.0.0.1", "localhost", 1)
	require.NoError(t, cl.UpdateSeedBrokers(other))
	require.NoError(t, cl.UpdateSeedBrokers(), "no seed changes nothing, as in kgo")
	require.NoError(t, c.WaitPushes(withTimeout(t), 2))
	assert.Equal(t, []string{other}, got(c.Pushes()[1])["bootstrap.servers"].Value)
}

func TestAPluginWithoutAClientHasNoSeedsToUpdate(t *testing.T) {
	require.ErrorIs(t, client.NewPlugin().UpdateSeedBrokers("localhost:9092"), cfgerrors.ErrNotInstrumented)
}
