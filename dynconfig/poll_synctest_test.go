package dynconfig

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/transport"
)

func TestFirstPollIsAtOnceNoneBeforeHalfTheIntervalThenOneAnInterval(t *testing.T) {
	w := newWorld()
	start := time.Time{}
	synctest.Test(t, func(t *testing.T) {
		p := w.poller(t)
		synctest.Wait()
		require.Zero(t, w.requests(), "before a connection")
		assert.Equal(t, kcfg.DynamicWaiting, p.Status().State)
		start = time.Now()
		p.Connected(true)
		p.Connected(true)
		synctest.Wait()
		require.Equal(t, 1, w.requests())
		assert.Equal(t, start, w.at[0])
		assert.Equal(t, DefaultKeys(), w.supported[0])
		assert.Equal(t, kcfg.DynamicPolled, p.Status().State)

		w.pause(interval/2 - 1)
		require.Equal(t, 1, w.requests())
		w.pause(interval/2 + 1)
		require.Equal(t, 2, w.requests())
		second := w.at[1]
		w.pause(10 * interval)
		require.Equal(t, 12, w.requests())
		for i, at := range w.at[1:] {
			assert.Equal(t, second.Add(time.Duration(i)*interval), at)
		}
		assert.Equal(t, 1, w.most, "in flight")
		assert.Equal(t, 12, p.Status().Polls)
		assert.Equal(t, DefaultKeys(), w.supported[11], "every time")
	})
}

func TestPollsOfAFleetAreSpread(t *testing.T) {
	second := make(map[time.Duration]bool)
	for range 50 {
		w := newWorld()
		synctest.Test(t, func(t *testing.T) {
			w.connected(t)
			w.pause(interval)
			require.Len(t, w.at, 2)
			second[w.at[1].Sub(w.at[0])] = true
		})
	}
	assert.Greater(t, len(second), 45)
}

func TestAPollIntervalBelowASecondCountsAsOne(t *testing.T) {
	w := newWorld()
	synctest.Test(t, func(t *testing.T) {
		w.connected(t, func(c *Config) { c.PollInterval = time.Millisecond })
		w.pause(time.Second)
		n := w.requests()
		w.pause(10 * time.Second)
		assert.Equal(t, n+10, w.requests())
	})
}

func TestTwoPollsAreNeverInFlight(t *testing.T) {
	w := newWorld()
	w.fail = func(ctx context.Context, _ int) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(50 * time.Second):
			return nil
		}
	}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t, func(c *Config) { c.PollInterval = time.Second })
		for range 10 {
			go func() { _ = p.Refresh(t.Context()) }()
			p.Changed()
			w.pause(3 * time.Second)
		}
		w.pause(3 * interval)
		assert.Equal(t, 1, w.most)
	})
}

func TestAnErrorToTheSecondQuestionKeepsTheOverrideAndTakesTheRest(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1"}
	w.fail = func(_ context.Context, n int) error {
		if n == 3 {
			return io.EOF
		}
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.change(func(w *world) { w.set = m{keySession: "12000"} })
		w.pause(interval / 2)
		for w.requests() < 3 {
			w.pause(100 * time.Millisecond)
		}
		assert.EqualValues(t, 1, *w.given().Acks)
		assert.EqualValues(t, 12000, *w.given().SessionTimeout)
		assert.Equal(t, kcfg.DynamicFailed, p.Status().State)
		w.pause(2 * time.Second) // the backoff
		assert.Nil(t, w.given().Acks)
		assert.EqualValues(t, 12000, *w.given().SessionTimeout)
	})
}

func TestAnErrorAnswerChangesNothing(t *testing.T) {
	for _, cause := range []error{
		io.EOF, &kgo.ErrFirstReadEOF{}, code(kerr.InvalidRequest), code(kerr.UnknownServerError), code(kerr.ClusterAuthorizationFailed),
		code(kerr.UnsupportedVersion), cfgerrors.ErrUnsupported, transport.ErrBadAnswer, transport.ErrNoBroker, code(kerr.RequestTimedOut),
	} {
		w := newWorld()
		w.set = m{"acks": "1", keySession: "12000", keyHeartbeat: "4000"}
		synctest.Test(t, func(t *testing.T) {
			p := w.connected(t)
			w.produce(p)
			w.join(p)
			events, changed := len(w.applied), w.count("config changed")
			w.change(func(w *world) { w.fail = func(context.Context, int) error { return cause } })
			w.pause(3 * interval)
			assert.Len(t, w.patches, 1, "%v", cause)
			assert.Len(t, w.applied, events)
			assert.Equal(t, changed, w.count("config changed"))
			assert.NotEmpty(t, w.failed)
			require.ErrorIs(t, p.Status().Err, cause)
			assert.NotEmpty(t, p.Status().Error)
			assert.Equal(t, kcfg.OverrideApplied, state(t, p, "acks").State)
			assert.Equal(t, 1, w.count("unable to ask"), "%v: one line", cause)
		})
	}
}

func TestGarbageIsAnError(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.change(func(w *world) {
			w.entries = func(int) []kcfg.Described {
				return []kcfg.Described{{Entity: kcfg.User("alice")}, {Entity: kcfg.User("bob")}}
			}
		})
		w.pause(interval)
		assert.EqualValues(t, 1, *w.given().Acks)
		assert.ErrorIs(t, p.Status().Err, transport.ErrBadAnswer)
	})
}

func TestPollsBackOffAfterErrors(t *testing.T) {
	w := newWorld()
	w.fail = func(context.Context, int) error { return io.EOF }
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.pause(time.Minute)
		n := w.requests()
		assert.Greater(t, n, 6)
		assert.Less(t, n, 16, "1, 2, 4, then 8 seconds")
		select {
		case <-p.Ready():
		default:
			t.Error("nobody waits longer for an answer that does not come")
		}
		w.pause(interval)
		assert.Less(t, w.requests(), 2*n+2, "an interval after a minute of it")

		w.change(func(w *world) { w.fail, w.set = nil, m{"acks": "0"} })
		w.pause(interval)
		assert.EqualValues(t, 0, *w.given().Acks)
		assert.NoError(t, p.Status().Err)
	})
}

func TestAFailureThatARepetitionDoesNotCureWaitsAnInterval(t *testing.T) {
	w := newWorld()
	w.fail = func(context.Context, int) error { return code(kerr.InvalidRequest) }
	synctest.Test(t, func(t *testing.T) {
		w.connected(t)
		w.pause(10*interval + time.Second)
		assert.Equal(t, 11, w.requests(), "and is not for life")
	})
}

func TestAPrincipalThatMayNotAskAsksHourlyWithOneLine(t *testing.T) {
	w := newWorld()
	w.fail = func(context.Context, int) error { return code(kerr.ClusterAuthorizationFailed) }
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.pause(5*time.Hour + time.Second)
		assert.Equal(t, 6, w.requests())
		assert.Equal(t, 1, w.count("unable to ask"))
		<-p.Ready()
		_, ok := errors.AsType[*cfgerrors.AuthorizationError](p.Refresh(t.Context()))
		assert.True(t, ok)
	})
}

func TestAdvertisedButUnsupportedIsAtMostARequestAnHour(t *testing.T) {
	w := newWorld()
	w.fail = func(context.Context, int) error { return code(kerr.UnsupportedVersion) }
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.pause(time.Hour - time.Second)
		assert.Equal(t, 1, w.requests())
		assert.ErrorIs(t, p.Refresh(t.Context()), cfgerrors.ErrUnsupported)
		assert.Equal(t, 1, w.requests(), "whoever asks")
		assert.Equal(t, kcfg.DynamicUnsupported, p.Status().State)
		w.pause(24 * time.Hour)
		assert.LessOrEqual(t, w.requests(), 26)
		assert.Greater(t, w.requests(), 10)
	})
}

func TestKeyNotAdvertisedSendsNothingWithOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		p := w.poller(t)
		p.Connected(false)
		p.Connected(false)
		w.pause(10 * interval)
		assert.Zero(t, w.requests())
		assert.Len(t, w.lines, 1)
		assert.Equal(t, kcfg.DynamicUnsupported, p.Status().State)
		<-p.Ready()
		assert.ErrorIs(t, p.Refresh(t.Context()), errors.ErrUnsupported)
		assert.ErrorIs(t, p.WaitApplied(t.Context(), "acks"), errors.ErrUnsupported)

		start := time.Now()
		p.Connected(true) // a rolling upgrade
		w.pause(8 * time.Second)
		require.Equal(t, 1, w.requests())
		assert.Greater(t, w.at[0], start, "jittered")
	})
}

func TestAfterARollingDowngradeNothingChangesAndItIsAskedAgainLater(t *testing.T) {
	w := newWorld()
	w.set = m{"acks": "1"}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		p.Connected(false)
		w.pause(5 * interval)
		assert.Equal(t, 1, w.requests())
		assert.EqualValues(t, 1, *w.given().Acks)
		p.Connected(true)
		w.pause(8 * time.Second)
		assert.Equal(t, 2, w.requests())
	})
}

func TestABurstOfAltersBetweenTwoPollsIsOneChangeTheNewest(t *testing.T) {
	w := newWorld()
	synctest.Test(t, func(t *testing.T) {
		w.connected(t)
		for i := range 50 {
			w.change(func(w *world) { w.set = m{"acks": text(keyAcks, int32(i%2))} })
			w.pause(time.Second)
		}
		w.pause(interval)
		require.Len(t, w.patches, 1)
		assert.EqualValues(t, 1, *w.given().Acks)
		assert.Equal(t, 1, w.count("config changed"))
	})
}

func TestTheFirstAnswerIsInUseBeforeReady(t *testing.T) {
	w := newWorld()
	w.set = m{keySession: "12000"}
	w.fail = func(_ context.Context, n int) error {
		if n == 1 {
			return io.EOF
		}
		time.Sleep(time.Second)
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		p := w.poller(t)
		p.Connected(true)
		w.pause(500 * time.Millisecond)
		select {
		case <-p.Ready():
			t.Error("an error that passes is no answer")
		default:
		}
		<-p.Ready()
		assert.EqualValues(t, 12000, *w.given().SessionTimeout)
	})
}

func TestAClientWithoutDynamicKeysAsksNothing(t *testing.T) {
	w := newWorld()
	w.static = with(func(s *Static) { s.Kinds = kcfg.KindAdmin })
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		w.pause(3 * interval)
		assert.Zero(t, w.requests())
		assert.Equal(t, kcfg.DynamicNothing, p.Status().State)
		assert.NoError(t, p.Refresh(t.Context()))
		<-p.Ready()

		w.change(func(w *world) { w.static.Kinds |= kcfg.KindProducer }) // it produced
		p.Changed()
		synctest.Wait()
		require.Equal(t, 1, w.requests())
		assert.Equal(t, []string{"acks"}, w.supported[0])
	})
}

func TestCloseEndsAPollAndAnswersWhoWaits(t *testing.T) {
	w := newWorld()
	w.fail = func(ctx context.Context, _ int) error {
		<-ctx.Done()
		return ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		p := w.connected(t)
		errs := make(chan error, 2)
		go func() { errs <- p.Refresh(t.Context()) }()
		go func() { errs <- p.WaitApplied(t.Context(), "acks") }()
		synctest.Wait()
		start := time.Now()
		p.Close()
		p.Close()
		assert.Equal(t, start, time.Now())
		assert.ErrorIs(t, <-errs, cfgerrors.ErrClosed)
		assert.ErrorIs(t, <-errs, cfgerrors.ErrClosed)
		<-p.Ready()
		<-p.Done()
		assert.Equal(t, kcfg.DynamicClosed, p.Status().State)
		assert.ErrorIs(t, p.Refresh(t.Context()), cfgerrors.ErrClosed)
		assert.ErrorIs(t, p.WaitApplied(t.Context(), "acks"), cfgerrors.ErrClosed)
		p.Connected(true)
		p.Changed()
		p.Suspend("late")
		assert.Empty(t, w.failed, "it did not fail, it was closed")
	})
}

func TestTheEndOfTheClientEndsAPollerThatHadNothingToDo(t *testing.T) {
	for name, early := range map[string]bool{"before": true, "behind": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				if early {
					cancel()
				}
				p := New(ctx, Config{Limits: func() Limits { return Limits{} }})
				cancel()
				<-p.Ready()
				<-p.Done()
				assert.Equal(t, kcfg.DynamicClosed, p.Status().State)
				assert.ErrorIs(t, p.Refresh(t.Context()), cfgerrors.ErrClosed)
				p.Close()
			})
		})
	}
}

func TestAPollThatIsNeverAnsweredEndsAfterItsTimeout(t *testing.T) {
	w := newWorld()
	w.fail = func(ctx context.Context, _ int) error {
		<-ctx.Done()
		return ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		w.connected(t)
		w.pause(time.Minute)
		require.Len(t, w.failed, 1)
		assert.ErrorContains(t, w.failed[0].Err, "gave up after the timeout")
		assert.ErrorIs(t, w.failed[0].Err, context.DeadlineExceeded)
	})
}
