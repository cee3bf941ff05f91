package pushconfig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
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
	"github.com/kcfg-go/kcfg/sensitive"
)

// fakeCluster answers pushes by a function of their number, from 1.
type fakeCluster struct {
	answer func(ctx context.Context, n int) error

	afterRead func() // may be nil

	mu      sync.Mutex
	at      []time.Time
	sets    [][]sensitive.Clean
	avoided [][]int32
	entries []sensitive.Entry
	pushed  []kcfg.Pushed
	failed  []kcfg.PushFailure
	lines   []string
}

func (f *fakeCluster) push(ctx context.Context, configs []sensitive.Clean, avoid ...int32) (int32, error) {
	f.mu.Lock()
	f.at = append(f.at, time.Now())
	f.sets = append(f.sets, configs)
	f.avoided = append(f.avoided, avoid)
	n := len(f.at)
	f.mu.Unlock()
	err := f.answer(ctx, n)
	if errors.Is(err, transport.ErrNoBroker) {
		return NoNode, err
	}
	return int32(n), err
}

func (f *fakeCluster) set(value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.entries = []sensitive.Entry{{Key: "acks", Value: value, Type: sensitive.String}}
}

func (f *fakeCluster) requests() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.at)
}

// pusher returns a Pusher on the cluster, with backoffs of 1s to 8s and a minute
// for a push.
func (f *fakeCluster) pusher(t *testing.T) *Pusher {
	t.Helper()
	if f.entries == nil {
		f.set("all")
	}
	p := New(t.Context(), Config{
		Entries: func() []sensitive.Entry {
			f.mu.Lock()
			entries := f.entries
			f.mu.Unlock()
			if f.afterRead != nil {
				f.afterRead()
			}
			return entries
		},
		Push: f.push,
		Limits: func() Limits {
			return Limits{MinBackoff: time.Second, MaxBackoff: 8 * time.Second, Timeout: time.Minute}
		},
		OnPushed: func(_ context.Context, ev kcfg.Pushed) { f.pushed = append(f.pushed, ev) },
		OnFailed: func(_ context.Context, ev kcfg.PushFailure) { f.failed = append(f.failed, ev) },
		Log: func(level kgo.LogLevel, msg string, kv ...any) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.lines = append(f.lines, fmt.Sprint(level, " ", msg, " ", kv))
		},
	})
	t.Cleanup(p.Close)
	return p
}

func always(err error) func(context.Context, int) error {
	return func(context.Context, int) error { return err }
}

func code(e *kerr.Error) error { return cfgerrors.FromCode(e.Code, "because") }

func TestPushStartsAtTheFirstConnectionToASupportingCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(nil)}
		p := f.pusher(t)
		synctest.Wait()
		require.Zero(t, f.requests())
		assert.Equal(t, kcfg.PushWaiting, p.Status().State)

		start := time.Now()
		p.Connected(true)
		time.Sleep(time.Minute)
		require.Equal(t, 1, f.requests())
		assert.Equal(t, startDelay, f.at[0].Sub(start))
		s := p.Status()
		assert.Equal(t, kcfg.PushPushed, s.State)
		assert.Equal(t, []string{"acks"}, s.Keys)
		assert.Equal(t, 1, s.Pushes)
		require.Len(t, f.pushed, 1)
		assert.Equal(t, "all", f.pushed[0].Configs[0].Value)
	})
}

func TestPushIsRetriedOnRetriableErrorsOnAnotherBroker(t *testing.T) {
	for _, cause := range []error{io.EOF, &kgo.ErrFirstReadEOF{}, code(kerr.RequestTimedOut), code(kerr.NotController)} {
		t.Run(cause.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeCluster{answer: func(_ context.Context, n int) error {
					if n < 4 {
						return cause
					}
					return nil
				}}
				p := f.pusher(t)
				p.Connected(true)
				require.NoError(t, p.Push(t.Context()))
				assert.Equal(t, 4, f.requests())
				assert.Equal(t, [][]int32{nil, {1}, {2}, {3}}, f.avoided)
				assert.Equal(t, 4, p.Status().Requests)
				synctest.Wait() // for the hook
				require.Len(t, f.pushed, 1)
				assert.Equal(t, 4, f.pushed[0].Requests)
			})
		})
	}
}

func TestPushIsNotRetriedOnFinalErrors(t *testing.T) {
	final := []error{
		cfgerrors.FromCode(cfgerrors.CodeConfigTooLarge, ""),
		code(kerr.InvalidConfig),
		code(kerr.PolicyViolation),
		code(kerr.ClusterAuthorizationFailed),
		code(kerr.UnknownServerError),
		errors.New("garbage"),
	}
	for _, cause := range final {
		t.Run(cause.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeCluster{answer: always(cause)}
				p := f.pusher(t)
				p.Connected(true)
				time.Sleep(59 * time.Minute)
				require.Equal(t, 1, f.requests(), "within the hour")
				assert.Equal(t, kcfg.PushFailed, p.Status().State)
				require.ErrorIs(t, p.Status().Err, cause)
				require.Len(t, f.failed, 1)
				require.ErrorIs(t, f.failed[0].Err, cause)
			})
		})
	}
}

func TestPushIsTriedAgainAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: func(_ context.Context, n int) error {
			if n == 1 {
				return code(kerr.InvalidConfig)
			}
			return nil
		}}
		p := f.pusher(t)
		p.Connected(true)
		time.Sleep(91 * time.Minute)
		require.Equal(t, 2, f.requests())
		assert.Equal(t, kcfg.PushPushed, p.Status().State)
		assert.NoError(t, p.Status().Err)
	})
}

func TestAuthorizationFailureEndsPushing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(code(kerr.ClusterAuthorizationFailed))}
		p := f.pusher(t)
		p.Connected(true)
		time.Sleep(24 * time.Hour)
		f.set("1")
		p.Changed()
		p.Connected(true)
		time.Sleep(24 * time.Hour)
		require.Equal(t, 1, f.requests(), "neither time nor a change starts another")

		err := p.Push(t.Context())
		require.Equal(t, 2, f.requests(), "the application does")
		_, ok := errors.AsType[*cfgerrors.AuthorizationError](err)
		require.True(t, ok, "%v", err)
	})
}

func TestBackoffGrowsIsCappedAndStopsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(io.EOF)}
		p := f.pusher(t)
		start := time.Now()
		p.Connected(true)
		err := p.Push(t.Context())
		took := time.Since(start)
		require.ErrorIs(t, err, io.EOF)
		require.ErrorIs(t, err, errTimeout)
		assert.Equal(t, time.Minute, took, "the push timeout, to the point")

		var pauses []time.Duration
		for i := 1; i < len(f.at); i++ {
			pauses = append(pauses, f.at[i].Sub(f.at[i-1]))
		}
		require.Greater(t, len(pauses), 6)
		for i, want := range []time.Duration{1, 2, 4, 8} {
			want *= time.Second
			assert.InDelta(t, want, pauses[i], float64(want)/5, "pause %d", i)
		}
		for _, d := range pauses[4:] {
			assert.LessOrEqual(t, d, 8*time.Second)
			assert.GreaterOrEqual(t, d, 6*time.Second)
		}
		n := f.requests()
		time.Sleep(59 * time.Minute)
		assert.Equal(t, n, f.requests(), "and nothing after it for an hour")
	})
}

func TestUnsupportedVersionAlthoughAdvertisedIsSilentForAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(code(kerr.UnsupportedVersion))}
		p := f.pusher(t)
		p.Connected(true)
		for i := range 59 {
			time.Sleep(time.Minute)
			f.set(fmt.Sprint(i))
			p.Changed()
			p.Connected(i%2 == 0)
			require.ErrorIs(t, p.Push(t.Context()), errors.ErrUnsupported, "asked in the silence")
		}
		require.Equal(t, 1, f.requests())
		assert.Equal(t, kcfg.PushUnsupported, p.Status().State)
		p.Connected(true)
		time.Sleep(5 * time.Hour)
		assert.LessOrEqual(t, f.requests(), 6, "at most one an hour from then on")
		assert.GreaterOrEqual(t, f.requests(), 3, "and it does ask again")
	})
}

func TestPushedAgainAfterAChangeAndOnlyThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(nil)}
		p := f.pusher(t)
		p.Connected(true)
		for range 10 {
			time.Sleep(time.Hour)
			p.Changed()
			p.Connected(true)
			require.NoError(t, p.Push(t.Context()))
		}
		require.Equal(t, 1, f.requests())

		f.set("1")
		p.Changed()
		synctest.Wait()
		require.Equal(t, 2, f.requests())
		assert.Equal(t, "1", f.sets[1][0].Entry().Value)
		f.set("all")
		require.NoError(t, p.Push(t.Context()), "a change that nobody told of is found when asked")
		require.Equal(t, 3, f.requests())
	})
}

func TestAChangeDuringAPushIsPushedAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{}
		var p *Pusher
		f.answer = func(_ context.Context, n int) error {
			if n == 1 {
				f.set("1")
				p.Changed()
			}
			return nil
		}
		p = f.pusher(t)
		p.Connected(true)
		time.Sleep(time.Minute)
		require.Equal(t, 2, f.requests())
		assert.Equal(t, "all", f.sets[0][0].Entry().Value)
		assert.Equal(t, "1", f.sets[1][0].Entry().Value)
	})
}

func TestNothingIsSentIfEveryKeyIsSensitive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(nil)}
		p := f.pusher(t)
		f.entries = []sensitive.Entry{
			{Key: "sasl.jaas.config", Value: "hush", Type: sensitive.Password},
			{Key: "db.password", Value: "hush", Type: sensitive.String},
		}
		p.Connected(true)
		require.NoError(t, p.Push(t.Context()))
		time.Sleep(3 * time.Hour)
		p.Changed()
		require.NoError(t, p.Push(t.Context()))
		assert.Zero(t, f.requests())
		assert.Equal(t, kcfg.PushNothing, p.Status().State)

		// The path ran: with one key that may go, it goes.
		f.set("all")
		require.NoError(t, p.Push(t.Context()))
		assert.Equal(t, 1, f.requests())
	})
}

func TestAHeldKeyIsWarnedOfOnceAndWithoutItsValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(nil)}
		p := f.pusher(t)
		f.entries = append(f.entries, sensitive.Entry{Key: "db.password", Value: "hush", Type: sensitive.String})
		p.Connected(true)
		for range 5 {
			p.Changed()
			time.Sleep(time.Minute)
		}
		var about []string
		for _, l := range f.lines {
			assert.NotContains(t, l, "hush")
			if strings.Contains(l, "db.password") {
				about = append(about, l)
			}
		}
		require.Len(t, about, 1, "%q", f.lines)
		held := p.Held()
		require.Len(t, held, 1)
		assert.Equal(t, "db.password", held[0].Key)
	})
}

func TestAnUnsupportingClusterGetsNothingAndOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(nil)}
		p := f.pusher(t)
		for range 20 {
			p.Connected(false)
			p.Changed()
			time.Sleep(time.Hour)
		}
		require.Zero(t, f.requests())
		require.Len(t, f.lines, 1)
		assert.Equal(t, kcfg.PushUnsupported, p.Status().State)
		require.ErrorIs(t, p.Push(t.Context()), cfgerrors.ErrUnsupported)

		// The path ran: the same Pusher pushes when a broker shows support.
		shown := time.Now()
		p.Connected(true)
		time.Sleep(8 * time.Second)
		require.Equal(t, 1, f.requests())
		assert.NotEqual(t, shown, f.at[0], "jittered")
	})
}

func TestALateSupportStartsAFleetSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const fleet = 50
		at := make(map[time.Time]int)
		for range fleet {
			f := &fakeCluster{answer: always(nil)}
			p := f.pusher(t)
			p.Connected(false)
			shown := time.Now()
			p.Connected(true)
			time.Sleep(8 * time.Second)
			require.Equal(t, 1, f.requests())
			at[time.Unix(0, int64(f.at[0].Sub(shown)))]++
		}
		assert.Greater(t, len(at), fleet/2)
	})
}

func TestLostSupportIsNoLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(cfgerrors.ErrUnsupported)}
		p := f.pusher(t)
		p.Connected(true)
		time.Sleep(3 * time.Hour)
		assert.Equal(t, 1, f.requests())
		assert.Equal(t, kcfg.PushUnsupported, p.Status().State)
	})
}

func TestNoFreeBrokerIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: func(_ context.Context, n int) error {
			if n < 3 {
				return transport.ErrNoBroker
			}
			return nil
		}}
		p := f.pusher(t)
		p.Connected(true)
		require.NoError(t, p.Push(t.Context()))
		assert.Equal(t, 1, p.Status().Requests, "only what was sent counts")
	})
}

func TestPushOfACallerWhoseContextEndsGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: func(_ context.Context, n int) error {
			if n == 1 {
				return io.EOF
			}
			return nil
		}}
		p := f.pusher(t)
		p.Connected(true)
		cause := errors.New("the caller left")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, cause)
		defer cancel()
		require.ErrorIs(t, p.Push(ctx), cause)
		time.Sleep(10 * time.Second)
		assert.Equal(t, kcfg.PushPushed, p.Status().State)
	})
}

func TestManyCallersShareOnePush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: func(context.Context, int) error {
			time.Sleep(time.Second)
			return nil
		}}
		p := f.pusher(t)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() { assert.NoError(t, p.Push(t.Context())) })
		}
		synctest.Wait()
		p.Connected(true)
		wg.Wait()
		assert.Equal(t, 1, f.requests())
	})
}

func TestCloseBeforeTheFirstConnectionAndTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(nil)}
		p := f.pusher(t)
		p.Close()
		p.Close()
		p.Connected(true)
		p.Changed()
		require.ErrorIs(t, p.Push(t.Context()), cfgerrors.ErrClosed)
		synctest.Wait()
		assert.Zero(t, f.requests())
		assert.Equal(t, kcfg.PushClosed, p.Status().State)
	})
}

func TestCloseEndsAPushInEachOfItsStages(t *testing.T) {
	stages := map[string]func(context.Context, int) error{
		"the request": func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() },
		"the pause":   always(io.EOF),
	}
	for name, answer := range stages {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeCluster{answer: answer}
				p := f.pusher(t)
				p.Connected(true)
				result := make(chan error, 1)
				go func() { result <- p.Push(t.Context()) }()
				synctest.Wait()
				require.Equal(t, 1, f.requests(), "the path ran")
				start := time.Now()
				p.Close()
				assert.Equal(t, start, time.Now(), "at once")
				require.ErrorIs(t, <-result, cfgerrors.ErrClosed)
				assert.Empty(t, f.failed, "no failure that the application did not cause")
			})
		})
	}
}

func TestTheEndOfTheClientEndsThePusher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := New(ctx, Config{
			Entries: func() []sensitive.Entry { return []sensitive.Entry{{Key: "acks", Value: "1", Type: sensitive.String}} },
			Push:    func(context.Context, []sensitive.Clean, ...int32) (int32, error) { return 1, nil },
			Limits:  func() Limits { return Limits{MinBackoff: time.Second, MaxBackoff: time.Second, Timeout: time.Second} },
		})
		p.Connected(true)
		synctest.Wait()
		cancel()
		<-p.Done()
		assert.Equal(t, kcfg.PushClosed, p.Status().State)
		require.ErrorIs(t, p.Push(t.Context()), cfgerrors.ErrClosed)
	})
}

func TestTheEndOfTheClientEndsAPusherThatHadNothingToDo(t *testing.T) {
	for name, early := range map[string]bool{"before": true, "behind": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				if early {
					cancel()
				}
				p := New(ctx, Config{Limits: func() Limits { return Limits{} }})
				cancel()
				<-p.Done()
				assert.Equal(t, kcfg.PushClosed, p.Status().State)
				require.ErrorIs(t, p.Push(t.Context()), cfgerrors.ErrClosed)
				p.Close()
			})
		})
	}
}

// The loop reads the configurations, the application changes one and asks, and
// the loop decides: by what it read, the cluster has them all.
func TestACallerIsNotAnsweredByASetReadBeforeItCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCluster{answer: always(nil)}
		inRead, goOn := make(chan struct{}), make(chan struct{})
		var block atomic.Bool
		f.afterRead = func() {
			if block.CompareAndSwap(true, false) {
				close(inRead)
				<-goOn
			}
		}
		p := f.pusher(t)
		p.Connected(true)
		require.NoError(t, p.Push(t.Context()))

		block.Store(true)
		p.Changed()
		<-inRead
		f.set("1")
		result := make(chan error, 1)
		go func() { result <- p.Push(t.Context()) }()
		synctest.Wait()
		close(goOn)
		require.NoError(t, <-result)
		require.Equal(t, 2, f.requests())
		assert.Equal(t, "1", f.sets[1][0].Entry().Value)
	})
}

// Reading them takes a core that the client's first record may be waiting for.
func TestNothingIsReadBeforeTheFirstRequestsOfANewClientWentAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int32
		f := &fakeCluster{answer: always(nil), afterRead: func() { reads.Add(1) }}
		p := f.pusher(t)
		p.Connected(true)
		p.Changed()
		time.Sleep(startDelay - time.Nanosecond)
		synctest.Wait()
		require.Zero(t, reads.Load())
		require.NoError(t, p.Push(t.Context()), "but for who asks")
		assert.Positive(t, reads.Load())
	})
}

// Two asked; one of them gave up while the request was under way, and a third came
// after a change. The answer is for the second alone.
func TestACallerThatGaveUpHandsItsPlaceToNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := &fakeCluster{answer: func(_ context.Context, n int) error {
			switch n {
			case 2:
				return io.EOF // by the next try, both have asked
			case 3, 4:
				<-release
			}
			return nil
		}}
		p := f.pusher(t)
		p.Connected(true)
		time.Sleep(time.Minute)
		require.Equal(t, 1, f.requests())

		f.set("1")
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp, second, third := make(chan error, 1), make(chan error, 1), make(chan error, 1)
		go func() { gaveUp <- p.Push(ctx) }()
		go func() { second <- p.Push(t.Context()) }()
		time.Sleep(time.Minute / 2)
		require.Equal(t, 3, f.requests())

		cancel()
		require.ErrorIs(t, <-gaveUp, context.Canceled)
		f.set("0")
		go func() { third <- p.Push(t.Context()) }()
		synctest.Wait()
		release <- struct{}{}
		synctest.Wait()
		require.NoError(t, <-second)
		require.Equal(t, 4, f.requests(), "the change is under way")
		require.Empty(t, third, "and nobody knows yet what becomes of it")
		close(release)
		require.NoError(t, <-third)
	})
}
