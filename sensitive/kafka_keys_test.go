package sensitive_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

//go:embed testdata/kafka_keys.tsv
var kafkaKeys string

var typesByName = map[string]sensitive.Type{
	"BOOLEAN": sensitive.Boolean, "STRING": sensitive.String, "INT": sensitive.Int, "SHORT": sensitive.Short,
	"LONG": sensitive.Long, "DOUBLE": sensitive.Double, "LIST": sensitive.List, "CLASS": sensitive.Class, "PASSWORD": sensitive.Password,
}

// eachKafkaKey calls f with every key of Kafka's clients that can be told from
// a client or that must never be.
func eachKafkaKey(t *testing.T, f func(key string, typ sensitive.Type, clean bool)) {
	t.Helper()
	n := 0
	for line := range strings.Lines(kafkaKeys) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		require.Len(t, fields, 3)
		typ, known := typesByName[fields[2]]
		require.True(t, known, line)
		require.Contains(t, []string{"clean", "held"}, fields[0])
		f(fields[1], typ, fields[0] == "clean")
		n++
	}
	require.Greater(t, n, 80)
}

func TestOrdinaryKafkaKeysAreClean(t *testing.T) {
	eachKafkaKey(t, func(key string, typ sensitive.Type, clean bool) {
		if clean {
			require.Equal(t, sensitive.NotSensitive, sensitive.Check(key, typ), key)
			require.Equal(t, sensitive.NotSensitive, sensitive.Check(strings.ToUpper(key), typ), key)
		}
	})
}

func TestSensitiveKafkaKeysAreNeverClean(t *testing.T) {
	eachKafkaKey(t, func(key string, typ sensitive.Type, clean bool) {
		if clean {
			return
		}
		require.NotEqual(t, sensitive.NotSensitive, sensitive.Check(key, typ), key)
		// A wrong type makes none of them pass, but for the serializers, which
		// nothing but their type gives away: partly the word key does.
		if strings.HasPrefix(key, "value.") {
			return
		}
		for i := range sensitive.List + 1 {
			for _, k := range []string{key, strings.ToUpper(key), "consumer." + key} {
				require.NotEqual(t, sensitive.NotSensitive, sensitive.Check(k, i), "%s as %s", k, i)
			}
		}
	})
}
