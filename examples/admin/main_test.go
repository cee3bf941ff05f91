package main

import (
	"context"
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

func example(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out strings.Builder
	err := run(ctx, &out, args)
	return out.String(), err
}

func TestTheTourShowsValidationChangeAndResult(t *testing.T) {
	out, err := example(t)
	require.NoError(t, err)
	for _, shown := range []string{
		"(nothing is set)",
		`<user "alice", client-id "orders-api">  yes`,
		"POLICY_VIOLATION",
		"must not be above a minute",
		"session.timeout.ms  30000",
	} {
		assert.Contains(t, out, shown)
	}
}

func TestTheTourLeavesNothingBehind(t *testing.T) {
	broker, err := fakebroker.New(fakebroker.DynamicConfigs())
	require.NoError(t, err)
	defer broker.Close()
	out, err := example(t, "-brokers", broker.Addrs()[0], "-entity-user", "bob", "-entity-client", "a b")
	require.NoError(t, err)
	assert.Contains(t, out, `<user "bob", client-id "a b">`)
	assert.Empty(t, broker.ClientConfigs())
	assert.Equal(t, 2, broker.ClientConfigWrites())
}

func TestWhatIsSetAlreadyIsNotTouched(t *testing.T) {
	broker, err := fakebroker.New(fakebroker.DynamicConfigs())
	require.NoError(t, err)
	defer broker.Close()
	e := kcfg.User("alice").Client("orders-api")
	broker.SetClientConfigs(e, kcfg.Set("acks", "0"), kcfg.Set(kcfg.SupportedConfigs, `{"kgo/v1":["acks"]}`))
	out, err := example(t, "-brokers", broker.Addrs()[0])
	require.ErrorContains(t, err, "already")
	assert.Contains(t, out, "supported by kgo/v1")
	assert.Equal(t, "0", broker.ClientConfigs()[e]["acks"])
	assert.Equal(t, 1, broker.ClientConfigWrites())
}

func TestAClusterWithoutSupportIsToldOf(t *testing.T) {
	broker, err := fakebroker.New()
	require.NoError(t, err)
	defer broker.Close()
	out, err := example(t, "-brokers", broker.Addrs()[0])
	require.NoError(t, err)
	assert.Equal(t, "the cluster does not support dynamic client configurations (KIP-649)\n", out)
	assert.Empty(t, broker.Requests())
}

func TestMistakesInTheFlagsAreReported(t *testing.T) {
	for _, args := range [][]string{{"-nothing"}, {"-tls"}, {"stray"}, {"-brokers", ","}} {
		out, err := example(t, args...)
		require.Error(t, err)
		assert.Empty(t, out)
	}
}
