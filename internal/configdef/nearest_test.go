package configdef

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestNearestFindsWhatSomebodyMeant(t *testing.T) {
	for in, want := range map[string]string{
		"session.timeout.ms":       "session.timeout.ms",
		"session.timout.ms":        "session.timeout.ms",
		"sesison.timeout.ms":       "session.timeout.ms",
		"session.timeout":          "",
		"session_timeout_ms":       "session.timeout.ms",
		"sessionTimeoutMs":         "session.timeout.ms",
		"SESSION.TIMEOUT.MS":       "session.timeout.ms",
		"producer.acks":            "acks",
		"consumer.fetch.min.bytes": "fetch.min.bytes",
		"aks":                      "acks",
		"ax":                       "",
		"x":                        "",
		"":                         "",
		"db.url":                   "",
		"batch-size":               "batch.size",
		strings.Repeat("acks", 30): "",
		"bootstrap.server":         "bootstrap.servers",
		"linger.sm":                "linger.ms",
	} {
		assert.Equal(t, want, Nearest(in), "%q", in)
	}
}

func TestNearestSurvivesAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if got := Nearest(rapid.String().Draw(t, "key")); got != "" {
			assert.NotZero(t, KindsOf(got))
		}
	})
}

func TestEditsCountsTypingErrors(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"acks", "acks", 0},
		{"acks", "aks", 1},
		{"acks", "ackss", 1},
		{"acks", "axks", 1},
		{"acks", "akcs", 1},
		{"acks", "", 4},
		{"", "ab", 2},
	} {
		assert.Equal(t, tt.want, edits(tt.a, tt.b), "%q %q", tt.a, tt.b)
	}
}

func TestToldForIsEmptyWhereKgoHasNoEquivalent(t *testing.T) {
	assert.Zero(t, ToldFor("max.block.ms"))
	assert.Zero(t, ToldFor("no.key"))
	assert.Equal(t, producer, ToldFor("acks"))
}
