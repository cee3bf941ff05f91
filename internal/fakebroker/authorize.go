package fakebroker

import "github.com/kcfg-go/kcfg"

// Operation is an operation on a resource, with Kafka's number in ACLs.
type Operation int8

// The operations that describing and altering configurations need, and the one that
// implies them.
const (
	All             Operation = 2
	DescribeConfigs Operation = 10
	AlterConfigs    Operation = 11
)

// String returns the operation as Kafka names it.
func (o Operation) String() string {
	switch o {
	case All:
		return "All"
	case DescribeConfigs:
		return "DescribeConfigs"
	case AlterConfigs:
		return "AlterConfigs"
	}
	return "unknown"
}

// Grant is a right of a principal, which is named without "User:".
type Grant struct {
	Principal string
	Operation Operation
	// Resource is a topic, a group, or ClusterResource, which covers every
	// resource.
	Resource kcfg.Resource
}

// covers is the rule of KIP-133: an operation on the cluster covers every resource,
// and All implies both operations. Released Kafka does not have the first half.
func (g Grant) covers(principal string, op Operation, r kcfg.Resource) bool {
	return g.Principal == principal &&
		(g.Operation == op || g.Operation == All) &&
		(g.Resource == kcfg.ClusterResource() || g.Resource == r)
}

// rightsOn is the resource on which the rights are that a resource needs: a topic's
// or a group's own, the cluster's for everything else.
func rightsOn(r kcfg.Resource) kcfg.Resource {
	switch r.Type() {
	case kcfg.ResourceTopic, kcfg.ResourceGroup:
		return r
	}
	return kcfg.ClusterResource()
}

// allowed reports whether an operation on the cluster is allowed.
func (c *Cluster) allowed(rc RequestContext, op Operation) bool {
	return (c.cfg.authorizer == nil || c.cfg.authorizer(rc, op)) && c.granted(rc, op, kcfg.ClusterResource())
}

// granted reports whether the grants, if there are any, have a right.
func (c *Cluster) granted(rc RequestContext, op Operation, r kcfg.Resource) bool {
	if c.cfg.grants == nil {
		return true
	}
	for _, g := range c.cfg.grants {
		if g.covers(rc.Principal, op, rightsOn(r)) {
			return true
		}
	}
	return false
}

func denial(op Operation) string { return op.String() + " on the cluster is not allowed" }
