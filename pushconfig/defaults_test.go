package pushconfig_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/pushconfig"
	"github.com/kcfg-go/kcfg/sensitive"
)

func TestDefaultsAreWhatAClientTellsThatWasGivenNothing(t *testing.T) {
	cl, err := kgo.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	var want []sensitive.Entry
	for _, e := range pushconfig.Collect(cl, kcfg.KindProducer) {
		if e.IsDefault {
			want = append(want, e)
		}
	}
	assert.NotEmpty(t, want)
	assert.Equal(t, want, pushconfig.Defaults(kcfg.KindProducer))
}
