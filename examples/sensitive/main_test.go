package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheProgramPrintsEveryKeyAndNoSecret(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, nil))
	for _, e := range configs(load()) {
		assert.Contains(t, out.String(), e.Key)
	}
	assert.Contains(t, out.String(), "stays: value looks like a credential")
	assert.NotContains(t, out.String(), "wonder")
}

func TestArgumentsAreRefused(t *testing.T) {
	var out strings.Builder
	require.Error(t, run(t.Context(), &out, []string{"stray"}))
	require.NoError(t, run(t.Context(), &out, []string{"-h"}))
}
