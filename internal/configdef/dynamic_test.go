package configdef

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/internal/connpatch"
)

func TestTheDynamicKeysAreThoseOfTheProposalAndOurs(t *testing.T) {
	assert.Equal(t, []string{
		"acks", "fetch.max.bytes", "fetch.max.wait.ms", "fetch.min.bytes", "heartbeat.interval.ms",
		"max.partition.fetch.bytes", "request.timeout.ms", "session.timeout.ms",
	}, DynamicKeys())
	var listed []string
	for _, key := range DynamicKeys() {
		d, ok := DynamicOf(key)
		require.True(t, ok)
		assert.True(t, KindsOf(key).Has(d.Kinds), "%s: only those that have it can change it", key)
		assert.NotZero(t, d.Kinds, key)
		assert.NotEmpty(t, d.Request.Name(), key)
		if d.Listed {
			listed = append(listed, key)
		}
	}
	assert.Equal(t, []string{"acks", "heartbeat.interval.ms", "session.timeout.ms"}, listed)
	for _, key := range []string{"no.such.key", "", "linger.ms"} {
		d, ok := DynamicOf(key)
		assert.False(t, ok)
		assert.Zero(t, d.Kinds)
	}
}

func TestANumberHasOneWayToBeWritten(t *testing.T) {
	for _, key := range DynamicKeys() {
		d, _ := DynamicOf(key)
		for _, v := range []string{" 1 ", "1"} {
			n, err := d.Number(v)
			require.NoError(t, err)
			assert.Equal(t, "1", d.Text(n), key)
		}
	}
	acks, _ := DynamicOf("acks")
	for _, v := range []string{"all", "-1"} {
		n, err := acks.Number(v)
		require.NoError(t, err)
		assert.Equal(t, int32(-1), n)
		assert.Equal(t, "all", acks.Text(n))
	}
}

// Each key but the two that kgo has a function for is its own field of Patches,
// and is read back from its own field of Observed.
func TestEachKeyIsAPatchOfItsOwn(t *testing.T) {
	var all connpatch.Patches
	for i, key := range DynamicKeys() {
		d, _ := DynamicOf(key)
		if key == "fetch.max.bytes" || key == "max.partition.fetch.bytes" {
			assert.False(t, d.Patched(), key)
			assert.Nil(t, d.Seen(everySeen()), key)
			before := all
			d.Patch(&all, 99)
			assert.Equal(t, before, all, key)
			continue
		}
		require.True(t, d.Patched(), key)
		assert.Nil(t, d.Seen(connpatch.Observed{}), "%s: nothing was sent yet", key)
		d.Patch(&all, int32(i))
	}
	assert.Equal(t, connpatch.Patches{
		Acks: new(int16(0)), FetchMaxWait: new(int32(2)), FetchMinBytes: new(int32(3)), HeartbeatInterval: new(int32(4)),
		ProduceTimeout: new(int32(6)), SessionTimeout: new(int32(7)),
	}, all)
	seen := make(map[int32]bool)
	for _, key := range DynamicKeys() {
		if d, _ := DynamicOf(key); d.Patched() {
			seen[*d.Seen(everySeen())] = true
		}
	}
	assert.Len(t, seen, 6)
}

func everySeen() connpatch.Observed {
	return connpatch.Observed{
		Acks: new(int16(1)), FetchMaxWait: new(int32(2)), FetchMinBytes: new(int32(3)),
		ProduceTimeout: new(int32(4)), SessionTimeout: new(int32(5)), HeartbeatInterval: new(int32(6)),
	}
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
		{"fetch.max.wait.ms", []string{"1", "5000"}, []string{"", "0", "-5000", "5s"}},
		{"fetch.max.bytes", []string{"1", "52428800"}, []string{"", "0", "-1", "50MiB"}},
		{"request.timeout.ms", []string{"1", "30000"}, []string{"", "0", "-1", "never"}},
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
