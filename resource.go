package kcfg

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// ResourceType is what kind of thing configurations belong to, by Kafka's numbers
// in DescribeConfigs and AlterConfigs (KIP-133). A number that is not known here is
// kept, and printed.
type ResourceType int8

// The resource types.
const (
	ResourceUnknown       ResourceType = 0
	ResourceTopic         ResourceType = 2
	ResourceBroker        ResourceType = 4
	ResourceBrokerLogger  ResourceType = 8
	ResourceClientMetrics ResourceType = 16
	ResourceGroup         ResourceType = 32

	// ResourceClient is an Entity (KIP-649). Kafka has no number for it, since
	// its configurations have RPCs of their own; this one is never sent.
	ResourceClient ResourceType = -1
)

// String returns the type as Kafka's tools name it, such as "topic" or
// "client-metrics", and "unknown(64)" for a number that is not known.
func (t ResourceType) String() string {
	switch t {
	case ResourceTopic:
		return "topic"
	case ResourceBroker:
		return "broker"
	case ResourceBrokerLogger:
		return "broker-logger"
	case ResourceClientMetrics:
		return "client-metrics"
	case ResourceGroup:
		return "group"
	case ResourceClient:
		return "client"
	case ResourceUnknown:
	}
	return unknown(int8(t))
}

// MarshalText returns String.
func (t ResourceType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

func unknown(n int8) string { return fmt.Sprintf("unknown(%d)", n) }

// Resource is what configurations belong to: a topic, a broker, all brokers, a
// group, a subscription of client metrics, or the clients of an entity. Resources
// are comparable and can be map keys. The zero Resource is none.
type Resource struct {
	typ    ResourceType
	name   string
	entity Entity
}

// TopicResource returns the resource of a topic.
func TopicResource(name string) Resource { return Resource{typ: ResourceTopic, name: name} }

// BrokerResource returns the resource of one broker.
func BrokerResource(id int32) Resource {
	return Resource{typ: ResourceBroker, name: strconv.Itoa(int(id))}
}

// ClusterResource returns the resource of what is set for all brokers: the dynamic
// defaults of the cluster, which a broker's own win over. A description of it has
// what is set there and nothing else.
func ClusterResource() Resource { return Resource{typ: ResourceBroker} }

// GroupResource returns the resource of a consumer or share group.
func GroupResource(id string) Resource { return Resource{typ: ResourceGroup, name: id} }

// ClientMetricsResource returns the resource of a subscription of client metrics
// (KIP-714).
func ClientMetricsResource(name string) Resource {
	return Resource{typ: ResourceClientMetrics, name: name}
}

// ClientResource returns the resource of the clients of an entity (KIP-649).
func ClientResource(e Entity) Resource { return Resource{typ: ResourceClient, entity: e} }

// ResourceOf returns the resource of a type and a name as Kafka has them, for types
// that have no function here. The types ResourceUnknown and ResourceClient give the
// zero Resource. The id of a broker is written in one way: "00" gives BrokerResource(0).
func ResourceOf(t ResourceType, name string) Resource {
	if t == ResourceUnknown || t == ResourceClient {
		return Resource{}
	}
	if t == ResourceBroker || t == ResourceBrokerLogger {
		if id, err := strconv.ParseInt(name, 10, 32); err == nil {
			name = strconv.FormatInt(id, 10) // Kafka takes 00 for 0
		}
	}
	return Resource{typ: t, name: name}
}

// Type returns the type, ResourceUnknown for the zero Resource.
func (r Resource) Type() ResourceType { return r.typ }

// Name returns the name as Kafka has it: a broker's is its id, that of
// ClusterResource and of every ClientResource is empty.
func (r Resource) Name() string { return r.name }

// Entity returns whose clients it is, the zero Entity unless the type is
// ResourceClient.
func (r Resource) Entity() Entity { return r.entity }

// IsZero reports whether r is no resource.
func (r Resource) IsZero() bool { return r == Resource{} }

// String returns the type and the name, such as topic "orders", broker 1, or
// cluster for ClusterResource.
func (r Resource) String() string {
	switch {
	case r.IsZero():
		return "no resource"
	case r == ClusterResource():
		return "cluster"
	case r.typ == ResourceClient:
		return "clients of " + r.entity.String()
	case r.typ == ResourceBroker, r.typ == ResourceBrokerLogger:
		if _, err := strconv.ParseInt(r.name, 10, 32); err == nil {
			return r.typ.String() + " " + r.name
		}
	}
	return r.typ.String() + " " + strconv.QuoteToASCII(r.name)
}

// MarshalJSON returns type and name, or type and entity.
func (r Resource) MarshalJSON() ([]byte, error) {
	if r.typ == ResourceClient {
		return json.Marshal(struct {
			Type   ResourceType `json:"type"`
			Entity Entity       `json:"entity"`
		}{r.typ, r.entity})
	}
	return json.Marshal(struct {
		Type ResourceType `json:"type"`
		Name string       `json:"name"`
	}{r.typ, r.name})
}
