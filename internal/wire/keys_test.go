package wire

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

func TestCanonicalCode(t *testing.T) {
	protocol := func(tooLarge, identifier int16) kcfg.Protocol {
		p := kcfg.DefaultProtocol()
		p.ConfigTooLargeCode, p.ResourceIdentifierTooLargeCode = tooLarge, identifier
		return p
	}
	for _, tt := range []struct {
		name       string
		p          kcfg.Protocol
		code, want int16
	}{
		{"no error", kcfg.DefaultProtocol(), 0, 0},
		{"unknown server error", kcfg.DefaultProtocol(), -1, -1},
		{"a code of Kafka's", kcfg.DefaultProtocol(), 40, 40},
		{"a code that nobody has", kcfg.DefaultProtocol(), 899, 899},
		{"the largest", kcfg.DefaultProtocol(), 32767, 32767},
		{"CONFIG_TOO_LARGE", kcfg.DefaultProtocol(), 900, 900},
		{"RESOURCE_IDENTIFIER_TOO_LARGE", kcfg.DefaultProtocol(), 901, 901},

		{"moved CONFIG_TOO_LARGE", protocol(138, 139), 138, 900},
		{"moved RESOURCE_IDENTIFIER_TOO_LARGE", protocol(138, 139), 139, 901},
		{"where CONFIG_TOO_LARGE was", protocol(138, 139), 900, -1},
		{"where RESOURCE_IDENTIFIER_TOO_LARGE was", protocol(138, 139), 901, -1},
		{"a code of Kafka's, next to moved ones", protocol(138, 139), 40, 40},
		{"one moved, the other not", protocol(138, 901), 901, 901},

		{"moved to a code of Kafka's", protocol(40, 44), 40, 900},
		{"both moved to codes of Kafka's", protocol(40, 44), 44, 901},
		{"swapped", protocol(901, 900), 901, 900},
		{"swapped, the other one", protocol(901, 900), 900, 901},
		{"moved to where the other was", protocol(901, 902), 901, 900},
		{"moved by one", protocol(901, 902), 902, 901},
		{"and where it was", protocol(901, 902), 900, -1},
		{"moved below zero", protocol(-900, -901), -901, 901},

		{"no protocol at all: no error", kcfg.Protocol{}, 0, 0},
		{"no protocol at all: Kafka's", kcfg.Protocol{}, 40, 40},
		{"no protocol at all: not ours", kcfg.Protocol{}, 900, -1},
	} {
		assert.Equal(t, tt.want, CanonicalCode(tt.p, tt.code), tt.name)
	}
}

func TestCanonicalCodeIsOneOfOursOnlyIfTheProtocolSaysSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Int16(), rapid.Int16Range(899, 902))
		p := kcfg.Protocol{ConfigTooLargeCode: number.Draw(t, "too large"), ResourceIdentifierTooLargeCode: number.Draw(t, "identifier")}
		code := rapid.OneOf(number, rapid.SampledFrom([]int16{p.ConfigTooLargeCode, p.ResourceIdentifierTooLargeCode})).Draw(t, "code")
		switch got := CanonicalCode(p, code); got {
		case cfgerrors.CodeConfigTooLarge:
			require.Equal(t, p.ConfigTooLargeCode, code)
		case cfgerrors.CodeResourceIdentifierTooLarge:
			require.Equal(t, p.ResourceIdentifierTooLargeCode, code)
		default:
			require.Contains(t, []int16{code, cfgerrors.CodeUnknown}, got)
		}
	})
}

func TestMovedCodesAreTheErrorsTheyStandFor(t *testing.T) {
	p := kcfg.DefaultProtocol()
	p.ConfigTooLargeCode = 138
	var tooLarge *cfgerrors.ConfigTooLargeError
	assert.ErrorAs(t, cfgerrors.FromCode(CanonicalCode(p, 138), ""), &tooLarge)
	assert.ErrorIs(t, cfgerrors.FromCode(CanonicalCode(p, 900), ""), kerr.UnknownServerError)
}

// These two stand here and not with the Protocol, whose package imports nothing
// of franz-go, not even in its tests.
func TestDefaultKeysAreNotKafkas(t *testing.T) {
	last := int16(-1)
	for key := range int16(1000) {
		if kmsg.RequestForKey(key) != nil {
			last = key
		}
	}
	require.Positive(t, last, "kmsg knows no request at all")
	for _, key := range kcfg.DefaultProtocol().Keys() {
		assert.Nil(t, kmsg.RequestForKey(key), "%d", key)
		assert.Nil(t, kmsg.ResponseForKey(key), "%d", key)
		assert.Equal(t, "Unknown", kmsg.NameForKey(key), "%d", key)
		assert.Greater(t, key, last+500, "Kafka's keys come close")
	}
}

func TestDefaultCodesAreNotKafkas(t *testing.T) {
	p := kcfg.DefaultProtocol()
	for _, code := range []int16{p.ConfigTooLargeCode, p.ResourceIdentifierTooLargeCode} {
		assert.ErrorIs(t, kerr.ErrorForCode(code), kerr.UnknownServerError, "%d", code)
	}
}

func TestMaxStringLenIsWhatAnInt16Holds(t *testing.T) {
	assert.Equal(t, "32767", fmt.Sprint(MaxStringLen))
}
