package client

import (
	"cmp"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/topicstore"
)

// ACLPlan says for whom RequiredACLs lists rights. Principals are named with their
// type, such as "User:alice".
type ACLPlan struct {
	// Applications are those whose clients push their configuration and take
	// overrides.
	Applications []string
	// Operators describe and alter client configurations, and those of Resources.
	Operators []string
	// Installers run SetupTopics. Where Operators do, name them twice.
	Installers []string
	// Transport is how client configurations travel; TransportAuto takes the rights
	// of both ways. Topics names the topics, with the defaults of package client.
	Transport TransportKind
	Topics    TopicNames
	// Resources are what Operators describe and alter besides.
	Resources []kcfg.Resource
	// AuthorizeSelf is set if the brokers ask for rights from a client that asks
	// for its own configurations, as the text of KIP-649 has it.
	AuthorizeSelf bool
}

// ACL is a right that a principal needs.
type ACL struct {
	Principal string
	Operation kadm.ACLOperation
	Type      kmsg.ACLResourceType // topic, group or cluster
	Name      string               // kafka-cluster for the cluster
}

// clusterName is Kafka's name of the cluster in ACLs.
const clusterName = "kafka-cluster"

// RequiredACLs lists the rights that a plan needs on released Kafka, and nothing
// else, sorted by principal, resource and operation. In released Kafka an operation
// on the cluster does not cover topics and groups, other than in KIP-133: each needs
// its own. Operations that Kafka's own authorizer has others imply are listed where
// another one may not: DescribeConfigs besides AlterConfigs.
//
// Over the RPCs an application needs no right, unless AuthorizeSelf is set.
func RequiredACLs(plan ACLPlan) []ACL {
	var out []ACL
	for _, p := range plan.Applications {
		out = append(out, applicationACLs(p, plan)...)
	}
	for _, p := range plan.Operators {
		out = append(out, operatorACLs(p, plan)...)
	}
	for _, p := range plan.Installers {
		for _, topic := range plan.topics() {
			out = append(out, onTopic(p, topic, kadm.OpCreate, kadm.OpDescribeConfigs, kadm.OpAlterConfigs, kadm.OpRead, kadm.OpWrite)...)
		}
	}
	slices.SortFunc(out, func(x, y ACL) int {
		return cmp.Or(strings.Compare(x.Principal, y.Principal), cmp.Compare(x.Type, y.Type),
			strings.Compare(x.Name, y.Name), cmp.Compare(x.Operation, y.Operation))
	})
	return slices.Compact(out)
}

// topics are the topics of a plan, that of the overrides first, if it has any.
func (p ACLPlan) topics() []string {
	if p.Transport == TransportRPC {
		return nil
	}
	return []string{
		cmp.Or(p.Topics.Dynamic, topicstore.DefaultDynamicTopic),
		cmp.Or(p.Topics.Clients, topicstore.DefaultClientsTopic),
	}
}

// onTopics are the rights on the topics, if the plan has any.
func (p ACLPlan) onTopics(applications, operators []string) (out []ACL) {
	topics := p.topics()
	if topics == nil {
		return nil
	}
	names := topicstore.Names{Dynamic: topics[0], Clients: topics[1]}
	for _, r := range topicstore.Rights(names, applications, operators) {
		out = append(out, onTopic(r.Principal, r.Topic, r.Operation)...)
	}
	return out
}

func applicationACLs(principal string, plan ACLPlan) (out []ACL) {
	out = plan.onTopics([]string{principal}, nil)
	if plan.Transport != TransportTopics && plan.AuthorizeSelf {
		out = append(out, ACL{principal, kadm.OpDescribeConfigs, kmsg.ACLResourceTypeCluster, clusterName})
	}
	return out
}

func operatorACLs(principal string, plan ACLPlan) (out []ACL) {
	out = plan.onTopics(nil, []string{principal})
	resources := plan.Resources
	if plan.Transport != TransportTopics {
		resources = append(slices.Clip(resources), kcfg.ClientResource(kcfg.Entity{}))
	}
	for _, r := range resources {
		typ, name := kmsg.ACLResourceTypeCluster, clusterName
		switch r.Type() {
		case kcfg.ResourceUnknown: // none
			continue
		case kcfg.ResourceTopic:
			typ, name = kmsg.ACLResourceTypeTopic, r.Name()
		case kcfg.ResourceGroup:
			typ, name = kmsg.ACLResourceTypeGroup, r.Name()
		case kcfg.ResourceClient:
			if plan.Transport == TransportTopics {
				continue // the topics are all it takes
			}
		}
		out = append(out, ACL{principal, kadm.OpDescribeConfigs, typ, name}, ACL{principal, kadm.OpAlterConfigs, typ, name})
	}
	return out
}

func onTopic(principal, topic string, ops ...kadm.ACLOperation) (out []ACL) {
	for _, op := range ops {
		out = append(out, ACL{principal, op, kmsg.ACLResourceTypeTopic, topic})
	}
	return out
}

// Builder returns what kadm's CreateACLs takes to create the ACL, for all hosts.
func (a ACL) Builder() *kadm.ACLBuilder {
	b := kadm.NewACLs().ResourcePatternType(kadm.ACLPatternLiteral).Operations(a.Operation).Allow(a.Principal).AllowHosts("*")
	switch a.Type {
	case kmsg.ACLResourceTypeTopic:
		return b.Topics(a.Name)
	case kmsg.ACLResourceTypeGroup:
		return b.Groups(a.Name)
	}
	return b.Clusters()
}

// Command returns what an operator types to create the ACL with Kafka's own tool.
// BROKERS stands for the brokers.
func (a ACL) Command() string {
	on := "--cluster"
	switch a.Type {
	case kmsg.ACLResourceTypeTopic:
		on = "--topic " + topicstore.Quote(a.Name)
	case kmsg.ACLResourceTypeGroup:
		on = "--group " + topicstore.Quote(a.Name)
	}
	return "kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal " + topicstore.Quote(a.Principal) +
		" --operation " + operationName(a.Operation) + " " + on
}

// String is Command.
func (a ACL) String() string { return a.Command() }

// operationName is how Kafka's tool names an operation.
func operationName(op kadm.ACLOperation) string {
	switch op {
	case kadm.OpRead:
		return "Read"
	case kadm.OpWrite:
		return "Write"
	case kadm.OpCreate:
		return "Create"
	case kadm.OpDescribeConfigs:
		return "DescribeConfigs"
	case kadm.OpAlterConfigs:
		return "AlterConfigs"
	}
	return op.String()
}
