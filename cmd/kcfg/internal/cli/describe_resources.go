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

// describeResources tells the configurations of resources, sorted.
func (s session) describeResources(ctx context.Context, t entityargs.Target, all bool) told {
	out := told{Entities: []settings{}}
	got, _ := s.admin.DescribeConfigs(ctx, s.resources(ctx, t, &out)...) // its error is that of each resource too
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
	return out
}

// resources are those that the target is about, sorted. What keeps it from finding out
// which there are is told.
func (s session) resources(ctx context.Context, t entityargs.Target, out *told) []kcfg.Resource {
	if r := t.Resource(); !r.IsZero() {
		return []kcfg.Resource{r}
	}
	switch t.Head().Type {
	case entityargs.Topics:
		return allOf(kcfg.TopicResource, s.topicNames(ctx, out))
	case entityargs.Brokers:
		return s.brokers(ctx, out)
	case entityargs.Groups:
		return allOf(kcfg.GroupResource, s.groupNames(ctx, out))
	case entityargs.ClientMetrics:
		names, err := s.named(ctx, kmsg.ConfigResourceTypeClientMetrics)
		if err != nil {
			out.failed(apiResources, err)
		}
		return allOf(kcfg.ClientMetricsResource, names)
	}
	return nil
}

// The APIs that tell which resources there are.
const (
	apiMetadata  = "Metadata"
	apiGroups    = "ListGroups"
	apiResources = "ListConfigResources"
)

func allOf(of func(string) kcfg.Resource, names []string) []kcfg.Resource {
	slices.Sort(names)
	out := make([]kcfg.Resource, 0, len(names))
	for _, name := range slices.Compact(names) {
		out = append(out, of(name))
	}
	return out
}

func (s session) topicNames(ctx context.Context, out *told) []string {
	got, err := s.kadm.ListTopicsWithInternal(ctx)
	if err != nil {
		out.failed(apiMetadata, err)
	}
	return got.Names()
}

// brokers are all brokers, and what is set for all of them.
func (s session) brokers(ctx context.Context, out *told) []kcfg.Resource {
	got, err := s.kadm.BrokerMetadata(ctx)
	if err != nil {
		out.failed(apiMetadata, err)
		return nil
	}
	ids := got.Brokers.NodeIDs()
	slices.Sort(ids)
	all := []kcfg.Resource{kcfg.ClusterResource()}
	for _, id := range ids {
		all = append(all, kcfg.ResourceOf(kcfg.ResourceBroker, strconv.Itoa(int(id))))
	}
	return all
}

// groupNames are the groups that there are, and those for which something is set.
// Brokers before Kafka 4.1 cannot tell the latter (KIP-1142), which is no failure; that
// one refuses to is.
func (s session) groupNames(ctx context.Context, out *told) []string {
	groups, err := s.kadm.ListGroups(ctx)
	if err != nil {
		out.failed(apiGroups, brokerError(err, "", "Describe"))
	}
	configured, err := s.named(ctx, kmsg.ConfigResourceTypeGroupConfig)
	if answered(err) && !errors.Is(err, errors.ErrUnsupported) || isTimeout(err) {
		out.failed(apiResources, err)
	}
	return append(groups.Groups(), configured...)
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
