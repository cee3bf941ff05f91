package client

import (
	"context"
	"maps"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// AlterConfigs makes alterations, each as a whole or not at all, and returns the
// outcome of each in their order. They are not made together: one that is refused
// does not stop the rest. The returned error is about the call as a whole, such as
// the end of its context, and then it is the error of what may or may not have been
// made too. See AlterResults.Err for all of them in one.
//
// Keys that no operation names keep what they have. A resource that comes twice is
// altered by neither (cfgerrors.ErrDuplicateResource). A configuration that is
// read-only makes a *cfgerrors.ReadOnlyConfigError of its resource.
//
// It needs AlterConfigs on the topic or the group; on the cluster for brokers,
// client metrics and client resources. Those of a ClientResource are made by
// AlterClientConfigs, and need what that needs.
func (a *Admin) AlterConfigs(ctx context.Context, alterations ...kcfg.ConfigAlteration) (kcfg.AlterResults, error) {
	return a.alterConfigs(ctx, alterMode{}, alterations)
}

// ValidateAlterConfigs is AlterConfigs with every check of the cluster, its policy
// and that of the Admin among them, and no change.
func (a *Admin) ValidateAlterConfigs(ctx context.Context, alterations ...kcfg.ConfigAlteration) (kcfg.AlterResults, error) {
	return a.alterConfigs(ctx, alterMode{validateOnly: true}, alterations)
}

// ReplaceAllConfigs is not what you want in most cases: it removes every
// configuration of the resources that is not set by the call, those that somebody
// else set too, and with them a broker's secrets, which nobody can read back.
// Use AlterConfigs.
//
// It is Kafka's older AlterConfigs request, for topics and brokers, and takes
// nothing but kcfg.SetConfig.
func (a *Admin) ReplaceAllConfigs(ctx context.Context, alterations ...kcfg.ConfigAlteration) (kcfg.AlterResults, error) {
	return a.alterConfigs(ctx, alterMode{replaceAll: true}, alterations)
}

// ValidateReplaceAllConfigs is ReplaceAllConfigs with every check and no change.
func (a *Admin) ValidateReplaceAllConfigs(ctx context.Context, alterations ...kcfg.ConfigAlteration) (kcfg.AlterResults, error) {
	return a.alterConfigs(ctx, alterMode{validateOnly: true, replaceAll: true}, alterations)
}

// alterMode is which of the calls it is.
type alterMode struct{ validateOnly, replaceAll bool }

func (m alterMode) request() string {
	if m.replaceAll {
		return "AlterConfigs"
	}
	return "IncrementalAlterConfigs"
}

func (a *Admin) alterConfigs(ctx context.Context, how alterMode, alterations []kcfg.ConfigAlteration) (kcfg.AlterResults, error) {
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	resources := make([]kcfg.Resource, len(alterations))
	for i, one := range alterations {
		resources[i] = one.Resource
	}
	out := make(kcfg.AlterResults, len(alterations))
	var kafka, clients []kcfg.ConfigAlteration
	for i, one := range alterations {
		r := one.Resource
		err := a.checkResource(r, count(resources, r))
		if err == nil {
			err = checkOps(r, one.Ops, how)
		}
		switch {
		case err != nil:
		case r.Type() == kcfg.ResourceClient:
			clients = append(clients, one)
		default:
			if err = a.refusal(ctx, one, how); err == nil {
				kafka = append(kafka, one)
			}
		}
		out[i] = kcfg.AlteredConfigs{Resource: r, Err: err}
	}
	// Together: a broker that does not answer takes all the time of a call. The policy
	// is asked on the caller's goroutine, where a panic of it belongs.
	var results map[kcfg.Resource]error
	var rest sync.WaitGroup
	rest.Go(func() { results = a.alterKafka(ctx, how, kafka) })
	ofClients := make(map[kcfg.Resource]error, len(clients))
	a.alterClients(ctx, how, clients, ofClients)
	rest.Wait()
	maps.Copy(results, ofClients)
	for i, r := range resources {
		if out[i].Err == nil {
			out[i].Err = results[r]
		}
	}
	return out, a.ended(ctx, out.Err())
}

// alterClients makes alterations of client resources, and adds their outcomes.
func (a *Admin) alterClients(ctx context.Context, how alterMode, alterations []kcfg.ConfigAlteration, results map[kcfg.Resource]error) {
	if len(alterations) == 0 {
		return
	}
	var all []kcfg.Alteration
	for _, one := range alterations {
		alteration := kcfg.Alteration{Entity: one.Resource.Entity()}
		for _, op := range one.Ops {
			if op.Kind == kcfg.OpDelete {
				alteration.Ops = append(alteration.Ops, kcfg.Remove(op.Key))
			} else {
				alteration.Ops = append(alteration.Ops, kcfg.Set(op.Key, op.Value))
			}
		}
		all = append(all, alteration)
		results[one.Resource] = errNoOutcome
	}
	call := a.AlterClientConfigs
	if how.validateOnly {
		call = a.ValidateAlterClientConfigs
	}
	got, _ := call(ctx, all...) // its error is that of the outcomes too
	for _, o := range got {
		results[kcfg.ClientResource(o.Entity)] = o.Err
	}
}

// alterKafka alters Kafka's own resources, each of which comes once, and returns
// the outcomes. kgo sends each broker its own.
func (a *Admin) alterKafka(ctx context.Context, how alterMode, alterations []kcfg.ConfigAlteration) map[kcfg.Resource]error {
	out := make(map[kcfg.Resource]error, len(alterations))
	if len(alterations) == 0 {
		return out
	}
	by := make(map[kcfg.Resource]kcfg.ConfigAlteration, len(alterations))
	for _, one := range alterations {
		by[one.Resource], out[one.Resource] = one, errNoOutcome
	}
	seen := make(map[kcfg.Resource]bool)
	for _, shard := range a.cl.RequestSharded(ctx, alterRequest(how, alterations)) {
		if shard.Err != nil {
			for _, r := range resourcesOf(shard.Req) {
				out[r] = sendError(ctx, how.request(), shard)
			}
			continue
		}
		for _, o := range outcomesOf(shard.Resp) {
			one, asked := by[o.resource]
			if !asked || seen[o.resource] && out[o.resource] != nil {
				continue // of several for one resource an error counts
			}
			seen[o.resource] = true
			err := cfgerrors.FromCode(o.code, text(o.message), valuesOf(one.Ops)...)
			err = IdentifierError(err, IdentifierConfigResource, o.resource.Name())
			out[o.resource] = cfgerrors.WithOperation(err, "AlterConfigs", rightsOn(o.resource))
		}
	}
	for r, err := range out {
		out[r] = a.readOnly(ctx, by[r], err)
	}
	return out
}

// alterRequest is the request that makes alterations.
func alterRequest(how alterMode, alterations []kcfg.ConfigAlteration) kmsg.Request {
	if how.replaceAll {
		req := kmsg.NewPtrAlterConfigsRequest()
		req.ValidateOnly = how.validateOnly
		for _, one := range alterations {
			r := kmsg.NewAlterConfigsRequestResource()
			r.ResourceType, r.ResourceName = kmsg.ConfigResourceType(one.Resource.Type()), one.Resource.Name()
			for _, op := range one.Ops {
				c := kmsg.NewAlterConfigsRequestResourceConfig()
				c.Name, c.Value = op.Key, new(op.Value)
				r.Configs = append(r.Configs, c)
			}
			req.Resources = append(req.Resources, r)
		}
		return req
	}
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.ValidateOnly = how.validateOnly
	for _, one := range alterations {
		r := kmsg.NewIncrementalAlterConfigsRequestResource()
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceType(one.Resource.Type()), one.Resource.Name()
		for _, op := range one.Ops {
			c := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
			c.Name, c.Op = op.Key, kmsg.IncrementalAlterConfigOp(op.Kind)
			if op.Kind != kcfg.OpDelete {
				c.Value = new(op.Value)
			}
			r.Configs = append(r.Configs, c)
		}
		req.Resources = append(req.Resources, r)
	}
	return req
}
