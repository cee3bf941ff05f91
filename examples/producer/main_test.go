package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// example runs the program and returns what it printed before the status, and
// the status.
func example(t *testing.T, args ...string) (printed string, status map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out strings.Builder
	require.NoError(t, run(ctx, &out, args), "%s", &out)
	printed, text, ok := strings.Cut(out.String(), "{")
	require.True(t, ok, "no JSON in %q", &out)
	require.NoError(t, json.Unmarshal([]byte("{"+text), &status))
	return printed, status
}

func TestTheStatusSaysWhatWasPushedAndWhatWasNot(t *testing.T) {
	printed, status := example(t, "-records", "3")
	assert.Contains(t, printed, "produced 3 records to orders")
	assert.Contains(t, printed, "took 21 configurations")
	push := status["push"].(map[string]any)
	assert.Equal(t, "pushed", push["state"])
	assert.Contains(t, push["keys"], "orders.release")
	assert.Equal(t, []any{map[string]any{"key": "db.password", "reason": "values of this type are never sent"}}, status["heldBack"])
}

func TestTheProducerWorksWithoutSupport(t *testing.T) {
	broker, err := fakebroker.New(fakebroker.Topics(1, "orders"))
	require.NoError(t, err)
	defer broker.Close()
	printed, status := example(t, "-brokers", broker.Addrs()[0])
	assert.Equal(t, "produced 10 records to orders\n", printed)
	assert.Equal(t, "unsupported", status["push"].(map[string]any)["state"])
	assert.Empty(t, broker.Requests())
}

func TestTheProducerWorksOnAfterAFailure(t *testing.T) {
	broker, err := fakebroker.New(fakebroker.Topics(1, "orders"), fakebroker.Policy(&fakebroker.RecordPolicy{}), fakebroker.MaxBytes(1))
	require.NoError(t, err)
	defer broker.Close()
	printed, status := example(t, "-brokers", broker.Addrs()[0])
	assert.Contains(t, printed, "hook: not pushed after 1 requests")
	assert.Contains(t, printed, "CONFIG_TOO_LARGE")
	assert.Equal(t, "failed", status["push"].(map[string]any)["state"])
}

func TestMistakesInTheFlagsAreReported(t *testing.T) {
	var out strings.Builder
	require.Error(t, run(t.Context(), &out, []string{"-nothing"}))
	require.Error(t, run(t.Context(), &out, []string{"-tls"}))
	assert.Empty(t, out.String())
}

func TestAHookNeverWaitsForItsReader(t *testing.T) {
	e := newEvents()
	for range 2 * cap(e.lines) {
		e.OnPushed(t.Context(), kcfg.Pushed{})
		e.OnPushFailed(t.Context(), kcfg.PushFailure{Err: errors.New("no")})
	}
	var out strings.Builder
	e.print(&out)
	assert.Equal(t, cap(e.lines), strings.Count(out.String(), "\n"))
}
