package topicstore

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// topic is a topic as the cluster has it.
type topic struct {
	name    string
	cluster string
	id      [16]byte // zero on brokers before 2.8
	leaders []int32  // by partition

	replicas int16 // of the partition that has the fewest

	mayNotWrite bool // the broker says so
}

// missingTopic is the reason of a NotSetUpError for a topic that does not exist.
const missingTopic = "it does not exist"

// led reports whether every partition has a leader.
func (t topic) led() bool {
	return !slices.ContainsFunc(t.leaders, func(l int32) bool { return l < 0 })
}

// idText is a topic id as Kafka's tools write it, empty for none.
func (t topic) idText() string {
	if t.id == [16]byte{} {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(t.id[:])
}

// look asks for a topic. The error is a *cfgerrors.NotSetUpError for one that is
// missing or has another number of partitions.
func look(ctx context.Context, cl *kgo.Client, name string) (topic, error) {
	t, err := find(ctx, cl, name)
	if err == nil && len(t.leaders) != partitions {
		err = notSetUp(name, "it has %d partitions instead of %d", len(t.leaders), partitions)
	}
	return t, err
}

// find is look for a topic of any shape.
func find(ctx context.Context, cl *kgo.Client, name string) (topic, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation, req.IncludeTopicAuthorizedOperations = false, true
	rt := kmsg.NewMetadataRequestTopic()
	rt.Topic = &name
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return topic{}, fmt.Errorf("topicstore: Metadata: %w", err)
	}
	if len(resp.Topics) != 1 || resp.ClusterID == nil {
		return topic{}, fmt.Errorf("topicstore: Metadata: %w", errBadAnswer)
	}
	got := resp.Topics[0]
	switch got.ErrorCode {
	case 0:
	case kerr.UnknownTopicOrPartition.Code:
		return topic{cluster: *resp.ClusterID}, &cfgerrors.NotSetUpError{Topic: name, Reason: missingTopic, Missing: true}
	default:
		return topic{}, refused("Metadata", name, got.ErrorCode)
	}
	t := topic{name: name, cluster: *resp.ClusterID, id: got.TopicID, leaders: make([]int32, len(got.Partitions))}
	t.mayNotWrite = mayNot(got.AuthorizedOperations, kmsg.ACLOperationWrite)
	for _, p := range got.Partitions {
		if p.Partition < 0 || int(p.Partition) >= len(t.leaders) {
			return topic{}, fmt.Errorf("topicstore: Metadata: %w", errBadAnswer)
		}
		t.leaders[p.Partition] = p.Leader
		if n := int16(len(p.Replicas)); t.replicas == 0 || n < t.replicas {
			t.replicas = n
		}
	}
	return t, nil
}

// lookToWrite is look for one who is about to write, which the cluster may tell in
// advance that he may not.
func lookToWrite(ctx context.Context, cl *kgo.Client, name string) (topic, error) {
	t, err := look(ctx, cl, name)
	if err == nil && t.mayNotWrite {
		err = refused("Produce", name, kerr.TopicAuthorizationFailed.Code)
	}
	return t, err
}

// mayNot reports whether the rights that a broker told do not have one. A broker
// that does not tell, or has no authorizer, says nothing.
func mayNot(rights int32, op kmsg.ACLOperation) bool {
	return rights != math.MinInt32 && rights&(1<<op) == 0
}

func notSetUp(name, reason string, args ...any) error {
	return &cfgerrors.NotSetUpError{Topic: name, Reason: fmt.Sprintf(reason, args...)}
}

// refused is the error of a code that is about a topic.
func refused(request, name string, code int16) error {
	if err := cfgerrors.FromCode(code, ""); err != nil {
		on := "topic " + strconv.QuoteToASCII(name)
		if operations[request] == "Alter" {
			on = "cluster"
		}
		err = cfgerrors.WithOperation(err, operations[request], on)
		return fmt.Errorf("topicstore: %s of topic %s: %w", request, name, err)
	}
	return nil
}

// operations are what requests need.
var operations = map[string]string{
	"Fetch": "Read", "ListOffsets": "Describe", "Produce": "Write", "Metadata": "Describe",
	"CreateTopics": "Create", "CreateAcls": "Alter",
	"DescribeConfigs": "DescribeConfigs", "IncrementalAlterConfigs": "AlterConfigs",
}
