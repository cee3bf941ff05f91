package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// streamed returns the lanes of a stream, less the records to leave out.
func streamed(total int, without ...int) *lanes {
	l := newLanes()
	for n := range total {
		if len(without) > 0 && n == without[0] {
			continue
		}
		l.add(int32(n%partitions), strconv.Itoa(n))
	}
	return l
}

// undisturbed returns the outcome of a run as it should be.
func undisturbed() outcome {
	return outcome{
		seen: map[string][]string{
			acksKey:    {"all", "1", "all"},
			sessionKey: {"30000", "20000", "30000"},
		},
		members: []member{{"before", "m", 1}, {"under", "m", 2}, {"after", "m", 3}},
		total:   30,
		back:    streamed(30),
	}
}

func TestACheckOfTheOverridesFailsForEachFault(t *testing.T) {
	require.NoError(t, undisturbed().check())
	for name, tt := range map[string]struct {
		spoil func(*outcome)
		want  string
	}{
		"acks not seen":           {func(o *outcome) { o.seen[acksKey] = []string{"all"} }, "the broker did not see acks=1"},
		"session not seen":        {func(o *outcome) { o.seen[sessionKey] = []string{"30000"} }, "the broker did not see session.timeout.ms=20000"},
		"nothing seen":            {func(o *outcome) { o.seen = nil }, "the broker did not see acks=1"},
		"another value before":    {func(o *outcome) { o.seen[acksKey] = []string{"0", "1", "all"} }, "acks was 0 before it was set"},
		"not back at its own":     {func(o *outcome) { o.seen[acksKey] = []string{"all", "1"} }, "acks is 1 after the override was removed"},
		"another member id":       {func(o *outcome) { o.members[1].id = "n" }, "member id is another one under"},
		"another member id after": {func(o *outcome) { o.members[2].id = "n" }, "member id is another one after"},
		"no member id":            {func(o *outcome) { o.members[2].id = "" }, "no member id after"},
		"a partition lost":        {func(o *outcome) { o.lost = 1 }, "lost 1 partitions"},
		"a record lost":           {func(o *outcome) { o.back = streamed(30, 7) }, "record 7 did not come before record 10"},
		"the last record lost":    {func(o *outcome) { o.back = streamed(29) }, "29 records of the stream came back, not 30"},
		"a record twice":          {func(o *outcome) { o.back.add(2, "29") }, "record 29 came twice or too late"},
		"a foreign record":        {func(o *outcome) { o.back.add(2, "x") }, "a record that nobody produced"},
	} {
		t.Run(name, func(t *testing.T) {
			o := undisturbed()
			tt.spoil(&o)
			require.ErrorContains(t, o.check(), tt.want)
		})
	}
}

func TestAStreamIsCompleteAtTheEndOfEveryPartition(t *testing.T) {
	l := streamed(30)
	assert.False(t, l.complete(30), "more may be behind the last records")
	l.atEnd = [partitions]bool{true, true, true}
	assert.True(t, l.complete(30))
	assert.False(t, l.complete(0), "the total is not known")
	assert.False(t, l.complete(33))
}

func TestATimelineHasTheFirstEventOfEachValue(t *testing.T) {
	tl := newTimeline()
	for _, v := range []string{"all", "all", "1", "1", "all"} {
		tl.add(acksKey, seen, v)
	}
	tl.add(acksKey, inForce, "1")
	assert.Equal(t, []string{"all", "1", "all"}, tl.values(acksKey, seen))
	require.NoError(t, tl.wait(t.Context(), acksKey, seen, "all"))

	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("over")
	cancel(over)
	err := tl.wait(ctx, acksKey, inForce, "0")
	require.ErrorIs(t, err, over)
	require.ErrorContains(t, err, `acks=0 was not in force (the last value was "1")`)
}

// liveOn runs the overrides on a broker without SASL.
func liveOn(ctx context.Context, t *testing.T, opts ...fakebroker.Option) error {
	t.Helper()
	broker, err := fakebroker.New(append(opts, fakebroker.Topics(partitions, "live"))...)
	require.NoError(t, err)
	defer broker.Close()
	tl := newTimeline()
	tl.watch(broker)
	var out strings.Builder
	return onLive(ctx, &out, connect.To(broker.Addrs()).As(user), tl, names{topic: "live", group: "live"})
}

func TestARunWithoutDynamicConfigsFails(t *testing.T) {
	err := liveOn(withTimeout(t), t, fakebroker.Policy(&fakebroker.RecordPolicy{}))
	require.ErrorContains(t, err, "change the running clients: alter the client configurations")
}

func TestARunWhoseOverridesAreForSomebodyElseFails(t *testing.T) {
	// Without SASL nobody is alice, so no override is wished for any client.
	ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, errors.New("not done"))
	defer cancel()
	require.ErrorContains(t, liveOn(ctx, t, fakebroker.DynamicConfigs()), "change the running clients: not done")
}
