package cli

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/entityargs"
)

// describeResources tells the configurations of resources, sorted. Its own error is
// that of finding out which there are.
func (s session) describeResources(ctx context.Context, t entityargs.Target, all bool) (told, error) {
	resources, err := s.resources(ctx, t)
	if err != nil {
		return told{}, err
	}
	got, _ := s.admin.DescribeConfigs(ctx, resources...) // its error is that of each resource too
	out := told{Entities: []settings{}}
	for _, r := range got {
		if r.Err != nil {
			out.failed("DescribeConfigs of "+r.Resource.String(), r.Err)
			continue
		}
		one := settings{Entity: []kcfg.EntityPart{entityargs.PartOf(r.Resource)}, Configs: []setting{}}
		for _, e := range r.Entries {
			if all || !e.Default {
				one.Configs = append(one.Configs, settingOf(e))
			}
		}
		out.Entities = append(out.Entities, one)
	}
	return out, nil
}

// resources are those that the target is about, sorted.
func (s session) resources(ctx context.Context, t entityargs.Target) ([]kcfg.Resource, error) {
	if r := t.Resource(); !r.IsZero() {
		return []kcfg.Resource{r}, nil
	}
	var names []string
	var err error
	of := kcfg.TopicResource
	switch t.Head().Type {
	case entityargs.Topics:
		names, err = s.topicNames(ctx)
	case entityargs.Brokers:
		return s.brokers(ctx)
	case entityargs.Groups:
		names, err = s.groupNames(ctx)
		of = kcfg.GroupResource
	case entityargs.ClientMetrics:
		names, err = s.named(ctx, kmsg.ConfigResourceTypeClientMetrics)
		of = kcfg.ClientMetricsResource
	}
	slices.Sort(names)
	out := make([]kcfg.Resource, 0, len(names))
	for _, name := range slices.Compact(names) {
		out = append(out, of(name))
	}
	return out, err
}

func (s session) topicNames(ctx context.Context) ([]string, error) {
	got, err := s.kadm.ListTopicsWithInternal(ctx)
	return got.Names(), err
}

// brokers are all brokers, and what is set for all of them.
func (s session) brokers(ctx context.Context) ([]kcfg.Resource, error) {
	got, err := s.kadm.BrokerMetadata(ctx)
	if err != nil {
		return nil, err
	}
	ids := got.Brokers.NodeIDs()
	slices.Sort(ids)
	out := []kcfg.Resource{kcfg.ClusterResource()}
	for _, id := range ids {
		out = append(out, kcfg.ResourceOf(kcfg.ResourceBroker, strconv.Itoa(int(id))))
	}
	return out, nil
}

// groupNames are the groups that there are, and those for which something is set.
// Brokers before Kafka 4.1 cannot tell the latter (KIP-1142).
func (s session) groupNames(ctx context.Context) ([]string, error) {
	groups, err := s.kadm.ListGroups(ctx)
	if err != nil {
		return nil, brokerError(err, "", "Describe")
	}
	configured, err := s.named(ctx, kmsg.ConfigResourceTypeGroupConfig)
	if err != nil {
		configured = nil
	}
	return append(groups.Groups(), configured...), nil
}

// named are the resources of a type that have configurations.
func (s session) named(ctx context.Context, kind kmsg.ConfigResourceType) ([]string, error) {
	req := kmsg.NewPtrListConfigResourcesRequest()
	req.ResourceTypes = []int8{int8(kind)}
	resp, err := req.RequestWith(ctx, s.cl.Client)
	if err != nil {
		return nil, err
	}
	if resp.ErrorCode != 0 {
		return nil, brokerError(kerr.ErrorForCode(resp.ErrorCode), "", "DescribeConfigs")
	}
	var names []string
	for _, r := range resp.ConfigResources {
		if r.Type == int8(kind) || resp.Version == 0 {
			names = append(names, r.Name)
		}
	}
	if resp.Version == 0 && kind != kmsg.ConfigResourceTypeClientMetrics {
		return nil, errors.ErrUnsupported
	}
	return names, nil
}
