package configdef

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"
)

func offsetCases() []readCase {
	const key = "auto.offset.reset"
	start := func(o kgo.Offset) []kgo.Opt { return []kgo.Opt{kgo.ConsumeStartOffset(o)} }
	reset := func(o kgo.Offset) []kgo.Opt { return []kgo.Opt{kgo.ConsumeResetOffset(o)} }
	cases := []readCase{
		{name: "no offset", want: map[string]string{key: "earliest" + isDefault}},
		{name: "start at the start", opts: start(kgo.NewOffset().AtStart()), want: map[string]string{key: "earliest" + isDefault}},
		{name: "start at the end", opts: start(kgo.NewOffset()), want: map[string]string{key: "latest"}},
		{name: "start at the committed offset", opts: start(kgo.NewOffset().AtCommitted()), want: map[string]string{key: "none"}},
		{name: "start a while ago", opts: start(kgo.LookbackOffset(90 * time.Minute)), want: map[string]string{key: "by_duration:PT5400S"}},
		{name: "start at an offset", opts: start(kgo.NewOffset().At(5)), want: map[string]string{key: absent}},
		{name: "start near the end", opts: start(kgo.NewOffset().AtEnd().Relative(-5)), want: map[string]string{key: absent}},
		{name: "start after a time", opts: start(kgo.NewOffset().AfterMilli(1700000000000)), want: map[string]string{key: absent}},
		{name: "start without a reset", opts: start(kgo.NoResetOffset().AtStart()), want: map[string]string{key: "earliest"}},
		{name: "reset to the end sets the start too", opts: reset(kgo.NewOffset()), want: map[string]string{key: "latest"}},
		{name: "another rewind changes the half that Kafka lacks", opts: reset(kgo.RewindOffset(time.Hour)), want: map[string]string{key: "earliest"}},
		{name: "the default rewind", opts: reset(kgo.RewindOffset(time.Minute)), want: map[string]string{key: "earliest" + isDefault}},
		{name: "no reset", opts: reset(kgo.NoResetOffset()), want: map[string]string{key: "latest"}},
		{
			name: "start and reset",
			opts: []kgo.Opt{kgo.ConsumeStartOffset(kgo.NewOffset()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart())},
			want: map[string]string{key: "latest"},
		},
	}
	for i := range cases {
		cases[i].kind = consumer
	}
	return cases
}

func TestOffsetsAreWrittenForAutoOffsetReset(t *testing.T) {
	o := kgo.NewOffset()
	for _, c := range []struct {
		name string
		o    kgo.Offset
		want string
	}{
		{"start", o.AtStart(), "earliest"},
		{"start by number", o.At(-2), "earliest"},
		{"below the start", o.At(-999), "earliest"},
		{"start with an epoch", o.AtStart().WithEpoch(3), "earliest"},
		{"start after all", o.At(5).AtStart(), "earliest"},
		{"start, no longer a time", o.AfterMilli(5).AtStart(), "earliest"},
		{"end", o.AtEnd(), "latest"},
		{"end by number", o.At(-1), "latest"},
		{"end without reset", kgo.NoResetOffset(), "latest"},
		{"committed", o.AtCommitted(), "none"},
		{"committed with an epoch", o.WithEpoch(1).AtCommitted(), "none"},
		{"lookback", kgo.LookbackOffset(time.Hour), "by_duration:PT3600S"},
		{"lookback of nothing", kgo.LookbackOffset(-time.Hour), "by_duration:PT0S"},
		{"lookback by milliseconds", kgo.LookbackOffset(1500*time.Millisecond + 999*time.Microsecond), "by_duration:PT1.5S"},
		{"a long lookback", kgo.LookbackOffset(10000 * time.Hour), "by_duration:PT36000000S"},
		{"lookback, to which Relative does nothing", kgo.LookbackOffset(time.Second).Relative(3), "by_duration:PT1S"},
		{"lookback, to which WithEpoch does nothing", kgo.LookbackOffset(time.Second).WithEpoch(3), "by_duration:PT1S"},
		{"start, once a lookback", kgo.LookbackOffset(time.Second).AtStart(), "earliest"},

		{"exact", o.At(0), ""},
		{"exact with an epoch", o.At(7).WithEpoch(1), ""},
		{"relative to the start", o.AtStart().Relative(1), ""},
		{"relative to the end", o.AtEnd().Relative(-1), ""},
		{"relative to the committed one", o.AtCommitted().Relative(1), ""},
		{"a time", o.AfterMilli(1700000000000), ""},
		{"a time that reads like the start", o.AfterMilli(-2), ""},
		{"a time that reads like the end", kgo.NoResetOffset().AfterMilli(-1), ""},
		{"a time that reads like the committed one", o.AfterMilli(-999), ""},
		{"a time, once a lookback", kgo.LookbackOffset(time.Second).AfterMilli(-2), ""},
		{"rewind", kgo.RewindOffset(time.Minute), ""},
	} {
		got, ok := offsetText(c.o)
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, c.want != "", ok, c.name)
	}
}
