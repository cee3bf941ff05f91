package cli

import (
	"context"
	"errors"
	"sync"

	"github.com/kcfg-go/kcfg"
)

// The APIs that alter.
const (
	apiDynamic = "AlterClientConfigs" // KIP-649
	apiQuotas  = "AlterClientQuotas"
	apiConfigs = "IncrementalAlterConfigs"
)

// step is what one API was asked to do, and why it failed, if it did. It is done as a
// whole or not at all.
type step struct {
	api string
	ops []kcfg.ConfigOp
	err error
}

var errNoOutcome = errors.New("the answer has no outcome for it")

// apply does all steps of the plan, or has them validated only. One that fails does not
// stop the others, nor does one that takes long.
func (j *alteration) apply(ctx context.Context, s session, validate bool) []step {
	var steps []*step
	var all sync.WaitGroup
	add := func(api string, ops []kcfg.ConfigOp, do func() error) {
		if len(ops) == 0 {
			return
		}
		one := &step{api: api, ops: ops}
		steps = append(steps, one)
		all.Go(func() { one.err = do() })
	}
	add(apiDynamic, j.dynamicOps(), func() error { return j.alterDynamic(ctx, s, validate) })
	add(apiQuotas, j.quotaOps(), func() error { return s.alterQuotas(ctx, validate, j.t, j.plan.Quotas) })
	add(apiConfigs, j.plan.Configs, func() error { return j.alterConfigs(ctx, s, validate) })
	all.Wait()
	out := make([]step, 0, len(steps))
	for _, one := range steps {
		out = append(out, *one)
	}
	return out
}

func (j *alteration) alterDynamic(ctx context.Context, s session, validate bool) error {
	call := s.admin.AlterClientConfigs
	if validate {
		call = s.admin.ValidateAlterClientConfigs
	}
	got, err := call(ctx, kcfg.Alter(j.plan.Entity, j.plan.Dynamic...))
	switch {
	case err != nil:
		return err
	case len(got) != 1:
		return errNoOutcome
	}
	return got[0].Err
}

func (j *alteration) alterConfigs(ctx context.Context, s session, validate bool) error {
	call := s.admin.AlterConfigs
	if validate {
		call = s.admin.ValidateAlterConfigs
	}
	got, err := call(ctx, kcfg.AlterConfig(j.plan.Resource, j.plan.Configs...))
	switch {
	case err != nil:
		return err
	case len(got) != 1:
		return errNoOutcome
	}
	return got[0].Err
}

// dynamicOps and quotaOps are the changes in one form, to be shown.
func (j *alteration) dynamicOps() []kcfg.ConfigOp {
	var out []kcfg.ConfigOp
	for _, op := range j.plan.Dynamic {
		out = append(out, opOf(op.Key, op.Value, op.Remove))
	}
	return out
}

func (j *alteration) quotaOps() []kcfg.ConfigOp {
	var out []kcfg.ConfigOp
	for _, q := range j.plan.Quotas {
		out = append(out, opOf(q.Key, q.Text(), q.Remove))
	}
	return out
}

func opOf(key, value string, remove bool) kcfg.ConfigOp {
	if remove {
		return kcfg.DeleteConfig(key)
	}
	return kcfg.SetConfig(key, value)
}
