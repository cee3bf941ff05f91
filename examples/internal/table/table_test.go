package table

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestColumnsAreAligned(t *testing.T) {
	var out strings.Builder
	require.NoError(t, Write(&out, "Pushed", []string{"key", "value"}, [][]string{
		{"acks", "all"},
		{"client.id", "orders"},
	}))
	assert.Equal(t, `Pushed
  key        value
  acks       all
  client.id  orders

`, out.String())
}

func TestCellsThatCannotBeShownAreQuoted(t *testing.T) {
	assert.Equal(t, "all", Cell("all"))
	assert.Empty(t, Cell(""))
	assert.Equal(t, `"a\tb\x1b[31m"`, Cell("a\tb\x1b[31m"))
	assert.Equal(t, `"\u00e4"`, Cell("\u00e4"))
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAWriterThatFailsIsReported(t *testing.T) {
	require.Error(t, Write(broken{}, "Pushed", []string{"key"}, nil))
}
