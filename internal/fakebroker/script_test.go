package fakebroker

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sendUnder starts a cluster with a topic and a policy, and sends one push under
// the fault.
func sendUnder(t *testing.T, f Fault) (*Cluster, *rawClient) {
	t.Helper()
	c := start(t, Topics(1, "t"), Policy(&RecordPolicy{}))
	c.Script(f)
	r := dial(t, c, 0)
	r.send(pushOf(t, entry("k", "v")), 5)
	return c, r
}

func TestACodeIsAnsweredWithoutThePolicy(t *testing.T) {
	t.Parallel()
	c, r := sendUnder(t, Fault{Code: 7, Message: "timed out", ThrottleMillis: 80})
	resp := pushed(t, r.read())
	require.EqualValues(t, 7, resp.ErrorCode)
	require.Equal(t, "timed out", *resp.ErrorMessage)
	require.EqualValues(t, 80, resp.ThrottleMillis)
	require.Empty(t, c.Pushes())
	require.Equal(t, Answer{Outcome: Answered, Code: 7, Message: "timed out", ThrottleMillis: 80}, c.Requests()[0].Answer)
	r.send(pushOf(t), 6)
	require.Zero(t, pushed(t, r.read()).ErrorCode, "only once")
}

func TestAThrottleAloneKeepsTheAnswer(t *testing.T) {
	t.Parallel()
	c, r := sendUnder(t, Fault{ThrottleMillis: 80})
	resp := pushed(t, r.read())
	require.Zero(t, resp.ErrorCode)
	require.EqualValues(t, 80, resp.ThrottleMillis)
	require.Len(t, c.Pushes(), 1)
}

func TestADroppedRequestIsForgottenAndTheConnectionGoesOn(t *testing.T) {
	t.Parallel()
	c, r := sendUnder(t, Fault{Drop: true})
	r.send(metadataOf(), 6)
	require.EqualValues(t, 6, correlation(r.read()))
	require.Empty(t, c.Pushes())
	require.Equal(t, Dropped, c.Requests()[0].Answer.Outcome)
}

func TestADelayedAnswerComesAfterItsDelay(t *testing.T) {
	t.Parallel()
	const delay = 30 * time.Millisecond
	c := start(t, Policy(&RecordPolicy{}))
	c.Script(Fault{Delay: delay})
	r := dial(t, c, 0)
	begun := time.Now()
	r.send(pushOf(t), 5)
	require.Zero(t, pushed(t, r.read()).ErrorCode)
	require.GreaterOrEqual(t, time.Since(begun), delay)
	require.Equal(t, Answered, c.Requests()[0].Answer.Outcome)
}

func TestAHeldAnswerMutesItsConnectionAndNoOther(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	c, r := sendUnder(t, Fault{Hold: release})
	require.NoError(t, c.WaitPushes(testContext(t), 1), "it is processed at once")
	require.Equal(t, Pending, c.Requests()[0].Answer.Outcome)
	r.send(metadataOf(), 6)

	other := dial(t, c, 0)
	for range 3 {
		other.send(metadataOf(), 1)
		other.read()
		other.send(pushOf(t), 2)
		require.Zero(t, pushed(t, other.read()).ErrorCode)
	}
	require.Equal(t, 3, c.Count(0, 3), "the muted connection's Metadata is not read")

	close(release)
	require.EqualValues(t, 5, correlation(r.read()))
	require.EqualValues(t, 6, correlation(r.read()))
	require.Equal(t, Answered, c.Requests()[0].Answer.Outcome)
}

func TestAnAnswerThatNeverComesMutesTheConnectionUntilItIsClosed(t *testing.T) {
	t.Parallel()
	c, r := sendUnder(t, Fault{Never: true})
	require.NoError(t, c.WaitPushes(testContext(t), 1))
	r.send(metadataOf(), 6)
	other := dial(t, c, 0)
	other.send(metadataOf(), 1)
	other.read()
	require.Equal(t, 1, c.Count(0, 3))
	require.NoError(t, c.Wait(testContext(t), func() bool { return c.Requests()[0].Answer.Outcome == Withheld }))
	c.CloseConnections()
	r.requireClosed()
}

func TestAnsweredWithTheWrongCorrelation(t *testing.T) {
	t.Parallel()
	_, r := sendUnder(t, Fault{WrongCorrelation: true})
	frame := r.read()
	require.Equal(t, ^int32(5), correlation(frame))
	require.Zero(t, pushed(t, frame).ErrorCode)
}

func TestAnsweredWithGarbage(t *testing.T) {
	t.Parallel()
	_, r := sendUnder(t, Fault{Garbage: []byte("garbage")})
	frame := r.read()
	require.EqualValues(t, 5, correlation(frame))
	require.Equal(t, "garbage", string(frame[answerHead:]))
	r.send(metadataOf(), 6)
	require.EqualValues(t, 6, correlation(r.read()), "the connection goes on")
}

func TestATruncatedAnswerEndsWithinItsFrame(t *testing.T) {
	t.Parallel()
	c, r := sendUnder(t, Fault{Truncate: 6, Close: CloseAfterAnswer})
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Len(t, b, 6)
	require.Len(t, c.Pushes(), 1)
	require.Equal(t, Withheld, c.Requests()[0].Answer.Outcome)
}

func TestATruncatedAnswerMutesAConnectionThatStaysOpen(t *testing.T) {
	t.Parallel()
	c, r := sendUnder(t, Fault{Truncate: 6})
	_, err := io.ReadFull(r, make([]byte, 6))
	require.NoError(t, err)
	r.send(metadataOf(), 6)
	other := dial(t, c, 0)
	other.send(metadataOf(), 1)
	other.read()
	require.Equal(t, 1, c.Count(0, 3), "nothing behind it is read")
	c.CloseConnections(0)
	r.requireClosed()
}

func TestTheConnectionIsClosedWhereTheFaultSays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		close    Close
		answered bool
		pushes   int
		outcome  Outcome
	}{
		{"on receipt", CloseOnReceipt, false, 0, Refused},
		{"before the answer", CloseBeforeAnswer, false, 1, Withheld},
		{"after the answer", CloseAfterAnswer, true, 1, Answered},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, r := sendUnder(t, Fault{Close: tt.close})
			if tt.answered {
				require.Zero(t, pushed(t, r.read()).ErrorCode)
			}
			r.requireClosed()
			require.Len(t, c.Pushes(), tt.pushes)
			require.Equal(t, tt.outcome, c.Requests()[0].Answer.Outcome)
		})
	}
}

func TestKafkasOwnRequestsCanBeHeldDroppedDamagedAndClosed(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, f Fault) (*Cluster, *rawClient) {
		t.Helper()
		c := start(t, Topics(1, "t"), Policy(&RecordPolicy{}))
		f.Keys = []int16{0, 3, 12, 18}
		c.Script(f)
		return c, dial(t, c, 0)
	}
	requests := map[string]kmsg.Request{
		"Produce":     produceOf("t", 1, []byte("v")),
		"Metadata":    metadataOf(),
		"Heartbeat":   kmsg.NewPtrHeartbeatRequest(),
		"ApiVersions": apiVersionsRequest(3),
	}
	for name, req := range requests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("delayed", func(t *testing.T) {
				_, r := begin(t, Fault{Delay: 20 * time.Millisecond})
				begun := time.Now()
				r.send(req, 1)
				require.EqualValues(t, 1, correlation(r.read()))
				require.GreaterOrEqual(t, time.Since(begun), 20*time.Millisecond)
			})
			t.Run("held while ours waits behind it", func(t *testing.T) {
				release := make(chan struct{})
				c, r := begin(t, Fault{Hold: release})
				r.send(req, 1)
				r.send(pushOf(t), 2)
				require.NoError(t, c.Wait(testContext(t), func() bool { return c.Count(0, 902) == 1 }))
				other := dial(t, c, 0)
				other.send(req, 1)
				other.read()
				require.Empty(t, c.Requests(), "ours is not served while an answer before it is held")
				close(release)
				require.EqualValues(t, 1, correlation(r.read()))
				require.EqualValues(t, 2, correlation(r.read()))
			})
			t.Run("dropped", func(t *testing.T) {
				_, r := begin(t, Fault{Drop: true})
				r.send(req, 1)
				r.send(pushOf(t), 2)
				require.EqualValues(t, 2, correlation(r.read()))
			})
			t.Run("damaged", func(t *testing.T) {
				_, r := begin(t, Fault{Garbage: []byte("g"), WrongCorrelation: true})
				r.send(req, 1)
				require.Equal(t, sized([]byte{0, 0, 0, 0, 255, 255, 255, 254, 'g'}), r.read())
				r.send(req, 2)
				require.EqualValues(t, 2, correlation(r.read()))
			})
			t.Run("closed on receipt", func(t *testing.T) {
				_, r := begin(t, Fault{Close: CloseOnReceipt})
				r.send(req, 1)
				r.requireClosed()
			})
			t.Run("closed before the answer", func(t *testing.T) {
				_, r := begin(t, Fault{Close: CloseBeforeAnswer})
				r.send(req, 1)
				r.requireClosed()
			})
			t.Run("closed after the answer", func(t *testing.T) {
				_, r := begin(t, Fault{Close: CloseAfterAnswer})
				r.send(req, 1)
				require.EqualValues(t, 1, correlation(r.read()))
				r.requireClosed()
			})
		})
	}
}

func TestADroppedProduceIsNotWritten(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(1, "t"))
	c.Script(Fault{Keys: []int16{keyProduce}, Drop: true, Count: 2})
	r := dial(t, c, 0)
	r.send(produceOf("t", 0, make([]byte, 100_000)), 1)
	r.send(produceOf("t", 1, make([]byte, 100_000)), 2)
	r.send(produceOf("t", 1, []byte("v")), 3)
	frame := r.read()
	require.EqualValues(t, 3, correlation(frame))
	require.Zero(t, answerOf(t, frame, kmsg.NewPtrProduceResponse(), 11).Topics[0].Partitions[0].BaseOffset)
	require.Equal(t, 3, c.Count(AnyNode, keyProduce), "they came, all the same")
}

// A refused request closes the connection when its turn comes, not before.
func TestCloseOnReceiptLetsEarlierAnswersOut(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	c := start(t)
	c.Script(
		Fault{Keys: []int16{3}, Hold: release},
		Fault{Keys: []int16{18}, Close: CloseOnReceipt},
	)
	r := dial(t, c, 0)
	r.send(metadataOf(), 1)
	r.send(apiVersionsRequest(3), 2)
	require.NoError(t, c.Wait(testContext(t), func() bool { return c.Count(0, 18) == 1 }))
	close(release)
	require.EqualValues(t, 1, correlation(r.read()))
	r.requireClosed()
}

func TestAFaultOfOneNodeLeavesTheOthers(t *testing.T) {
	t.Parallel()
	c := start(t, Brokers(3), Policy(&RecordPolicy{}))
	c.Script(Fault{Nodes: []int32{1}, Code: 7, Count: -1})
	for node, code := range []int16{0, 7, 0} {
		r := dial(t, c, node)
		r.send(pushOf(t), 1)
		require.Equal(t, code, pushed(t, r.read()).ErrorCode)
	}
	require.Equal(t, 1, c.ClearScript())
	r := dial(t, c, 1)
	r.send(pushOf(t), 1)
	require.Zero(t, pushed(t, r.read()).ErrorCode)
}
