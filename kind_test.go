package kcfg_test

import (
	"encoding/json"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

const (
	everyKind = kcfg.KindProducer | kcfg.KindConsumer | kcfg.KindShare | kcfg.KindAdmin
	noKind    = kcfg.Kind(0)
)

func TestHasAsksForEveryKindAndOverlapsForAny(t *testing.T) {
	const both = kcfg.KindProducer | kcfg.KindConsumer
	for _, tt := range []struct {
		k, o          kcfg.Kind
		has, overlaps bool
	}{
		{kcfg.KindProducer, kcfg.KindProducer, true, true},
		{kcfg.KindProducer, kcfg.KindConsumer, false, false},
		{both, kcfg.KindConsumer, true, true},
		{both, both, true, true},
		{kcfg.KindConsumer, both, false, true},
		{both, kcfg.KindConsumer | kcfg.KindShare, false, true},
		{both, kcfg.KindShare | kcfg.KindAdmin, false, false},
		{everyKind, kcfg.KindAdmin, true, true},
		{noKind, kcfg.KindProducer, false, false},
		{kcfg.KindProducer, noKind, true, false}, // every set has the empty one
		{noKind, noKind, true, false},
	} {
		assert.Equal(t, tt.has, tt.k.Has(tt.o), "%s has %s", tt.k, tt.o)
		assert.Equal(t, tt.overlaps, tt.k.Overlaps(tt.o), "%s overlaps %s", tt.k, tt.o)
		assert.Equal(t, tt.overlaps, tt.o.Overlaps(tt.k), "%s overlaps %s", tt.o, tt.k)
	}
}

func TestKindsAreFourBits(t *testing.T) {
	require.Equal(t, 4, bits.OnesCount8(uint8(everyKind)), "two kinds share a bit")
	for k := range 256 {
		kind := kcfg.Kind(k)
		assert.Equal(t, k != 0 && everyKind.Has(kind), kind.Valid(), "%#x", k)
	}
}

func TestStringNamesTheKindsInOneOrder(t *testing.T) {
	for k, want := range map[kcfg.Kind]string{
		noKind:                                "none",
		kcfg.KindProducer:                     "producer",
		kcfg.KindConsumer:                     "consumer",
		kcfg.KindShare:                        "share",
		kcfg.KindAdmin:                        "admin",
		kcfg.KindAdmin | kcfg.KindProducer:    "producer,admin",
		kcfg.KindConsumer | kcfg.KindProducer: "producer,consumer",
		kcfg.KindShare | kcfg.KindConsumer:    "consumer,share",
		kcfg.KindShare | kcfg.KindConsumer | kcfg.KindAdmin: "consumer,share,admin",
		everyKind:                        "producer,consumer,share,admin",
		kcfg.Kind(0x10):                  "unknown(0x10)",
		kcfg.Kind(0x90) | kcfg.KindShare: "share,unknown(0x90)",
	} {
		assert.Equal(t, want, k.String(), "%#x", uint8(k))
	}
}

func TestEverySetHasAStringOfItsOwn(t *testing.T) {
	seen := make(map[string]kcfg.Kind)
	for k := range 256 {
		kind := kcfg.Kind(k)
		s := kind.String()
		other, ok := seen[s]
		require.False(t, ok, "%#x and %#x are both %s", k, uint8(other), s)
		seen[s] = kind
		require.Equal(t, !kind.Valid() && kind != 0, strings.Contains(s, "unknown"))
	}
}

func TestKindsMarshalAsTheirString(t *testing.T) {
	out, err := json.Marshal(map[string]any{
		"kinds":  kcfg.KindConsumer | kcfg.KindProducer,
		"none":   noKind,
		"counts": map[kcfg.Kind]int{kcfg.KindAdmin: 1},
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{"kinds": "producer,consumer", "none": "none", "counts": {"admin": 1}}`, string(out))

	for k := range 256 {
		text, err := kcfg.Kind(k).MarshalText()
		require.NoError(t, err)
		assert.Equal(t, kcfg.Kind(k).String(), string(text))
	}
}

func TestKindTextMakesTheRoundTrip(t *testing.T) {
	for k := range kcfg.Kind(1 << 4) {
		text, err := k.MarshalText()
		require.NoError(t, err)
		var got kcfg.Kind
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, k, got)
	}
	k := kcfg.KindAdmin
	require.Error(t, k.UnmarshalText([]byte("producer,streams")))
	assert.Equal(t, kcfg.KindAdmin, k, "left as it was")
}
