package kcfg_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg"
)

// The reference broker, other clients and operators' ACLs know these numbers. A
// change here is a change of the protocol. That they are not Kafka's is tested
// in internal/wire.
func TestDefaultNumbersArePinned(t *testing.T) {
	assert.Equal(t, kcfg.Protocol{
		DescribeClientConfigsKey:       900,
		AlterClientConfigsKey:          901,
		PushConfigKey:                  902,
		ConfigTooLargeCode:             900,
		ResourceIdentifierTooLargeCode: 901,
		Feature:                        "kcfg.protocol",
		FeatureLevel:                   1,
	}, kcfg.DefaultProtocol())
}

func TestKeysAreDescribeAlterAndPush(t *testing.T) {
	p := kcfg.Protocol{DescribeClientConfigsKey: 3, AlterClientConfigsKey: 1, PushConfigKey: 2}
	assert.Equal(t, [3]int16{3, 1, 2}, p.Keys())

	keys := kcfg.DefaultProtocol().Keys()
	assert.Equal(t, [3]int16{900, 901, 902}, keys)
	assert.True(t, slices.IsSorted(keys[:]))
}
