package entityargs

import (
	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

var resourceTypes = map[string]kcfg.ResourceType{
	Topics: kcfg.ResourceTopic, Brokers: kcfg.ResourceBroker, Groups: kcfg.ResourceGroup,
	ClientMetrics: kcfg.ResourceClientMetrics, BrokerLoggers: kcfg.ResourceBrokerLogger,
}

// Resource returns the resource that the target is, the zero Resource if it is users,
// clients, ips, or not Complete.
func (t Target) Resource() kcfg.Resource {
	p := t.Head()
	kind, ok := resourceTypes[p.Type]
	switch {
	case !ok, !p.Named:
		return kcfg.Resource{}
	case p.Name == nil:
		return kcfg.ClusterResource()
	}
	return kcfg.ResourceOf(kind, *p.Name)
}

// PartOf is the inverse of Resource, as a document has it: the default of the brokers
// has no name.
func PartOf(r kcfg.Resource) kcfg.EntityPart {
	name := r.Name()
	part := kcfg.EntityPart{Type: r.Type().String(), Name: &name}
	if r == kcfg.ClusterResource() {
		part.Name = nil
	}
	return part
}

// Completed is what Kafka's tool prints once it has altered the target.
func (t Target) Completed() string {
	p := t.Head()
	if p.Name == nil {
		return "Completed updating default config for " + p.Type + " in the cluster."
	}
	return "Completed updating config for " + singular(p.Type) + " " + output.Text(*p.Name) + "."
}
