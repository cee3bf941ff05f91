package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
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

func TestTheConsumerReadsAndTellsTheOutcome(t *testing.T) {
	out, err := example(t, "-records", "3")
	require.NoError(t, err, out)
	assert.Contains(t, out, "push: the cluster has our configuration\n")
	assert.Contains(t, out, "read 3 of 3 records from orders\n")
	assert.Contains(t, out, `"kinds": "consumer"`)
	assert.Contains(t, out, `"state": "pushed"`)
}

func TestTheConsumerStopsInTimeOnAnEmptyTopic(t *testing.T) {
	broker, err := fakebroker.New(fakebroker.Topics(1, "orders"))
	require.NoError(t, err)
	defer broker.Close()
	out, err := example(t, "-brokers", broker.Addrs()[0], "-timeout", "1s")
	require.ErrorContains(t, err, "not done after 1s")
	assert.Contains(t, out, "push: this cluster does not take client configurations")
	assert.Contains(t, out, "read 0 of 10 records from orders\n")
}

func TestMistakesInTheFlagsAreReported(t *testing.T) {
	out, err := example(t, "-nothing")
	require.Error(t, err)
	assert.Empty(t, out)
	_, err = example(t, "-tls")
	require.Error(t, err)
}

func TestOutcomesAreToldApartByType(t *testing.T) {
	for want, err := range map[string]error{
		"has our configuration": nil,
		"does not take client":  cfgerrors.ErrUnsupported,
		"too much to tell":      cfgerrors.FromCode(900, ""),
		"we may not push":       cfgerrors.FromCode(31, ""),
		"does not like":         cfgerrors.FromCode(40, ""),
		"not now":               io.EOF,
		"push: something else":  errors.New("something else"),
	} {
		assert.Contains(t, outcome(err), want)
	}
	assert.Contains(t, outcome(cfgerrors.FromCode(44, "")), "does not like")
}
