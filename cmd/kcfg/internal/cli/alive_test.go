package cli

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// setUp starts a reference broker with the topics in which clients tell of themselves,
// and returns it, an admin, and the flags that name it.
func setUp(t *testing.T, opts ...fakebroker.Option) (*fakebroker.Cluster, *client.Admin, []string) {
	t.Helper()
	c, flags := broker(t, append([]fakebroker.Option{fakebroker.Topics(1, "orders")}, opts...)...)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	a, err := client.NewAdmin(cl, client.Transport(client.TransportTopics))
	require.NoError(t, err)
	_, err = a.SetupTopics(soon(t), kcfg.TopicSetup{})
	require.NoError(t, err)
	return c, a, flags
}

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// alive makes a producer over topics that told of itself, and goes on producing until
// the test ends.
func alive(t *testing.T, c *fakebroker.Cluster, a *client.Admin, id string, kopts []kgo.Opt, opts ...client.Option) *client.Client {
	t.Helper()
	kopts = append([]kgo.Opt{kgo.SeedBrokers(c.Addrs()...), kgo.ClientID(id), kgo.DefaultProduceTopic("orders")}, kopts...)
	opts = append([]client.Option{client.Transport(client.TransportTopics), client.PollInterval(time.Second)}, opts...)
	cl, err := client.NewProducer(kopts, opts...)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for ctx.Err() == nil {
			cl.ProduceSync(ctx, kgo.StringRecord("x"))
			rest(ctx, 10*time.Millisecond)
		}
	}()
	t.Cleanup(func() { cancel(); <-stopped; cl.Close() })
	require.Eventually(t, func() bool { return records(t, a)[cl.ClientInstanceID()].ClientID == id }, time.Minute, 50*time.Millisecond)
	return cl
}

// records are what clients tell, by instance.
func records(t *testing.T, a *client.Admin) map[string]kcfg.ClientRecord {
	t.Helper()
	recs, err := a.Clients(soon(t))
	if !assert.NoError(t, err) {
		return nil
	}
	out := make(map[string]kcfg.ClientRecord)
	for _, r := range recs.Records {
		out[r.Instance] = r
	}
	return out
}

func noIdempotence() []kgo.Opt {
	return []kgo.Opt{kgo.DisableIdempotentWrite()}
}

// soonest and pause are for what must become true.
const (
	soonest = time.Minute
	pause   = 50 * time.Millisecond
)
