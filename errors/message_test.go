package errors

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMessagesAreQuotedAndCut(t *testing.T) {
	long := strings.Repeat("x", maxShown)
	for _, tt := range []struct {
		name, message, want string
	}{
		{"nothing", "", ``},
		{"plain", "no such key", `"no such key"`},
		{"quotes", `key "a" is bad`, `"key \"a\" is bad"`},
		{"a forged log line", "bad\nlevel=info msg=fine\r\t", `"bad\nlevel=info msg=fine\r\t"`},
		{"terminal escapes", "\x1b[2J\x00\x7f", `"\x1b[2J\x00\x7f"`},
		{"right to left override", "abc\u202edef", `"abc\u202edef"`},
		{"not ASCII", "cl\u00e9 \U0001f600", `"cl\u00e9 \U0001f600"`},
		{"not UTF-8", "a\xff\xc3", `"a\xff\xc3"`},
		{"as long as is shown", long, `"` + long + `"`},
		{"one byte longer", long + "y", `"` + long + `" (cut)`},
		{"two bytes at the cut", long[:255] + "\u00e9", `"` + long[:255] + `" (cut)`},
		{"two bytes before the cut", long[:254] + "\u00e9!", `"` + long[:254] + `\u00e9" (cut)`},
		{"four bytes at the cut", long[:253] + "\U0001f600", `"` + long[:253] + `" (cut)`},
		{"continuation bytes only", strings.Repeat("\x80", 300), `"` + strings.Repeat(`\x80`, 256) + `" (cut)`},
		{"32 kB", strings.Repeat("x", 32767), `"` + long + `" (cut)`},
		{"1 MB", strings.Repeat("x", 1<<20), `"` + long + `" (cut)`},
	} {
		assert.Equal(t, tt.want, show(tt.message, nil), tt.name)
		assert.Equal(t, tt.want, show(tt.message, []string{"secret", "7"}), tt.name)
	}
}

func TestTextsAreBounded(t *testing.T) {
	const escaped = len(`\U0001f600`) // the most that four bytes become is less than four \x
	for _, message := range []string{
		strings.Repeat("\x80", 1<<16),
		strings.Repeat("\U0001f600", 1<<14),
		strings.Repeat("\"", 1<<15),
	} {
		text := FromCode(40, message).Error()
		assert.Less(t, len(text), 100+4*maxShown+escaped)
		for i := range len(text) {
			require.True(t, text[i] >= ' ' && text[i] < utf8.RuneSelf-1, "%q", text[i])
		}
	}
}

func TestValuesAreRedactedBeforeTheCut(t *testing.T) {
	const secret = "0123456789abcdef"
	pad := func(n int) string { return strings.Repeat("x", n) }
	for _, tt := range []struct {
		name, message, want string
	}{
		{"across the cut", pad(250) + secret + pad(10), `"` + pad(250) + `[redac" (cut)`},
		{"right behind the cut", pad(256) + secret, `"` + pad(256) + `" (cut)`},
		{"short enough once it is gone", pad(245) + secret, `"` + pad(245) + redacted + `"`},
		{"across the end of what is searched", strings.Repeat(secret, 4096), `"` + redacted + `" (cut)`},
		{"spread over more than is searched", strings.Repeat(secret+",", 4096), `"` + strings.Repeat(redacted+",", 24)[:256] + `" (cut)`},
	} {
		assert.Equal(t, tt.want, show(tt.message, []string{secret}), tt.name)
	}
}

func TestWhatIsBehindTheSearchIsNeverShown(t *testing.T) {
	// The first value takes all that is searched but for six bytes, and they
	// are the beginning of the second one.
	big, small := strings.Repeat("b", maxSearched-6), "second-value"
	assert.Equal(t, `"[redacted]" (cut)`, show(big+small, []string{big, small}))
}

func TestQuotingMakesNoValue(t *testing.T) {
	for _, tt := range []struct {
		name, message, value string
	}{
		{"two newlines", "a\n\nb", `\n\n`},
		{"an accent", "cl\u00e9", `\u00e9`},
		{"text around a marker", "x-topsecret-y", "[redacted]-y"},
		{"the cut", strings.Repeat("x", 300), "(cut)"},
		{"quotes around a marker", "topsecret", `"[redacted]"`},
	} {
		assert.Equal(t, redacted, show(tt.message, []string{"topsecret", tt.value}), tt.name)
	}
	assert.Equal(t, `"it is [redacted]"`, show("it is topsecret", []string{"topsecret", "redacted", "[red"}),
		"the marker itself tells nothing")
}

// hostile returns a message of the longest kind and 100 values of 100 kB each
// that nearly occur in it, everywhere.
func hostile() (message string, values []string) {
	message = strings.Repeat("a", maxSearched-1) + `\`
	for i := range 100 {
		values = append(values, strings.Repeat("a", 10_000+100*i)+"b"+strings.Repeat("c", 90_000))
	}
	return message, values
}

// allocated returns how many bytes f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

func TestLargeValuesTakeNoTimeAndNoMemory(t *testing.T) {
	message, values := hostile()

	// It takes less than 0.1 s; comparing them at each byte takes 100 * 32 kB *
	// 15 kB steps. The limit is for slow machines and the race detector.
	start := time.Now()
	text := show(message, values)
	assert.Less(t, time.Since(start), 30*time.Second)
	assert.Equal(t, `"`+message[:maxShown]+`" (cut)`, text)

	// Per call, not per value: no copy, no escaped form of any of them.
	assert.Less(t, allocated(func() { show(message, values) }), 4<<20)
}

func TestLongMessagesAreNotSearchedToTheirEnd(t *testing.T) {
	message := strings.Repeat("value\\n", 1<<20)
	assert.Less(t, allocated(func() { show(message, []string{"other value", "5"}) }), len(message)/2)
}

func BenchmarkShow(b *testing.B) {
	message, values := hostile()
	b.Run("hostile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			show(message, values)
		}
	})
	b.Run("usual", func(b *testing.B) {
		b.ReportAllocs()
		usual := []string{"orders", "all", "30000", "range,cooperative-sticky", "5", "true", "1048576", "lz4"}
		for b.Loop() {
			show("Invalid value 30000 for configuration session.timeout.ms: too small", usual)
		}
	})
}
