package fakebroker

import (
	"context"
	"math"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"
)

// endless is a delay that no test waits for.
const endless = time.Duration(math.MaxInt64)

func TestCloseEndsEveryAnswerThatIsHeldBack(t *testing.T) {
	for name, f := range map[string]Fault{
		"delayed":           {Delay: endless},
		"held":              {Hold: make(chan struct{})},
		"never":             {Never: true},
		"truncated":         {Truncate: 3},
		"delayed to close":  {Delay: endless, Close: CloseBeforeAnswer},
		"Metadata, delayed": {Delay: endless, Keys: []int16{3}},
		"Metadata, held":    {Hold: make(chan struct{}), Keys: []int16{3}},
		"Metadata, never":   {Never: true, Keys: []int16{3}},
		"Metadata, in half": {Truncate: 3, Keys: []int16{3}},
		"behind a Metadata": {Never: true, Keys: []int16{3}},
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			c := start(t, Policy(&RecordPolicy{}))
			c.Script(f)
			r := dial(t, c, 0)
			key := int16(902)
			if len(f.Keys) > 0 {
				key = 3
				r.send(metadataOf(), 1)
				r.send(pushOf(t), 2)
			} else {
				r.send(pushOf(t), 1)
			}
			require.NoError(t, c.Wait(testContext(t), func() bool { return c.Count(0, key) == 1 }))
			c.Close()
			goleak.VerifyNone(t, before)
		})
	}
}

func TestCloseIsSafeToCallFromAnywhereAndTwice(t *testing.T) {
	before := goleak.IgnoreCurrent()
	c := start(t, Brokers(3), Policy(&RecordPolicy{}))
	for node := range 3 {
		r := dial(t, c, node)
		r.send(metadataOf(), 1)
		r.read()
	}
	dial(t, c, 0) // and one that never sends
	done := make(chan struct{})
	for range 3 {
		go func() {
			c.Close()
			done <- struct{}{}
		}()
	}
	for range 3 {
		<-done
	}
	c.Close()
	goleak.VerifyNone(t, before)
	_, err := net.Dial("tcp", c.Addrs()[0])
	require.Error(t, err)
}

// blocked is a connection to a client that does not read.
type blocked struct {
	segments
	entered chan struct{}
	closed  chan struct{}
}

func (b *blocked) Write([]byte) (int, error) {
	close(b.entered)
	<-b.closed
	return 0, net.ErrClosed
}

func (b *blocked) Close() error {
	close(b.closed)
	return nil
}

func TestCloseEndsAWriteToAClientThatDoesNotRead(t *testing.T) {
	before := goleak.IgnoreCurrent()
	c := start(t)
	inner := &blocked{entered: make(chan struct{}), closed: make(chan struct{})}
	tap := tapOf(t, c, inner)
	done := make(chan error)
	go func() {
		_, err := tap.Write([]byte{0, 0, 0, 4, 0, 0, 0, 1})
		done <- err
	}()
	<-inner.entered
	closed := make(chan struct{})
	go func() {
		c.Close()
		close(closed)
	}()
	require.ErrorIs(t, <-done, net.ErrClosed)
	<-closed
	_, err := tap.Write([]byte{0, 0, 0, 4, 0, 0, 0, 1})
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = tap.Read(make([]byte, 1))
	require.ErrorIs(t, err, net.ErrClosed)
	goleak.VerifyNone(t, before)
}

// slow is a policy that takes its time after its context ended.
type slow struct {
	entered, closed, returned chan struct{}
	early                     bool
}

func (s *slow) Process(ctx context.Context, _ RequestContext, _ ClientConfigs) error {
	defer close(s.returned)
	close(s.entered)
	<-ctx.Done()
	select {
	case <-s.closed:
		s.early = true
	case <-time.After(50 * time.Millisecond): // the longer, the surer a broken Close is caught
	}
	return nil
}

func (s *slow) Close() error {
	close(s.closed)
	return nil
}

func TestCloseWaitsForThePolicyBeforeItClosesIt(t *testing.T) {
	t.Parallel()
	policy := &slow{entered: make(chan struct{}), closed: make(chan struct{}), returned: make(chan struct{})}
	c := start(t, Policy(policy))
	dial(t, c, 0).send(pushOf(t), 1)
	<-policy.entered
	c.Close()
	<-policy.returned
	require.False(t, policy.early)
}

func TestAConnectionThatComesDuringCloseIsRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.Close()
	_, ok := c.adopt(c.nodes[0], &segments{})
	require.False(t, ok)
}

func TestALiveClientDoesNotKeepAClusterFromClosing(t *testing.T) {
	c := start(t, Brokers(2), Topics(2, "t"), Policy(&RecordPolicy{}))
	cl := newClient(t, c, kgo.ConsumeTopics("t"), kgo.ConsumerGroup("g"))
	require.NoError(t, cl.Ping(testContext(t)))
	require.NoError(t, c.Wait(testContext(t), func() bool { return c.Count(AnyNode, 1) > 0 }))
	c.Close()
}
