package program

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(args ...string) (n int, printed string, done bool, err error) {
	var out strings.Builder
	fs := flag.NewFlagSet("example", flag.ContinueOnError)
	fs.IntVar(&n, "records", 10, "how many")
	done, err = Parse(fs, &out, args)
	return n, out.String(), done, err
}

func TestParseReadsFlags(t *testing.T) {
	n, printed, done, err := parse("-records", "3")
	require.NoError(t, err)
	assert.False(t, done)
	assert.Equal(t, 3, n)
	assert.Empty(t, printed)
}

func TestParsePrintsHelpWhenAskedFor(t *testing.T) {
	_, printed, done, err := parse("-h")
	require.NoError(t, err)
	assert.True(t, done)
	assert.Contains(t, printed, "-records")
}

func TestParseReturnsMistakesAndPrintsNothing(t *testing.T) {
	for _, args := range [][]string{{"-nothing"}, {"-records", "x"}, {"stray"}} {
		_, printed, done, err := parse(args...)
		require.Error(t, err, args)
		assert.False(t, done)
		assert.Empty(t, printed)
	}
}
