package client_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/configdef"
)

// What would lose: kgo gets the one and then the other, and the library is told of them
// the other way round.
func TestUpdatesAtOnceLeaveTheLibraryWithWhatKgoHas(t *testing.T) {
	var dialed atomic.Pointer[string]
	cl, err := client.New([]kgo.Opt{kgo.SeedBrokers("localhost:1"), kgo.RequestRetries(0)}, client.Dialer(
		func(_ context.Context, network, addr string) (net.Conn, error) {
			dialed.Store(&addr)
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("nobody is there")}
		}))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	for range 5000 {
		var all sync.WaitGroup
		for _, addr := range []string{"localhost:1", "localhost:2", "localhost:3", "localhost:4"} {
			all.Go(func() { _ = cl.UpdateSeedBrokers(addr) })
		}
		all.Wait()
		_, err := cl.SeedBrokers()[0].Request(t.Context(), kmsg.NewPtrMetadataRequest())
		require.Error(t, err)
		require.Equal(t, []string{*dialed.Load()}, configdef.SourceOf(cl.Client).Seeds())
	}
}
