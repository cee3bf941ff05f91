package fakebroker

// Operation is an operation on the cluster resource, with Kafka's number in
// ACLs.
type Operation int8

// The operations that the RPCs need.
const (
	DescribeConfigs Operation = 10
	AlterConfigs    Operation = 11
)

// String returns the operation as Kafka names it.
func (o Operation) String() string {
	switch o {
	case DescribeConfigs:
		return "DescribeConfigs"
	case AlterConfigs:
		return "AlterConfigs"
	}
	return "unknown"
}

func (c *Cluster) allowed(rc RequestContext, op Operation) bool {
	return c.cfg.authorizer == nil || c.cfg.authorizer(rc, op)
}

func denial(op Operation) string { return op.String() + " on the cluster is not allowed" }
