package topicstore

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait of a test.
const patience = 30 * time.Second

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func cluster(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// bare is a client of an application, which is never connected: a Store only
// reads its options.
func bare(t *testing.T, c *kfake.Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.ClientID("orders")}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

func configured(change func(*Config)) Config {
	cfg := Config{
		Names:     DefaultNames(),
		Dial:      (&net.Dialer{}).DialContext,
		Principal: new("alice"),
		Record: func() kcfg.ClientRecord {
			return kcfg.ClientRecord{Instance: "5a4ab8ea-1b21-4f67-8a2f-0123456789ab", ClientID: "orders"}
		},
	}
	if change != nil {
		change(&cfg)
	}
	return cfg
}

// store is that of a client of alice.
func store(t *testing.T, c *kfake.Cluster, change func(*Config)) *Store {
	t.Helper()
	return New(bare(t, c), configured(change))
}

func setUp(t *testing.T, s *Store) kcfg.TopicsMade {
	t.Helper()
	made, err := s.Setup(withTimeout(t), kcfg.TopicSetup{})
	require.NoError(t, err)
	return made
}

func alter(t *testing.T, s *Store, e kcfg.Entity, ops ...kcfg.Op) {
	t.Helper()
	out, err := s.Alter(withTimeout(t), false, []kcfg.Alteration{kcfg.Alter(e, ops...)})
	require.NoError(t, err)
	require.Len(t, out.Altered, 1)
	require.NoError(t, out.Altered[0].Err)
}

// self are the values that a client reads for itself, those of its client id over
// those of its user.
func self(t *testing.T, s *Store) map[string]string {
	t.Helper()
	told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
	require.NoError(t, err)
	slices.SortFunc(told.Entries, func(a, b kcfg.Described) int { return len(a.Entity.Parts()) - len(b.Entity.Parts()) })
	out := make(map[string]string)
	for _, d := range told.Entries {
		for _, kv := range d.Values {
			out[kv.Key] = kv.Value
		}
	}
	return out
}
