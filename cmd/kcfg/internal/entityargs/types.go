package entityargs

import "slices"

// The types of entities, as --entity-type has them.
const (
	Users         = "users"
	Clients       = "clients"
	Topics        = "topics"
	Brokers       = "brokers"
	Groups        = "groups"
	ClientMetrics = "client-metrics"
	IPs           = "ips"
	BrokerLoggers = "broker-loggers"
)

// Types returns all types.
func Types() []string {
	return []string{Users, Clients, Topics, Brokers, Groups, ClientMetrics, IPs, BrokerLoggers}
}

// wire are the types as the protocol and the documents name one of them.
var wire = map[string]string{
	Users: "user", Clients: "client-id", Topics: "topic", Brokers: "broker", Groups: "group",
	ClientMetrics: "client-metrics", IPs: "ip", BrokerLoggers: "broker-logger",
}

// singular is what Kafka's tool makes of a type by leaving out its last letter.
func singular(kind string) string { return kind[:len(kind)-1] }

// hasDefault reports whether a type has a default entity.
func hasDefault(kind string) bool {
	return slices.Contains([]string{Users, Clients, Brokers, IPs}, kind)
}
