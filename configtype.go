package kcfg

// ConfigType is the type of a configuration's value, by the numbers of
// DescribeConfigs. They are not those of sensitive.Type, which KIP-1324 uses. A
// number that is not known here is kept, and printed.
type ConfigType int8

// The types of values.
const (
	TypeUnknown  ConfigType = 0 // a broker before Kafka 2.6 tells no types
	TypeBoolean  ConfigType = 1
	TypeString   ConfigType = 2
	TypeInt      ConfigType = 3
	TypeShort    ConfigType = 4
	TypeLong     ConfigType = 5
	TypeDouble   ConfigType = 6
	TypeList     ConfigType = 7
	TypeClass    ConfigType = 8
	TypePassword ConfigType = 9
)

var configTypeNames = [...]string{
	TypeUnknown: "UNKNOWN", TypeBoolean: "BOOLEAN", TypeString: "STRING", TypeInt: "INT", TypeShort: "SHORT",
	TypeLong: "LONG", TypeDouble: "DOUBLE", TypeList: "LIST", TypeClass: "CLASS", TypePassword: "PASSWORD",
}

// String returns the type as Kafka writes it, such as BOOLEAN, and "unknown(42)"
// for a number that is not known.
func (t ConfigType) String() string {
	if t >= 0 && int(t) < len(configTypeNames) {
		return configTypeNames[t]
	}
	return unknown(int8(t))
}

// MarshalText returns String.
func (t ConfigType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// ConfigSource says where a configuration's value comes from, by the numbers of
// DescribeConfigs. A number that is not known here is kept, and printed.
type ConfigSource int8

// The sources.
const (
	SourceUnknown        ConfigSource = 0
	SourceTopic          ConfigSource = 1 // set for the topic
	SourceBroker         ConfigSource = 2 // set for the broker while it runs
	SourceClusterDefault ConfigSource = 3 // set for all brokers while they run
	SourceStatic         ConfigSource = 4 // in the broker's properties file
	SourceDefault        ConfigSource = 5 // Kafka's own default
	SourceBrokerLogger   ConfigSource = 6
	SourceClientMetrics  ConfigSource = 7
	SourceGroup          ConfigSource = 8

	// SourceClient is what an operator set for an Entity (KIP-649). The number is
	// ours and on no wire.
	SourceClient ConfigSource = -1
)

var configSourceNames = [...]string{
	SourceTopic: "DYNAMIC_TOPIC_CONFIG", SourceBroker: "DYNAMIC_BROKER_CONFIG",
	SourceClusterDefault: "DYNAMIC_DEFAULT_BROKER_CONFIG", SourceStatic: "STATIC_BROKER_CONFIG",
	SourceDefault: "DEFAULT_CONFIG", SourceBrokerLogger: "DYNAMIC_BROKER_LOGGER_CONFIG",
	SourceClientMetrics: "CLIENT_METRICS_CONFIG", SourceGroup: "GROUP_CONFIG",
}

// String returns the source as Kafka writes it, such as DYNAMIC_TOPIC_CONFIG, and
// "unknown(42)" for a number that is not known.
func (s ConfigSource) String() string {
	switch {
	case s == SourceClient:
		return "DYNAMIC_CLIENT_CONFIG"
	case s > 0 && int(s) < len(configSourceNames):
		return configSourceNames[s]
	}
	return unknown(int8(s))
}

// MarshalText returns String.
func (s ConfigSource) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
