package kcfg

// Protocol holds the numbers that the proposals leave open. No Kafka release
// assigns them, so they are fields: a cluster that one day has the real ones
// needs a different Protocol and no new library.
//
// A broker that advertises one of these API keys does not prove that it means
// our RPC, since Kafka's own numbering moves on. Therefore the ApiVersions
// answer must also name the supported feature Feature at FeatureLevel, unless
// Feature is empty.
type Protocol struct {
	DescribeClientConfigsKey int16 // KIP-649; 900
	AlterClientConfigsKey    int16 // KIP-649; 901
	PushConfigKey            int16 // KIP-1324; 902

	ConfigTooLargeCode             int16 // KIP-1324; 900, never retriable
	ResourceIdentifierTooLargeCode int16 // KIP-1233; 901, never retriable

	Feature      string // "kcfg.protocol"; empty: the advertised key is proof enough
	FeatureLevel int16  // 1
}

// DefaultProtocol returns the numbers that the reference broker speaks. They
// lie in a range that Kafka does not use.
func DefaultProtocol() Protocol {
	return Protocol{
		DescribeClientConfigsKey:       900,
		AlterClientConfigsKey:          901,
		PushConfigKey:                  902,
		ConfigTooLargeCode:             900,
		ResourceIdentifierTooLargeCode: 901,
		Feature:                        "kcfg.protocol",
		FeatureLevel:                   1,
	}
}

// Keys returns the API keys of the three RPCs, in ascending order of their
// defaults.
func (p Protocol) Keys() [3]int16 {
	return [3]int16{p.DescribeClientConfigsKey, p.AlterClientConfigsKey, p.PushConfigKey}
}
