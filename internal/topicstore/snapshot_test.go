package topicstore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

func TestASnapshotHasListsAndNoNulls(t *testing.T) {
	b := string(encode(withConfigs(kcfg.ClientRecord{Instance: instance}, nil)))
	for _, want := range []string{`"configs":[]`, `"supported":[]`, `"dynamic":[]`, `"principal":null`, `"version":1`} {
		assert.Contains(t, b, want)
	}
}

func TestASnapshotHasTheConfigsThatMayLeaveTheProcess(t *testing.T) {
	// Only the filter makes what a snapshot takes.
	passed, held := sensitive.Filter(
		sensitive.Entry{Key: "acks", Value: "all", Type: sensitive.String, IsDefault: true},
		sensitive.Entry{Key: "linger.ms", Value: "5", Type: sensitive.Long},
		sensitive.Entry{Key: "sasl.password", Value: secret, Type: sensitive.Password},
		sensitive.Entry{Key: "client.rack", Value: "password=" + secret, Type: sensitive.String},
	)
	require.Len(t, held, 2)
	rec := withConfigs(kcfg.ClientRecord{Instance: instance}, passed)
	assert.Equal(t, []kcfg.ClientConfig{
		{Key: "acks", Value: "all", Type: "STRING", Default: true}, {Key: "linger.ms", Value: "5", Type: "LONG"},
	}, rec.Configs)
	assert.NotContains(t, string(encode(rec)), secret)
}

func TestASnapshotBoundsWhatOthersChose(t *testing.T) {
	long := strings.Repeat("x", maxShown+1)
	states := []kcfg.KeyState{{Key: "acks", Wished: &long}, {Key: "linger.ms"}}
	supported := []string{"acks"}
	rec := withConfigs(kcfg.ClientRecord{Instance: instance, Dynamic: states, Supported: supported}, nil)
	assert.Equal(t, long[:maxShown], *rec.Dynamic[0].Wished)
	assert.Nil(t, rec.Dynamic[1].Wished)
	// The caller's is as it was.
	assert.Len(t, *states[0].Wished, maxShown+1)
	rec.Supported[0] = "changed"
	assert.Equal(t, "acks", supported[0])
}

func TestASnapshotReadsAsWritten(t *testing.T) {
	rec := withConfigs(kcfg.ClientRecord{
		Instance: instance, Principal: new("<\u2028>"), Kinds: kcfg.KindProducer | kcfg.KindConsumer,
		Dynamic: []kcfg.KeyState{{Key: "acks", State: kcfg.OverrideRejected, Reason: "r"}},
	}, nil)
	got, err := parseClient(encode(rec))
	require.NoError(t, err)
	assert.Equal(t, rec, got)
}
