package client

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// outcome is what a broker answered about one resource.
type outcome struct {
	resource kcfg.Resource
	code     int16
	message  *string
}

// outcomesOf are the outcomes in an answer.
func outcomesOf(resp kmsg.Response) []outcome {
	var out []outcome
	add := func(t kmsg.ConfigResourceType, name string, code int16, message *string) {
		out = append(out, outcome{kcfg.ResourceOf(kcfg.ResourceType(t), name), code, message})
	}
	switch resp := resp.(type) {
	case *kmsg.IncrementalAlterConfigsResponse:
		for _, r := range resp.Resources {
			add(r.ResourceType, r.ResourceName, r.ErrorCode, r.ErrorMessage)
		}
	case *kmsg.AlterConfigsResponse:
		for _, r := range resp.Resources {
			add(r.ResourceType, r.ResourceName, r.ErrorCode, r.ErrorMessage)
		}
	}
	return out
}

// valuesOf are the values that errors must not show.
func valuesOf(ops []kcfg.ConfigOp) []string {
	var out []string
	for _, op := range ops {
		if op.Kind != kcfg.OpDelete {
			out = append(out, op.Value)
		}
	}
	return out
}

// readOnly makes a *cfgerrors.ReadOnlyConfigError of a refusal, if one of the keys
// is read-only. Kafka has no code for that, and texts are no interface: so it looks
// at the keys. Where it may not, the refusal stays what it is.
func (a *Admin) readOnly(ctx context.Context, alteration kcfg.ConfigAlteration, refused error) error {
	if !errors.Is(refused, kerr.InvalidRequest) && !errors.Is(refused, kerr.InvalidConfig) {
		return refused
	}
	look, ok := a.describable(ctx, alteration.Resource)
	if !ok {
		return refused
	}
	var keys []string
	for _, op := range alteration.Ops {
		keys = append(keys, op.Key)
	}
	told := a.describeKafka(ctx, keys, look)[look]
	var fixed []string
	for _, key := range keys {
		if e, ok := told.Get(key); ok && e.ReadOnly {
			fixed = append(fixed, key)
		}
	}
	if len(fixed) == 0 {
		return refused
	}
	return &cfgerrors.ReadOnlyConfigError{Resource: alteration.Resource.String(), Keys: fixed, Err: refused}
}

// describable returns a resource whose description tells what is read-only in
// another one. That of the cluster has only what is set there; any broker has all.
func (a *Admin) describable(ctx context.Context, r kcfg.Resource) (kcfg.Resource, bool) {
	if r != kcfg.ClusterResource() {
		return r, true
	}
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // null would be all of them
	resp, err := req.RequestWith(ctx, a.cl)
	if err != nil || len(resp.Brokers) == 0 {
		return kcfg.Resource{}, false
	}
	return kcfg.BrokerResource(resp.Brokers[0].NodeID), true
}
