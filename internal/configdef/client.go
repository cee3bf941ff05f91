package configdef

import (
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// These are the keys that a client has whatever it is used as.

// seedsOf returns the seeds as they were given. kgo itself does not tell those that
// UpdateSeedBrokers put in their place.
func seedsOf(v *view) []string {
	if v.seeds != nil {
		return v.seeds
	}
	return get[[]string](v, kgo.SeedBrokers)
}

func bootstrapServers() reader {
	return reader{text: func(v, _ *view) (string, bool) {
		seeds := seedsOf(v)
		out := make([]string, len(seeds))
		for i, s := range seeds {
			out[i] = withPort(s)
		}
		return strings.Join(out, ","), len(out) > 0
	}}
}

// withPort appends Kafka's port to an address that has none, which is what kgo
// dials: a host, or an IPv6 address in brackets or without them.
func withPort(addr string) string {
	const port = "9092"
	if strings.HasPrefix(addr, "[") && strings.HasSuffix(addr, "]") {
		return addr + ":" + port
	}
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return net.JoinHostPort(addr, port)
	}
	return addr
}

// clientID is always set: kgo's default is "kgo", and an empty one is a value.
func clientID() reader { return reads(kgo.ClientID, stringText) }

// requestTimeout has two meanings. kgo gives up on a request after its overhead
// plus the time that the request itself grants the broker; for a produce
// request, whose grant is an option of its own, the sum is what a producer
// waits. Every other kind, and so a client that does not produce, has the
// overhead alone.
func requestTimeout() reader {
	overhead := reads(kgo.RequestTimeoutOverhead, intMillis)
	produce := reader{
		text: func(v, _ *view) (string, bool) {
			sum := get[time.Duration](v, kgo.ProduceRequestTimeout) + get[time.Duration](v, kgo.RequestTimeoutOverhead)
			return intMillis(sum), true
		},
		// 5s and 15s make the default sum of 10s and 10s, yet both were set.
		same: unchanged[time.Duration](kgo.ProduceRequestTimeout, kgo.RequestTimeoutOverhead),
	}
	return producersFirst(produce, overhead)
}

// retries is about records for a producer and about requests for an admin.
func retries() reader {
	return producersFirst(
		reads(kgo.RecordRetries, countText),
		reads(kgo.RequestRetries, countText),
	)
}

// producersFirst picks a meaning for a key that has two: a producer's, if the
// client is one among other things, since a key is sent once.
func producersFirst(produce, other reader) reader {
	pick := func(v *view) reader {
		if v.kind.Has(producer) {
			return produce
		}
		return other
	}
	return reader{
		text: func(v, ref *view) (string, bool) { return pick(v).text(v, ref) },
		same: func(v, ref *view) bool { return pick(v).same(v, ref) },
	}
}

// apiTimeout is the time for all tries of one request. kgo has it as a function
// of the request and samples that with key 0; a function of the application
// counts as a change whatever it answers there, since it decides about the
// other requests too.
func apiTimeout() reader {
	text := unlimitedAtZero(maxInt, func(d time.Duration) string { return intMillis(max(d, 0)) })
	return reader{
		text: func(v, _ *view) (string, bool) { return text(get[time.Duration](v, kgo.RetryTimeout)), true },
		same: sameCode(kgo.RetryTimeoutFn),
	}
}

// retryBackoff reads one of the two ends of kgo's own backoff, which has no
// jitter there: after no failure, and after more than ten. A function of the
// application is never called, since it may keep state: the key is left out.
func retryBackoff(fails int) reader {
	return reader{
		text: func(v, ref *view) (string, bool) {
			if !sameCode(kgo.RetryBackoffFn)(v, ref) {
				return "", false
			}
			backoff := get[func(int) time.Duration](ref, kgo.RetryBackoffFn)
			if backoff == nil {
				return "", false
			}
			return longMillis(backoff(fails)), true
		},
		same: always,
	}
}

// sameCode reports whether a function option holds kgo's own function.
func sameCode(opt any) func(v, ref *view) bool {
	return func(v, ref *view) bool { return code(v, opt) == code(ref, opt) }
}

// setupTimeout reads DialTimeout, which kgo does not look at if it was given a
// Dialer. That cannot be told apart: kgo always has a dialer to show, and ours
// is one too. Zero is no timeout of its own, and a negative one has always
// passed.
func setupTimeout() reader {
	return reads(kgo.DialTimeout, unlimitedAtZero(maxLong, waitMillis))
}
