package sensitive_test

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

const hidden = "hunter2-correct-horse"

// requireHidden fails if the text shows the hidden string, plain, in hex or as
// a list of bytes.
func requireHidden(t *testing.T, text, what string) {
	t.Helper()
	low := strings.ToLower(text)
	for _, shown := range []string{
		hidden, "horse", "hunter2", hex.EncodeToString([]byte(hidden)), fmt.Sprintf("% x", hidden),
		strings.Trim(fmt.Sprintf("%d", []byte(hidden)), "[]"), strings.Trim(fmt.Sprintf("%o", []byte(hidden)), "[]"), strings.Trim(fmt.Sprintf("%b", []byte(hidden)), "[]"),
	} {
		require.NotContains(t, low, shown, what)
	}
}

// eachFormat calls f with every verb, flag and width that fmt may be given.
func eachFormat(f func(format string)) {
	for verb := 'A'; verb <= 'z'; verb++ {
		for _, flags := range []string{"", "*", "[5]", "+", "#", "-", " ", "0", "+#", "# ", "30", "1", ".3", "-30.3", "[1]"} {
			f("%" + flags + string(verb))
		}
	}
	f("%!")
	f("none")
	f("%\u00e9")
}

type open struct {
	S any
	P *sensitive.Secret
}

// Unexported fields: here fmt cannot call any method.
type closed struct {
	s sensitive.Secret
	p *sensitive.Secret
	l []sensitive.Secret
	m map[string]sensitive.Secret
	a any
}

func containers(s sensitive.Secret) map[string]any {
	in := closed{s: s, p: &s, l: []sensitive.Secret{s}, m: map[string]sensitive.Secret{"k": s}, a: s}
	pp := &in.p
	return map[string]any{
		"itself": s, "pointer": &s, "pointer to pointer": pp, "slice": []sensitive.Secret{s}, "array": [1]sensitive.Secret{s}, "map": map[string]sensitive.Secret{"k": s},
		"struct": open{S: s, P: &s}, "pointer to struct": &open{S: s, P: &s}, "unexported": in, "pointer to unexported": &in, "any": []any{s, &s}, "nested": map[string]any{"k": []any{in}},
	}
}

func TestFmtNeverPrintsASecret(t *testing.T) {
	for name, v := range containers(sensitive.NewSecret(hidden)) {
		eachFormat(func(format string) {
			requireHidden(t, fmt.Sprintf(format, v), name+" "+format)
			requireHidden(t, fmt.Errorf(format, v).Error(), name+" "+format)
		})
		requireHidden(t, fmt.Sprint(v)+fmt.Sprintln(v), name)
	}
}

func TestASecretPrintsAsRedacted(t *testing.T) {
	for _, s := range []sensitive.Secret{{}, sensitive.NewSecret(""), sensitive.NewSecret(hidden)} {
		require.Equal(t, "[redacted]", s.String())
		require.Equal(t, "[redacted]", s.GoString())
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%c", "%U", "%t", "%e", "%z"} {
			require.Equal(t, "[redacted]", fmt.Sprintf(verb, s), verb)
			require.Equal(t, "[redacted]", fmt.Sprintf(verb, &s), verb)
		}
		require.Equal(t, "map[k:[redacted]]", fmt.Sprint(map[string]sensitive.Secret{"k": s}))
		require.Equal(t, "{[redacted] [redacted]}", fmt.Sprint(open{S: s, P: &s}))
	}
}

func TestNoEncoderWritesASecret(t *testing.T) {
	s := sensitive.NewSecret(hidden)
	text, err := s.MarshalText()
	require.NoError(t, err)
	require.Equal(t, "[redacted]", string(text))

	got, err := json.Marshal(open{S: s, P: &s})
	require.NoError(t, err)
	require.JSONEq(t, `{"S":"[redacted]","P":"[redacted]"}`, string(got))
	for name, v := range containers(s) {
		got, err := json.Marshal(v)
		require.NoError(t, err, name)
		requireHidden(t, string(got), name)
	}

	got, err = xml.Marshal(struct {
		XMLName struct{} `xml:"x"`
		S       sensitive.Secret
	}{S: s})
	require.NoError(t, err)
	require.Equal(t, "<x><S>[redacted]</S></x>", string(got))

	var b bytes.Buffer
	_ = gob.NewEncoder(&b).Encode(struct{ S sensitive.Secret }{s})
	requireHidden(t, b.String(), "gob")
}

func TestSlogNeverWritesASecret(t *testing.T) {
	var b bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		for name, v := range containers(sensitive.NewSecret(hidden)) {
			b.Reset()
			log := slog.New(h)
			log.With("a", v).WithGroup("g").Info("m", "v", v, slog.Group("x", "y", v))
			require.NotEmpty(t, b.String())
			requireHidden(t, b.String(), name)
		}
	}
	require.Equal(t, "[redacted]", sensitive.NewSecret(hidden).LogValue().String())
}

func TestErrorsNeverShowASecret(t *testing.T) {
	s := sensitive.NewSecret(hidden)
	err := errors.Join(fmt.Errorf("dial with %v: %w", s, errors.New("refused")), fmt.Errorf("with %s", &s))
	require.Equal(t, "dial with [redacted]: refused\nwith [redacted]", err.Error())
}

// failures is a test that records why it fails.
type failures struct{ text string }

func (f *failures) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

func TestAFailedAssertionDoesNotShowASecret(t *testing.T) {
	var f failures
	for _, v := range containers(sensitive.NewSecret(hidden)) {
		assert.Equal(&f, "something else", v)
	}
	require.Contains(t, f.text, "Not equal")
	requireHidden(t, f.text, "testify prints by reflection")
}

func TestRevealGivesTheStringBack(t *testing.T) {
	require.Equal(t, hidden, sensitive.NewSecret(hidden).Reveal())
	require.Empty(t, sensitive.NewSecret("").Reveal())
	require.Empty(t, sensitive.Secret{}.Reveal())
}

func TestSecretsOfTheSameStringAreEqual(t *testing.T) {
	a, b := sensitive.NewSecret(hidden), sensitive.NewSecret(strings.Clone(hidden))
	require.True(t, a.Equal(b))
	require.False(t, a.Equal(sensitive.NewSecret(hidden+"x")))
	require.False(t, a.Equal(sensitive.NewSecret(strings.ToUpper(hidden))))
	require.False(t, a.Equal(sensitive.Secret{}))
	require.True(t, sensitive.NewSecret("").Equal(sensitive.Secret{}))
}
