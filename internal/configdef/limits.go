package configdef

import "github.com/twmb/franz-go/pkg/kgo"

// fetchLimits are the two options that Client.UpdateFetchMaxBytes changes. kgo
// stores them atomically there and reads them plainly in OptValue, so whoever
// asks for them while another goroutine updates has a data race. Hence they are
// read once, and kept.
type fetchLimits struct {
	max       int32
	partition int32
	updated   bool // by SetFetchLimits, so kgo's validation had no hand in it
	fault     string
}

func readLimits(opts func(any) []any) fetchLimits {
	v := view{opts: opts}
	return fetchLimits{
		max:       get[int32](&v, kgo.FetchMaxBytes),
		partition: get[int32](&v, kgo.FetchMaxPartitionBytes),
		fault:     v.fault,
	}
}

// text writes one of the two, and fails the view if they could not be read.
func (l fetchLimits) text(v *view, n int32) string {
	if l.fault != "" {
		v.fail(l.fault)
	}
	return int32Text(n)
}
