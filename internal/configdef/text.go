package configdef

import (
	"math"
	"strconv"
	"time"
)

// The largest INT and LONG, which stand for "no limit".
const (
	maxInt  = "2147483647"
	maxLong = "9223372036854775807"
)

func intText(n int64) string {
	return longText(min(max(n, math.MinInt32), math.MaxInt32))
}

func longText(n int64) string { return strconv.FormatInt(n, 10) }

func int32Text(n int32) string { return longText(int64(n)) }

// countText writes a number of retries: kgo takes a negative one as none, and
// has more than an INT holds as its default.
func countText(n int64) string { return intText(max(n, 0)) }

func intMillis(d time.Duration) string { return intText(d.Milliseconds()) }

func longMillis(d time.Duration) string { return longText(d.Milliseconds()) }

// waitMillis writes a wait that is none when it is negative.
func waitMillis(d time.Duration) string { return longMillis(max(d, 0)) }

func boolText(b bool) string { return strconv.FormatBool(b) }

func notText(b bool) string { return boolText(!b) }

func stringText(s string) string { return s }
