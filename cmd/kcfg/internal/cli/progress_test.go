package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAResultStandsWhereTheProgressWas(t *testing.T) {
	var screen bytes.Buffer
	line := &progressLine{out: &screen, err: &screen}
	write := func(s string) {
		_, err := line.Write([]byte(s))
		require.NoError(t, err)
	}
	write("first\n")
	line.show("doing ... 1s")
	line.show("doing ... 2s")
	write("second\n")
	write("third\n")
	line.erase()
	assert.Equal(t, "first\n"+eraseLine+"doing ... 1s"+eraseLine+"doing ... 2s"+eraseLine+"second\nthird\n", screen.String())
}
