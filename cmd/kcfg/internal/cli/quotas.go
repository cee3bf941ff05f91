package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/entityargs"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// brokerError makes one of our errors of a broker's error code, so that all APIs fail alike.
func brokerError(err error, message, operation string) error {
	if code, ok := errors.AsType[*kerr.Error](err); ok {
		return cfgerrors.WithOperation(cfgerrors.FromCode(code.Code, message), operation, "cluster")
	}
	return err
}

// quotas returns the quotas of the entities that the target is about.
func (s session) quotas(ctx context.Context, t entityargs.Target) ([]settings, error) {
	var ask []kadm.DescribeClientQuotaComponent
	for _, p := range t {
		if !p.Named {
			continue // what is of the type is picked out below: brokers differ in what "any" is
		}
		c := kadm.DescribeClientQuotaComponent{Type: quotaType(p.Type), MatchName: p.Name}
		if p.Name == nil {
			c.MatchType = kmsg.QuotasMatchTypeDefault
		}
		ask = append(ask, c)
	}
	got, err := s.kadm.DescribeClientQuotas(ctx, false, ask)
	if err != nil {
		return nil, brokerError(err, "", "DescribeConfigs")
	}
	var out []settings
	for _, q := range got {
		one := settings{}
		for _, c := range q.Entity {
			one.Entity = append(one.Entity, kcfg.EntityPart{Type: c.Type, Name: c.Name})
		}
		slices.SortFunc(one.Entity, func(a, b kcfg.EntityPart) int { return strings.Compare(b.Type, a.Type) })
		if !t.Matches(one.Entity) {
			continue
		}
		for _, v := range q.Values {
			one.Configs = append(one.Configs, setting{Key: v.Key, Value: new(entityargs.Number(v.Value)), Kind: kindQuota})
		}
		out = append(out, one)
	}
	return out, nil
}

// quotaType is how the protocol of quotas names a type of ours.
func quotaType(kind string) string {
	one := ""
	return entityargs.Target{{Type: kind, Named: true, Name: &one}}.Parts()[0].Type
}

// alterQuotas makes changes of quotas, or has them validated only.
func (s session) alterQuotas(ctx context.Context, validate bool, t entityargs.Target, quotas []entityargs.Quota) error {
	var e kadm.AlterClientQuotaEntry
	for _, p := range t.Parts() {
		e.Entity = append(e.Entity, kadm.ClientQuotaEntityComponent{Type: p.Type, Name: p.Name})
	}
	for _, q := range quotas {
		e.Ops = append(e.Ops, kadm.AlterClientQuotaOp{Key: q.Key, Value: q.Value, Remove: q.Remove})
	}
	call := s.kadm.AlterClientQuotas
	if validate {
		call = s.kadm.ValidateAlterClientQuotas
	}
	got, err := call(ctx, []kadm.AlterClientQuotaEntry{e})
	switch {
	case err != nil:
		return brokerError(err, "", "AlterConfigs")
	case len(got) != 1:
		return errors.New("the broker's answer has no outcome for the entity")
	case got[0].Err != nil:
		return brokerError(got[0].Err, got[0].ErrMessage, "AlterConfigs")
	}
	return nil
}
