package client_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// On a cluster that does not mean our RPC, whatever it advertises, nothing is
// sent: the broker counts. That the same code sends where it is meant is shown
// by the last case.
func TestNothingIsSentToAClusterThatDoesNotMeanTheRPC(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opts  []fakebroker.Option
		sends bool
	}{
		{"no policy: the feature is off", []fakebroker.Option{fakebroker.Policy(nil)}, false},
		{"unsupported", []fakebroker.Option{fakebroker.WithSupport(fakebroker.Unsupported)}, false},
		{"the number without the feature", []fakebroker.Option{fakebroker.WithSupport(fakebroker.KeyOnly)}, false},
		{"the feature without the number", []fakebroker.Option{fakebroker.WithSupport(fakebroker.FeatureOnly)}, false},
		{"supported", nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := &logger{}
			c := cluster(t, append(tt.opts, fakebroker.Brokers(3))...)
			kopts := seeds(c, kgo.WithLogger(log), kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"))
			cl := newClient(t, kopts)
			produce(t, cl.Client, 100)
			consume(t, cl.Client, 100)
			err := cl.PushConfig(withTimeout(t))
			if tt.sends {
				require.NoError(t, err)
				assert.Positive(t, c.Count(fakebroker.AnyNode, pushKey))
				assert.Empty(t, log.about("supports config push"))
				return
			}
			require.ErrorIs(t, err, cfgerrors.ErrUnsupported)
			assert.Zero(t, c.Count(fakebroker.AnyNode, pushKey))
			assert.Zero(t, cl.Status().Connections.Ours)
			assert.Equal(t, kcfg.PushUnsupported, cl.Status().Push.State)
			assert.Len(t, log.told(), 1, "%q", log.about("kcfg: "))
		})
	}
}

func TestAnEmptyFeatureTakesTheNumberAsProof(t *testing.T) {
	c := cluster(t, fakebroker.WithSupport(fakebroker.Supported))
	p := kcfg.DefaultProtocol()
	p.Feature = ""
	cl := newClient(t, seeds(c), client.WithProtocol(p))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
}

func TestOtherNumbersAreSpokenWhenBothSidesHaveThem(t *testing.T) {
	p := kcfg.Protocol{
		DescribeClientConfigsKey: 1000, AlterClientConfigsKey: 1001, PushConfigKey: 1002,
		ConfigTooLargeCode: 1003, ResourceIdentifierTooLargeCode: 1004,
		Feature: "org.example.config", FeatureLevel: 3,
	}
	c := cluster(t, fakebroker.Protocol(p))
	require.NoError(t, newClient(t, seeds(c), client.WithProtocol(p)).PushConfig(withTimeout(t)))
	require.ErrorIs(t, newClient(t, seeds(c)).PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
	assert.Equal(t, 1, c.Count(fakebroker.AnyNode, 1002))

	small := cluster(t, fakebroker.Protocol(p), fakebroker.MaxBytes(10))
	err := newClient(t, seeds(small), client.WithProtocol(p)).PushConfig(withTimeout(t))
	assert.True(t, isA[*cfgerrors.ConfigTooLargeError](err), "%v", err)
}

func TestInAMixedClusterOnlyTheBrokersThatMeanItAreAsked(t *testing.T) {
	c := cluster(t, fakebroker.Brokers(3), fakebroker.SupportedBy(1))
	for i := range 6 {
		// One seed, so that the first connection is to a broker that may not.
		cl := newClient(t, []kgo.Opt{kgo.SeedBrokers(c.Addrs()[i%3])}, quick())
		require.NoError(t, cl.Ping(withTimeout(t)))
		for _, b := range cl.DiscoveredBrokers() {
			_, err := b.Request(withTimeout(t), metadataRequest())
			require.NoError(t, err)
		}
		require.NoError(t, c.WaitPushes(withTimeout(t), i+1))
		require.NoError(t, cl.PushConfig(withTimeout(t)))
		cl.Close()
	}
	assert.Zero(t, c.Count(0, pushKey))
	assert.Zero(t, c.Count(2, pushKey))
}

func TestARollingUpgradeStartsThePushAndADowngradeStopsIt(t *testing.T) {
	c := cluster(t, fakebroker.WithSupport(fakebroker.Unsupported))
	cl := newClient(t, seeds(c, kgo.ConsumeTopics("orders")), quick())
	require.ErrorIs(t, cl.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)

	require.NoError(t, c.SetSupportMode(fakebroker.Supported))
	c.CloseConnections()
	eventually(t, func() bool { return cl.Ping(withTimeout(t)) == nil }, "connected again")
	require.NoError(t, c.WaitPushes(withTimeout(t), 1))

	require.NoError(t, c.SetSupportMode(fakebroker.Unsupported))
	c.CloseConnections()
	eventually(t, func() bool { return cl.Ping(withTimeout(t)) == nil }, "connected again")
	cl.UpdateFetchMaxBytes(1<<20, 1<<20)
	// Whatever the client knew of its brokers, nothing of ours is sent, and the
	// caller is told why.
	require.ErrorIs(t, cl.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
	require.Equal(t, 1, c.Count(fakebroker.AnyNode, pushKey))
	produce(t, cl.Client, 10)

	// And back: the next connection starts it.
	require.NoError(t, c.SetSupportMode(fakebroker.Supported))
	c.CloseConnections()
	eventually(t, func() bool { return cl.Ping(withTimeout(t)) == nil }, "connected again")
	require.NoError(t, c.WaitPushes(withTimeout(t), 2))
}

// Brokers are replaced one by one, and the client learns of each only by
// connecting to it.
func TestARollingDowngradeOfThreeBrokersIsNoFailure(t *testing.T) {
	log := &logger{}
	c := cluster(t, fakebroker.Brokers(3))
	cl := newClient(t, seeds(c, kgo.ConsumeTopics("orders"), kgo.WithLogger(log)), quick())
	for range 3 {
		require.NoError(t, cl.PushConfig(withTimeout(t)))
		for _, b := range append(cl.DiscoveredBrokers(), cl.SeedBrokers()...) {
			_, err := b.Request(withTimeout(t), metadataRequest())
			require.NoError(t, err)
		}
	}
	require.NoError(t, c.SetSupport())
	c.CloseConnections()
	before := c.Count(fakebroker.AnyNode, pushKey)
	cl.UpdateFetchMaxBytes(1<<20, 1<<20)
	require.ErrorIs(t, cl.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
	assert.Equal(t, before, c.Count(fakebroker.AnyNode, pushKey))
	assert.Equal(t, kcfg.PushUnsupported, cl.Status().Push.State)

	require.NoError(t, c.SetSupport(0, 1, 2))
	c.CloseConnections()
	eventually(t, func() bool { return cl.Ping(withTimeout(t)) == nil }, "connected again")
	require.NoError(t, c.WaitRequests(withTimeout(t), before+1))
	eventually(t, func() bool { return cl.Status().Push.State == kcfg.PushPushed }, "pushed again")
}

func TestPushIsOffWhenDisabled(t *testing.T) {
	log := &logger{}
	c := cluster(t)
	cl := newClient(t, seeds(c, kgo.WithLogger(log)), client.DisableConfigsPush())
	produce(t, cl.Client, 100)
	err := cl.PushConfig(withTimeout(t))
	require.ErrorIs(t, err, cfgerrors.ErrUnsupported)
	require.ErrorContains(t, err, "DisableConfigsPush")
	assert.Zero(t, c.Count(fakebroker.AnyNode, pushKey))
	assert.Equal(t, kcfg.PushDisabled, cl.Status().Push.State)
	assert.Empty(t, log.told())
	assert.Equal(t, uint64(0), cl.Status().Connections.Ours)
	assert.Positive(t, cl.Status().Connections.Requests)
}

func TestKgoMaxVersionsSwitchesPushOffAndIsNotWritten(t *testing.T) {
	log := &logger{}
	c := cluster(t)
	own := kversion.V3_7_0()
	cl := newClient(t, seeds(c, kgo.WithLogger(log), kgo.MaxVersions(own)))
	produce(t, cl.Client, 10)
	require.ErrorIs(t, cl.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
	assert.Zero(t, c.Count(fakebroker.AnyNode, pushKey))
	assert.True(t, own.Equal(kversion.V3_7_0()))
	assert.Len(t, log.about("client.MaxVersions"), 1)
	s := cl.Status()
	assert.Equal(t, kcfg.PushDisabled, s.Push.State)
	assert.Equal(t, "kgo.MaxVersions", s.Push.Reason)
	assert.Len(t, s.Warnings, 1)
}

func TestMaxVersionsOfOursIsCopied(t *testing.T) {
	c := cluster(t)
	own := kversion.V2_8_0()
	for range 3 {
		cl := newClient(t, seeds(c, kgo.ConsumeTopics("orders")), client.MaxVersions(own))
		require.NoError(t, cl.PushConfig(withTimeout(t)))
	}
	assert.True(t, own.Equal(kversion.V2_8_0()))
	assert.Len(t, c.Pushes(), 3)
}
