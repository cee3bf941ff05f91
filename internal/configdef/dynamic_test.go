package configdef

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThreeKeysAreDynamic(t *testing.T) {
	var keys []string
	for _, r := range table {
		if Dynamic(r.key) {
			keys = append(keys, r.key)
		}
	}
	assert.Equal(t, []string{"acks", "heartbeat.interval.ms", "session.timeout.ms"}, keys)
	assert.False(t, Dynamic("no.such.key"))
	assert.False(t, Dynamic(""))
}

func TestDynamicValuesAreParsedAsStaticOnes(t *testing.T) {
	for _, tt := range []struct {
		key  string
		good []string
		bad  []string
	}{
		{"acks", []string{"all", "-1", "0", "1", " 1\t"}, []string{"", "2", "ALL", "quorum-of-42", "1,1"}},
		{"session.timeout.ms", []string{"1", "30000", " 45000 ", "2147483647"}, []string{"", "0", "-1", "2147483648", "30s", "4.5"}},
		{"heartbeat.interval.ms", []string{"1", "3000"}, []string{"", "0", "-3000", "soon-ish"}},
	} {
		for _, v := range tt.good {
			require.NoError(t, ValidateDynamic(tt.key, v), "%s %q", tt.key, v)
		}
		for _, v := range tt.bad {
			err := ValidateDynamic(tt.key, v)
			require.ErrorContains(t, err, tt.key, "%q", v)
			if len(v) > 2 {
				assert.NotContains(t, err.Error(), v)
			}
		}
	}
}

func TestAKeyThatIsNotDynamicIsNamedWithoutItsValue(t *testing.T) {
	const value = "hunter2-hunter2"
	for _, key := range []string{"linger.ms", "sasl.jaas.config", "producer_byte_rate", "supported.configs", ""} {
		err := ValidateDynamic(key, value)
		require.ErrorContains(t, err, `"`+key+`"`)
		assert.NotContains(t, err.Error(), value)
	}
	err := ValidateDynamic("a\nb"+strings.Repeat("k", 9999), value)
	assert.Less(t, len(err.Error()), 400)
	assert.NotContains(t, err.Error(), "\n")
}
