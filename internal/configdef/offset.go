package configdef

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// offsetReset reads where a partition without a committed offset is begun. kgo
// splits Kafka's key in two; the other half, what happens when data was lost,
// is by default something that Kafka has no value for. To set either half is a
// change of the key, and ConsumeResetOffset alone sets both.
func offsetReset() reader {
	return reader{
		text: func(v, _ *view) (string, bool) { return offsetText(get[kgo.Offset](v, kgo.ConsumeStartOffset)) },
		same: unchanged[kgo.Offset](kgo.ConsumeStartOffset, kgo.ConsumeResetOffset),
	}
}

// offsetText writes an offset as a value of auto.offset.reset. An exact offset,
// a relative one, and a point in time have none.
func offsetText(o kgo.Offset) (string, bool) {
	at := o.EpochOffset().Offset
	if at == kgo.LookbackOffset(0).EpochOffset().Offset {
		return lookbackText(o)
	}
	// Relative(0) takes away what neither EpochOffset nor String shows: that
	// a number is a timestamp (AfterMilli(-2) is not the start), or that
	// something is to be added to it.
	if o != o.Relative(0) {
		return "", false
	}
	switch at {
	case kgo.NewOffset().AtStart().EpochOffset().Offset:
		return "earliest", true
	case kgo.NewOffset().AtEnd().EpochOffset().Offset:
		return "latest", true
	case kgo.NewOffset().AtCommitted().EpochOffset().Offset:
		return "none", true
	}
	return "", false
}

// lookbackText writes a duration before the newest record, which Kafka has as
// by_duration since 4.0. The duration is only in the offset's JSON.
func lookbackText(o kgo.Offset) (string, bool) {
	b, err := json.Marshal(o)
	if err != nil {
		return "", false
	}
	var shown struct{ Lookback string }
	if err := json.Unmarshal(b, &shown); err != nil {
		return "", false
	}
	d, err := time.ParseDuration(shown.Lookback)
	if err != nil {
		return "", false
	}
	// kgo looks back by whole milliseconds.
	s := strconv.FormatFloat(d.Truncate(time.Millisecond).Seconds(), 'f', -1, 64)
	return "by_duration:PT" + s + "S", true
}
