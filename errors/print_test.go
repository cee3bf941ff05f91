package errors_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// codes has one of every type that FromCode returns.
var codes = []int16{900, 901, 40, 44, 31, 35, 16, 899}

func raw(t require.TestingT, err error) string {
	m, ok := err.(interface{ Message() string })
	require.True(t, ok, "%T", err)
	return m.Message()
}

func TestMessageReturnsTheBrokersWords(t *testing.T) {
	for _, message := range []string{"", "plain", "value hunter2\n\xff", strings.Repeat("\u00e9", 1<<16)} {
		for _, code := range codes {
			assert.Equal(t, message, raw(t, cfgerrors.FromCode(code, message, "hunter2")), "code %d", code)
		}
	}
}

// places are ways to hold an error that a program may print.
func places(err error) map[string]any {
	return map[string]any{
		"the error":       err,
		"what it points":  reflect.ValueOf(err).Elem().Interface(),
		"wrapped":         fmt.Errorf("push: %w", err),
		"in a slice":      []error{err},
		"in a map":        map[string]any{"err": err},
		"in a struct":     struct{ Err error }{err},
		"in a private":    struct{ err error }{err},
		"behind pointers": &struct{ err *error }{&err},
		"its values":      []any{reflect.ValueOf(err).Elem().Interface()},
	}
}

func TestNoVerbPrintsAValue(t *testing.T) {
	const secret = "hunter2"
	leaks := []string{secret, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
		strings.Trim(fmt.Sprintf("% x", secret), "[]"), strings.Trim(fmt.Sprint([]byte(secret)), "[]")}
	for _, code := range codes {
		err := cfgerrors.FromCode(code, "value hunter2 is bad", secret)
		for place, v := range places(err) {
			for verb := 'A'; verb <= 'z'; verb++ {
				for _, flags := range []string{"%", "%+", "%#", "% ", "%+#", "%#0100.100"} {
					out := fmt.Sprintf(flags+string(verb), v)
					for _, leak := range leaks {
						if strings.Contains(out, leak) {
							t.Fatalf("code %d, %s, %s%c: %s", code, place, flags, verb, out)
						}
					}
				}
			}
		}
	}
}

func TestVerbsPrintTheText(t *testing.T) {
	for _, code := range codes {
		err := cfgerrors.FromCode(code, "value hunter2 is bad", "hunter2")
		text := err.Error()
		require.Contains(t, text, "[redacted]")
		for format, want := range map[string]string{
			"%v": text, "%+v": text, "%s": text, "%q": strconv.Quote(text), "%x": hex.EncodeToString([]byte(text)),
		} {
			assert.Equal(t, want, fmt.Sprintf(format, err), "code %d, %s", code, format)
		}
	}
}

func TestLoggersPrintTheTextAndNoValue(t *testing.T) {
	for _, code := range codes {
		err := cfgerrors.FromCode(code, "value hunter2 is bad", "hunter2")
		for place, v := range places(err) {
			var buf bytes.Buffer
			for _, h := range []slog.Handler{slog.NewTextHandler(&buf, nil), slog.NewJSONHandler(&buf, nil)} {
				slog.New(h).With("a", v).WithGroup("g").Error("push failed", "b", v, slog.Group("c", "d", v))
			}
			require.NotContains(t, buf.String(), "hunter2", "code %d, %s", code, place)
			if place == "the error" {
				require.Equal(t, 6, strings.Count(buf.String(), "the broker says"), "%s", buf.String())
			}
		}
		out, jerr := json.Marshal(err)
		require.NoError(t, jerr)
		require.NotContains(t, string(out), "hunter2")
	}
}

var address = regexp.MustCompile(`0x[0-9a-f]+`)

// frame is how %#v prints err, without the addresses and without the shown
// message, which is quoted once more there.
func frame(err error, shown string) string {
	return strings.Replace(address.ReplaceAllString(fmt.Sprintf("%#v", err), "0x"), strconv.Quote(shown), "<shown>", 1)
}

func TestNoValueIsInAnyText(t *testing.T) {
	// Letters of which the text is made that is around the message, of escapes,
	// and of the marker, so that all of them get in each other's way.
	near := rapid.StringOfN(rapid.SampledFrom([]rune("redact[]\\n\nu00e9\"\u00e9 1")), 0, 8, -1)
	text := rapid.OneOf(rapid.String(), near, rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		var (
			code    = rapid.SampledFrom(codes).Draw(t, "code")
			values  = rapid.SliceOfN(text, 1, 5).Draw(t, "values")
			parts   = rapid.SliceOfN(rapid.OneOf(text, rapid.SampledFrom(values), rapid.Map(rapid.SampledFrom(values), strconv.Quote)), 1, 8).Draw(t, "parts")
			message = strings.Join(parts, rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
			err     = cfgerrors.FromCode(code, message, values...)
			fixed   = cfgerrors.FromCode(code, "").Error()
		)
		require.Equal(t, message, raw(t, err))
		for format, want := range map[string]string{"%v": err.Error(), "%+v": err.Error(), "%s": err.Error(), "%q": strconv.Quote(err.Error())} {
			require.Equal(t, want, fmt.Sprintf(format, err))
		}
		if message == "" {
			require.Equal(t, fixed, err.Error())
			return
		}
		shown, ok := strings.CutPrefix(err.Error(), fixed+": the broker says ")
		require.True(t, ok)
		for _, v := range values {
			if len(v) >= 4 && !strings.Contains("[redacted]", v) { //nolint:gocritic // a part of the marker tells nothing
				require.NotContains(t, shown, v)
			}
		}
		require.Equal(t, frame(cfgerrors.FromCode(code, "m"), `"m"`), frame(err, shown), "of %#v", err)
	})
}
