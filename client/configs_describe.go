package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// DescribeConfigs tells the configurations of resources, in their order. Each has
// its own error; one that cannot be described does not stop the rest. The returned
// error is about the call as a whole, such as the end of its context, and then it
// is the error of what was not described too. See DescribeResults.Err for all of
// them in one.
//
// Topics, brokers, groups and client metrics are described on any Kafka, and on any
// client. Those of a ClientResource are what DescribeClientConfigs tells of exactly
// this entity, and need what that needs.
//
// It needs DescribeConfigs on the topic or the group; on the cluster for brokers,
// client metrics and client resources.
func (a *Admin) DescribeConfigs(ctx context.Context, resources ...kcfg.Resource) (kcfg.DescribeResults, error) {
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	out := make(kcfg.DescribeResults, len(resources))
	var ask []kcfg.Resource
	for i, r := range resources {
		out[i] = kcfg.ResourceConfigs{Resource: r, Err: a.checkResource(r, count(resources, r))}
		if out[i].Err == nil && r.Type() != kcfg.ResourceClient {
			ask = append(ask, r)
		}
	}
	// Together: a broker that does not answer takes all the time of a call.
	var told map[kcfg.Resource]kcfg.ResourceConfigs
	var kafka sync.WaitGroup
	kafka.Go(func() { told = a.describeKafka(ctx, nil, ask...) })
	for i, r := range resources {
		if out[i].Err == nil && r.Type() == kcfg.ResourceClient {
			out[i].Entries, out[i].Err = a.describeClient(ctx, r.Entity())
		}
	}
	kafka.Wait()
	for i, r := range resources {
		if out[i].Err == nil && r.Type() != kcfg.ResourceClient {
			out[i] = told[r]
		}
	}
	return out, a.ended(ctx, out.Err())
}

// describeClient tells what is set for exactly one entity.
func (a *Admin) describeClient(ctx context.Context, e kcfg.Entity) ([]kcfg.ConfigEntry, error) {
	got, err := a.DescribeClientConfigs(ctx, exactly(e))
	if err != nil {
		return nil, err
	}
	var out []kcfg.ConfigEntry
	for _, d := range got {
		if d.Entity != e {
			continue
		}
		for _, v := range d.Values {
			out = append(out, kcfg.ConfigEntry{
				Key: v.Key, Value: &v.Value, Source: kcfg.SourceClient,
				Type: kcfg.ConfigType(configdef.TypeOf(v.Key) + 1), // the ordinal of ConfigDef.Type, and Kafka's number
			})
		}
	}
	return out, nil
}

// exactly is the filter that matches one entity.
func exactly(e kcfg.Entity) kcfg.Filter {
	f := kcfg.Filter{Strict: true}
	for _, p := range e.Parts() {
		c := kcfg.FilterComponent{Type: p.Type, Match: kcfg.MatchDefault}
		if p.Name != nil {
			c.Match, c.Name = kcfg.MatchExact, *p.Name
		}
		f.Components = append(f.Components, c)
	}
	return f
}

// describeKafka describes Kafka's own resources, each of which comes once; only
// these keys, or all if there are none. kgo asks each broker for its own.
func (a *Admin) describeKafka(ctx context.Context, keys []string, resources ...kcfg.Resource) map[kcfg.Resource]kcfg.ResourceConfigs {
	out := make(map[kcfg.Resource]kcfg.ResourceConfigs, len(resources))
	if len(resources) == 0 {
		return out
	}
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.IncludeSynonyms = true
	for _, r := range resources {
		one := kmsg.NewDescribeConfigsRequestResource()
		one.ResourceType, one.ResourceName, one.ConfigNames = kmsg.ConfigResourceType(r.Type()), r.Name(), keys
		req.Resources = append(req.Resources, one)
		out[r] = kcfg.ResourceConfigs{Resource: r, Err: errNoOutcome}
	}
	for _, shard := range a.cl.RequestSharded(ctx, req) {
		if shard.Err != nil {
			for _, r := range resourcesOf(shard.Req) {
				out[r] = kcfg.ResourceConfigs{Resource: r, Err: sendError(ctx, "DescribeConfigs", shard)}
			}
			continue
		}
		resp, ok := shard.Resp.(*kmsg.DescribeConfigsResponse)
		if !ok {
			continue
		}
		for _, one := range resp.Resources {
			r := kcfg.ResourceOf(kcfg.ResourceType(one.ResourceType), one.ResourceName)
			if _, asked := out[r]; asked {
				out[r] = described(r, one, resp.Version)
			}
		}
	}
	return out
}

// described makes nouns of what a broker told of a resource.
func described(r kcfg.Resource, got kmsg.DescribeConfigsResponseResource, version int16) kcfg.ResourceConfigs {
	if got.ErrorCode != 0 {
		err := IdentifierError(cfgerrors.FromCode(got.ErrorCode, text(got.ErrorMessage)), IdentifierConfigResource, r.Name())
		return kcfg.ResourceConfigs{Resource: r, Err: cfgerrors.WithOperation(err, "DescribeConfigs", rightsOn(r))}
	}
	out := kcfg.ResourceConfigs{Resource: r, Entries: make([]kcfg.ConfigEntry, 0, len(got.Configs))}
	for _, c := range got.Configs {
		// A password is sensitive, whatever the broker says.
		isSensitive := c.IsSensitive || c.ConfigType == kmsg.ConfigTypePassword
		e := kcfg.ConfigEntry{
			Key: c.Name, Type: kcfg.ConfigType(c.ConfigType), Source: kcfg.ConfigSource(c.Source),
			ReadOnly: c.ReadOnly, Sensitive: isSensitive,
			Default: c.Source == kmsg.ConfigSourceDefaultConfig,
		}
		if version == 0 { // which has no sources
			e.Source, e.Default = kcfg.SourceUnknown, c.IsDefault
		}
		// Kafka leaves out what is sensitive. Should a broker not do so, we do.
		e.Value = shownValue(c.Value, isSensitive)
		for _, s := range c.ConfigSynonyms {
			e.Synonyms = append(e.Synonyms, kcfg.ConfigSynonym{
				Key: s.Name, Value: shownValue(s.Value, isSensitive), Source: kcfg.ConfigSource(s.Source),
			})
		}
		out.Entries = append(out.Entries, e)
	}
	slices.SortFunc(out.Entries, func(x, y kcfg.ConfigEntry) int { return strings.Compare(x.Key, y.Key) })
	return out
}

func shownValue(v *string, isSensitive bool) *string {
	if isSensitive {
		return nil
	}
	return v
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// errNoOutcome is the error of a resource that an answer forgot.
var errNoOutcome = fmt.Errorf("client: no outcome for the resource: %w", transport.ErrBadAnswer)

// sendError is the error of a request that got no answer.
func sendError(ctx context.Context, request string, shard kgo.ResponseShard) error {
	switch {
	case errors.Is(shard.Err, kgo.ErrClientClosed):
		return cfgerrors.ErrClosed
	case ctx.Err() != nil:
		return ended(ctx, shard.Err)
	}
	return fmt.Errorf("client: %s: %w", request, shard.Err)
}

// ended returns why a call as a whole is over, if that is what went wrong.
func (a *Admin) ended(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case a.cl.Context().Err() != nil:
		return cfgerrors.ErrClosed
	}
	return context.Cause(ctx)
}
