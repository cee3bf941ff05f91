package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func metadataRequest() kmsg.Request { return kmsg.NewPtrMetadataRequest() }

// quick lets retries follow each other without long pauses.
func quick() client.Option { return client.RetryBackoff(5*time.Millisecond, 20*time.Millisecond) }

// What breaks a connection, or asks to come back, is tried again until it works.
func TestPushIsRetriedUntilABrokerTakesIt(t *testing.T) {
	faults := map[string]fakebroker.Fault{
		"closed on receipt":       {Close: fakebroker.CloseOnReceipt, Count: 2},
		"closed before an answer": {Close: fakebroker.CloseBeforeAnswer, Count: 2},
		"half an answer":          {Truncate: 9, Close: fakebroker.CloseAfterAnswer, Count: 2},
		"a retriable code":        {Code: kerr.RequestTimedOut.Code, Count: 2},
		"another retriable code":  {Code: kerr.NotController.Code, Message: "later", Count: 2},
	}
	for name, fault := range faults {
		for _, brokers := range []int{1, 3} {
			t.Run(name, func(t *testing.T) {
				c := cluster(t, fakebroker.Brokers(brokers))
				c.Script(fault)
				cl := newClient(t, seeds(c), quick())
				require.NoError(t, cl.PushConfig(withTimeout(t)))
				assert.Len(t, c.Requests(), 3)
				assert.Equal(t, kcfg.PushPushed, cl.Status().Push.State)
				assert.Equal(t, 3, cl.Status().Push.Requests)
				produce(t, cl.Client, 10)
			})
		}
	}
}

func TestPushGoesToAnotherBrokerAfterADisconnect(t *testing.T) {
	c := cluster(t, fakebroker.Brokers(3))
	cl := newClient(t, seeds(c, kgo.ConsumeTopics("orders")), quick())
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	// Connect to every broker, so that there is a choice.
	for _, b := range append(cl.DiscoveredBrokers(), cl.SeedBrokers()...) {
		_, err := b.Request(withTimeout(t), metadataRequest())
		require.NoError(t, err)
	}
	for i := range 5 {
		before := len(c.Requests())
		c.Script(fakebroker.Fault{Close: fakebroker.CloseOnReceipt})
		cl.UpdateFetchMaxBytes(1<<20, int32(1<<20-1-i))
		require.NoError(t, cl.PushConfig(withTimeout(t)))
		reqs := c.Requests()[before:]
		require.Len(t, reqs, 2)
		assert.NotEqual(t, reqs[0].Node, reqs[1].Node)
	}
}

// What no repetition can mend is not repeated, and never disturbs the data.
func TestGarbageEndsThePushAndNothingElse(t *testing.T) {
	faults := map[string]fakebroker.Fault{
		"garbage":        {Garbage: []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, Count: -1},
		"empty body":     {Garbage: []byte{}, Count: -1},
		"trailing bytes": {Garbage: []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3}, Count: -1},
		"a huge string":  {Garbage: []byte{0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}, Count: -1},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			c := cluster(t)
			c.Script(fault)
			cl := newClient(t, seeds(c, kgo.ConsumeTopics("orders")), quick())
			err := cl.PushConfig(withTimeout(t))
			require.ErrorContains(t, err, "PushConfig")
			produce(t, cl.Client, 100)
			consume(t, cl.Client, 100)
			eventually(t, func() bool { return cl.Status().Push.State == kcfg.PushFailed }, "failed")
			assert.LessOrEqual(t, len(c.Requests()), 2, "one a set: producing made another")
		})
	}
}

func TestAWrongCorrelationIDCostsOneConnectionAndNothingElse(t *testing.T) {
	c := cluster(t)
	c.Script(fakebroker.Fault{WrongCorrelation: true, Count: -1})
	cl := newClient(t, seeds(c, kgo.ConsumeTopics("orders")), quick(), client.PushTimeout(200*time.Millisecond))
	require.Error(t, cl.PushConfig(withTimeout(t)))
	produce(t, cl.Client, 100)
	consume(t, cl.Client, 100)
	eventually(t, func() bool { return cl.Status().Push.State == kcfg.PushFailed }, "failed")
}

func TestABrokerThatAdvertisesAndClosesIsLeftAloneAfterThePushTimeout(t *testing.T) {
	c := cluster(t)
	c.Script(fakebroker.Fault{Close: fakebroker.CloseOnReceipt, Count: -1})
	cl := newClient(t, seeds(c), quick(), client.PushTimeout(100*time.Millisecond))
	require.Error(t, cl.PushConfig(withTimeout(t)))
	produce(t, cl.Client, 100) // by its end, the last request has come, too
	n := len(c.Requests())
	require.Positive(t, n)
	produce(t, cl.Client, 100)
	require.NoError(t, cl.Ping(withTimeout(t)))
	assert.Len(t, c.Requests(), n)
}

func TestAPushTimeoutBoundsABrokerThatNeverAnswers(t *testing.T) {
	c := cluster(t)
	c.Script(fakebroker.Fault{Never: true, Count: -1})
	cl := newClient(t, seeds(c), quick(), client.PushTimeout(200*time.Millisecond))
	err := cl.PushConfig(withTimeout(t))
	require.ErrorContains(t, err, "push timeout")
	produce(t, cl.Client, 10)
}

func TestUnsupportedVersionAlthoughAdvertisedIsAskedOnce(t *testing.T) {
	log := &logger{}
	c := cluster(t, fakebroker.WithSupport(fakebroker.Unserved), fakebroker.Brokers(3))
	cl := newClient(t, seeds(c, kgo.WithLogger(log), kgo.ConsumeTopics("orders")), client.DisableDynamicConfigs())
	require.ErrorIs(t, cl.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
	produce(t, cl.Client, 100)
	consume(t, cl.Client, 100)
	cl.UpdateFetchMaxBytes(1<<20, 1<<20)
	require.ErrorIs(t, cl.PushConfig(withTimeout(t)), cfgerrors.ErrUnsupported)
	assert.Len(t, c.Requests(), 1)
	assert.Equal(t, kcfg.PushUnsupported, cl.Status().Push.State)
	assert.Len(t, log.told(), 1, "%q", log.about("kcfg: "))
}
