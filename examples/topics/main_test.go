package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func runWith(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var out strings.Builder
	err := run(ctx, &out, args)
	return out.String(), err
}

func TestTheTopicsAreMadeAndTheRightsAreTold(t *testing.T) {
	out, err := runWith(t, "-application", "User:orders", "-application", "User:O'Neil", "-application", "User:CN=a,O=b", "-operator", "User:ops")
	require.NoError(t, err)
	for _, shown := range []string{
		"_kcfg_clients          created", "_kcfg_dynamic_configs  created", "compact,delete",
		"--add --allow-principal User:orders --operation Read --topic _kcfg_dynamic_configs\n",
		"--add --allow-principal User:orders --operation Write --topic _kcfg_clients\n",
		"--add --allow-principal 'User:O'\\''Neil' --operation Read --topic _kcfg_dynamic_configs\n",
		"--add --allow-principal 'User:CN=a,O=b' --operation Read --topic _kcfg_dynamic_configs\n",
		"--add --allow-principal User:ops --operation Write --topic _kcfg_dynamic_configs\n",
		"--add --allow-principal User:ops --operation Read --topic _kcfg_clients\n",
	} {
		assert.Contains(t, out, shown)
	}
}

func TestASecondRunFindsAllOfIt(t *testing.T) {
	broker, err := fakebroker.New()
	require.NoError(t, err)
	defer broker.Close()
	args := []string{"-brokers", broker.Addrs()[0], "-dynamic-topic", "overrides", "-clients-topic", "fleet"}
	out, err := runWith(t, args...)
	require.NoError(t, err)
	assert.Contains(t, out, "overrides  created")
	out, err = runWith(t, args...)
	require.NoError(t, err)
	assert.Contains(t, out, "overrides  was there")
	assert.Contains(t, out, "fleet      was there")
}

func TestMistakesAreReported(t *testing.T) {
	for _, args := range [][]string{{"-dynamic-topic", "a b"}, {"-nothing"}, {"-brokers", ","}, {"more"}, {"-application", "orders"}} {
		out, err := runWith(t, args...)
		require.Error(t, err)
		assert.Empty(t, out)
	}
}
