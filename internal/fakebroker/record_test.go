package fakebroker

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/sensitive"
)

func TestRequestsKeepTheirFramesAndEntries(t *testing.T) {
	t.Parallel()
	c := start(t, Brokers(2), Policy(&RecordPolicy{}))
	dial(t, c, 0)
	require.NoError(t, c.Wait(testContext(t), func() bool { return c.Connections(0) == 1 }))
	r := dial(t, c, 1)
	entries := []sensitive.Entry{entry("k", "v"), {Key: "n", Value: "x", Type: sensitive.Password, IsDefault: true}}
	frame := formatted(pushOf(t, entries...), 7)
	r.write(frame)
	r.read()
	got := c.Requests()
	require.Len(t, got, 1)
	require.EqualValues(t, 1, got[0].Node)
	require.Equal(t, 2, got[0].Conn)
	require.EqualValues(t, 902, got[0].Key)
	require.Equal(t, frame, got[0].Frame)
	require.Equal(t, entries, got[0].Entries)
	require.False(t, got[0].Time.IsZero())
	require.Equal(t, "raw", got[0].Context.ClientID)
	got[0].Answer = Answer{}
	require.Equal(t, Answered, c.Requests()[0].Answer.Outcome, "what is returned is a copy")
}

func TestLaterFramesDoNotOverwriteEarlierOnes(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	r := dial(t, c, 0)
	var want [][]byte
	for id := range int32(3) {
		want = append(want, formatted(pushOf(t, entry("k", strings.Repeat("v", 10+int(id)))), id))
		r.write(want[id])
		r.read()
	}
	for i, req := range c.Requests() {
		require.Equal(t, want[i], req.Frame)
	}
}

func TestTrafficIsCountedByNodeAndKey(t *testing.T) {
	t.Parallel()
	c := start(t, Brokers(2), Topics(1, "t"), Policy(&RecordPolicy{}))
	for node, n := range []int{2, 3} {
		r := dial(t, c, node)
		for range n {
			r.send(metadataOf(), 1)
			r.read()
			r.send(pushOf(t), 1)
			r.read()
			r.send(produceOf("t", -1, nil), 1)
			r.read()
		}
	}
	dial(t, c, 1).requireServed()
	require.Equal(t, 1, c.Connections(0))
	require.Equal(t, 2, c.Connections(1))
	require.Equal(t, 3, c.Connections(AnyNode))
	require.Zero(t, c.Connections(7))
	require.Equal(t, 2, c.Count(0, 3))
	require.Equal(t, 3, c.Count(1, 902))
	require.Equal(t, 5, c.Count(AnyNode, 902))
	require.Zero(t, c.Count(AnyNode, 901))
	require.Equal(t, map[int16]int{-1: 2}, c.Acks(0))
	require.Equal(t, map[int16]int{-1: 5}, c.Acks(AnyNode))
	require.Empty(t, c.Acks(7))
}

// requireServed fails unless the connection works.
func (r *rawClient) requireServed() {
	r.t.Helper()
	r.send(requestAt(kmsg.NewPtrListGroupsRequest(), 0), 99)
	require.EqualValues(r.t, 99, correlation(r.read()))
}

func TestWaitPushesWaitsForThePush(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	done := make(chan error)
	go func() { done <- c.WaitPushes(testContext(t), 2) }()
	r := dial(t, c, 0)
	for id := range int32(2) {
		select {
		case err := <-done:
			t.Fatal("it did not wait: ", err)
		default:
		}
		r.send(pushOf(t, entry("k", "v")), id)
		r.read()
	}
	require.NoError(t, <-done)
	require.NoError(t, c.WaitRequests(testContext(t), 2))
}

func TestAWaitEndsWithItsContextOrTheCluster(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	require.ErrorIs(t, c.WaitPushes(ctx, 1), cause)
	require.ErrorIs(t, c.WaitRequests(ctx, 1), cause)
	require.NoError(t, c.WaitPushes(ctx, 0), "there is nothing to wait for")

	done := make(chan error)
	begun := make(chan struct{})
	go func() {
		done <- c.Wait(context.Background(), func() bool {
			select {
			case <-begun:
			default:
				close(begun)
			}
			return false
		})
	}()
	<-begun
	c.Close()
	require.ErrorIs(t, <-done, ErrClosed)
	require.ErrorIs(t, c.WaitPushes(context.Background(), 1), ErrClosed)
	require.ErrorContains(t, c.WaitPushes(context.Background(), 1), "0 of 1 pushes")
}

func TestWhatClientsSentIsCapturedBehindTLS(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	for name, opts := range map[string][]Option{
		"plaintext": nil,
		"TLS":       {TLS(ca.server(t, tls.NoClientCert))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, append(opts, CaptureBytes(), Topics(1, "t"), Policy(&RecordPolicy{}))...)
			var sent []byte
			for _, marker := range []string{"marker-a", "marker-b"} {
				r := dial(t, c, 0)
				if name == "TLS" {
					r = raw(t, tls.Client(r.Conn, ca.client()))
				}
				one := formatted(pushOf(t, entry("k", marker)), 1)
				two := formatted(produceOf("t", 1, bytes.Repeat([]byte("x"), 70_000)), 2)
				sent = append(sent, append(one, two...)...)
				r.write(append(one, two...))
				r.read()
				r.read()
			}
			require.True(t, c.Contains([]byte("marker-a")))
			require.True(t, c.Contains([]byte("marker-b")))
			require.False(t, c.Contains([]byte("marker-c")))
			require.Equal(t, sent, c.Received())
			require.False(t, c.Contains(sent), "one connection behind the other is not one piece")
		})
	}
}

func TestWithoutCaptureNoSecretIsProvedAbsent(t *testing.T) {
	t.Parallel()
	c := start(t)
	require.Panics(t, func() { c.Contains([]byte("secret")) })
	require.Panics(t, func() { c.Received() })
}
