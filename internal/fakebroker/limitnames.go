package fakebroker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/internal/identifier"
)

// The types of coordinators.
const (
	coordinatorGroup = 0
	coordinatorTxn   = 1
)

type nameFunc func(identifier.Type, string)

func (f nameFunc) orNull(t identifier.Type, name *string) {
	if name != nil {
		f(t, *name)
	}
}

// eachName calls f with the names of a request that have a limit. Ids of members are
// among them only where clients make them: those that brokers make are longer. Topics
// that are told by their id have no name.
func eachName(req kmsg.Request, f nameFunc) {
	switch r := req.(type) {
	case *kmsg.ProduceRequest:
		f.orNull(identifier.TransactionalID, r.TransactionID)
		for i := range r.Topics {
			f(identifier.Topic, r.Topics[i].Topic)
		}
	case *kmsg.FetchRequest:
		f(identifier.Rack, r.Rack)
	case *kmsg.InitProducerIDRequest:
		f.orNull(identifier.TransactionalID, r.TransactionalID)
	case *kmsg.AddPartitionsToTxnRequest:
		f(identifier.TransactionalID, r.TransactionalID)
		for i := range r.Topics {
			f(identifier.Topic, r.Topics[i].Topic)
		}
		for i := range r.Transactions {
			f(identifier.TransactionalID, r.Transactions[i].TransactionalID)
			for j := range r.Transactions[i].Topics {
				f(identifier.Topic, r.Transactions[i].Topics[j].Topic)
			}
		}
	case *kmsg.FindCoordinatorRequest:
		for _, key := range append([]string{r.CoordinatorKey}, r.CoordinatorKeys...) {
			switch r.CoordinatorType {
			case coordinatorGroup:
				f(identifier.Group, key)
			case coordinatorTxn:
				f(identifier.TransactionalID, key)
			}
		}
	default:
		groupNames(req, f)
		adminNames(req, f)
	}
}

// groupNames is eachName for requests of members.
func groupNames(req kmsg.Request, f nameFunc) {
	switch r := req.(type) {
	case *kmsg.JoinGroupRequest:
		f(identifier.Group, r.Group)
		f.orNull(identifier.GroupInstance, r.InstanceID)
	case *kmsg.SyncGroupRequest:
		f(identifier.Group, r.Group)
		f.orNull(identifier.GroupInstance, r.InstanceID)
	case *kmsg.HeartbeatRequest:
		f(identifier.Group, r.Group)
		f.orNull(identifier.GroupInstance, r.InstanceID)
	case *kmsg.LeaveGroupRequest:
		f(identifier.Group, r.Group)
		for i := range r.Members {
			f.orNull(identifier.GroupInstance, r.Members[i].InstanceID)
		}
	case *kmsg.ConsumerGroupHeartbeatRequest:
		f(identifier.Group, r.Group)
		if r.Version >= 1 { // before that, brokers make them
			f(identifier.Member, r.MemberID)
		}
		f.orNull(identifier.GroupInstance, r.InstanceID)
		f.orNull(identifier.Rack, r.RackID)
		for _, topic := range r.SubscribedTopicNames {
			f(identifier.Topic, topic)
		}
	case *kmsg.ShareGroupHeartbeatRequest:
		f(identifier.Group, r.GroupID)
		f(identifier.Member, r.MemberID)
		f.orNull(identifier.Rack, r.RackID)
		for _, topic := range r.SubscribedTopicNames {
			f(identifier.Topic, topic)
		}
	default:
		offsetNames(req, f)
	}
}

// offsetNames is eachName for requests about offsets.
func offsetNames(req kmsg.Request, f nameFunc) {
	switch r := req.(type) {
	case *kmsg.OffsetCommitRequest:
		f(identifier.Group, r.Group)
		f.orNull(identifier.GroupInstance, r.InstanceID)
		for i := range r.Topics {
			f(identifier.Topic, r.Topics[i].Topic)
			for j := range r.Topics[i].Partitions {
				f.orNull(identifier.OffsetMetadata, r.Topics[i].Partitions[j].Metadata)
			}
		}
	case *kmsg.TxnOffsetCommitRequest:
		f(identifier.TransactionalID, r.TransactionalID)
		f(identifier.Group, r.Group)
		f.orNull(identifier.GroupInstance, r.InstanceID)
		for i := range r.Topics {
			f(identifier.Topic, r.Topics[i].Topic)
			for j := range r.Topics[i].Partitions {
				f.orNull(identifier.OffsetMetadata, r.Topics[i].Partitions[j].Metadata)
			}
		}
	case *kmsg.OffsetFetchRequest:
		f(identifier.Group, r.Group)
		for i := range r.Topics {
			f(identifier.Topic, r.Topics[i].Topic)
		}
		for i := range r.Groups {
			f(identifier.Group, r.Groups[i].Group)
			for j := range r.Groups[i].Topics {
				f(identifier.Topic, r.Groups[i].Topics[j].Topic)
			}
		}
	}
}

// adminNames is eachName for requests of admins.
func adminNames(req kmsg.Request, f nameFunc) {
	switch r := req.(type) {
	case *kmsg.DescribeConfigsRequest:
		for i := range r.Resources {
			f(identifier.ConfigResource, r.Resources[i].ResourceName)
		}
	case *kmsg.AlterConfigsRequest:
		for i := range r.Resources {
			f(identifier.ConfigResource, r.Resources[i].ResourceName)
		}
	case *kmsg.IncrementalAlterConfigsRequest:
		for i := range r.Resources {
			f(identifier.ConfigResource, r.Resources[i].ResourceName)
		}
	case *kmsg.DescribeACLsRequest:
		f.orNull(identifier.ACLResource, r.ResourceName)
		f.orNull(identifier.ACLPrincipal, r.Principal)
		f.orNull(identifier.ACLHost, r.Host)
	case *kmsg.CreateACLsRequest:
		for i := range r.Creations {
			f(identifier.ACLResource, r.Creations[i].ResourceName)
			f(identifier.ACLPrincipal, r.Creations[i].Principal)
			f(identifier.ACLHost, r.Creations[i].Host)
		}
	case *kmsg.DeleteACLsRequest:
		for i := range r.Filters {
			f.orNull(identifier.ACLResource, r.Filters[i].ResourceName)
			f.orNull(identifier.ACLPrincipal, r.Filters[i].Principal)
			f.orNull(identifier.ACLHost, r.Filters[i].Host)
		}
	}
}
