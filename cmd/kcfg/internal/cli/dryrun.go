package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/fleet"
)

// rehearsed is what an alteration would do.
type rehearsed struct {
	Entity  []kcfg.EntityPart `json:"entity"`
	DryRun  bool              `json:"dryRun"`
	Changes []foreseen        `json:"changes"`
	// Clients are those that dynamic client configurations would reach, by what they
	// claim; null where that cannot be known.
	Clients        []fleet.Prospect `json:"clients"`
	ClientsUnknown string           `json:"clientsUnknown,omitempty"`
	Errors         []apiError       `json:"errors,omitempty"`
}

// foreseen is a change of a key before it is made. Now and Then are null where nothing
// is set, or where it is not known.
type foreseen struct {
	change
	Now  *string `json:"now"`
	Then *string `json:"then"`
}

const (
	wouldBeDone = "would be done"
	wouldFail   = "would fail"
)

// rehearse has everything checked, changes nothing, and shows what would be done.
func (j *alteration) rehearse(ctx context.Context, s session) error {
	out := rehearsed{Entity: j.t.Parts(), DryRun: true, Changes: []foreseen{}}
	now, readErr := j.now(ctx, s, &out)
	steps := j.apply(ctx, s, true)
	for _, one := range steps {
		for _, op := range one.ops {
			f := foreseen{change: change{API: one.api, Key: op.Key, Op: op.Kind.String(), Outcome: wouldBeDone}}
			if one.err != nil {
				f.Outcome, f.Error = wouldFail, one.err.Error()
			}
			f.Now, f.Then = nowAndThen(now, op)
			out.Changes = append(out.Changes, f)
		}
	}
	if len(j.plan.Dynamic) > 0 {
		if err := j.foresee(ctx, s, &out); err != nil {
			return err
		}
	}
	if err := j.printRehearsed(out); err != nil {
		return err
	}
	failed := stepsError(steps)
	if readErr != nil && code(readErr) != code(failed) {
		readErr = partly(readErr) // the rest is known, or failed of something else
	}
	return errors.Join(failed, readErr)
}

// now is what is set for the target, as far as it can be read.
func (j *alteration) now(ctx context.Context, s session, out *rehearsed) (*settings, error) {
	var got told
	if j.plan.Resource.IsZero() {
		got, _ = s.describeClients(ctx, j.t)
		got.Errors = j.relevant(got.Errors)
	} else {
		got = s.describeResources(ctx, j.t, true)
	}
	out.Errors = got.Errors
	now := &settings{}
	if len(got.Entities) > 0 {
		now = &got.Entities[0]
	}
	if err := got.err(false); err != nil {
		return now, fmt.Errorf("what is set now is not known: %w", err)
	}
	return now, nil
}

// relevant leaves out what an API cannot tell that is not to be altered.
func (j *alteration) relevant(errs []apiError) (out []apiError) {
	for _, e := range errs {
		if e.API == "DescribeClientConfigs" && len(j.plan.Dynamic) == 0 || e.API == "DescribeClientQuotas" && len(j.plan.Quotas) == 0 {
			continue
		}
		out = append(out, e)
	}
	return out
}

// foresee tells which clients dynamic configurations would reach. That it cannot be
// known is an answer, and no failure.
func (j *alteration) foresee(ctx context.Context, s session, out *rehearsed) error {
	prospects, err := j.prospects(ctx, s)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		out.ClientsUnknown = err.Error()
		return nil //nolint:nilerr // see above
	}
	out.Clients = append([]fleet.Prospect{}, prospects...)
	return nil
}

func (j *alteration) prospects(ctx context.Context, s session) ([]fleet.Prospect, error) {
	topics, err := j.a.overTopics(ctx, s)
	if err != nil {
		return nil, err
	}
	if !topics {
		return nil, errNoRecords
	}
	records, err := j.a.alive(ctx, s)
	if err != nil {
		return nil, err
	}
	described, err := j.described(ctx, s)
	if err != nil {
		return nil, err
	}
	out := fleet.Prospects(records, described, kcfg.Alter(j.plan.Entity, j.plan.Dynamic...))
	for i, p := range out {
		out[i].Wished, out[i].Own, out[i].InForce = shown(p.Key, p.Wished), shown(p.Key, p.Own), shown(p.Key, p.InForce)
	}
	return out, nil
}

// described is what is set for the user of the alteration and its client ids.
func (j *alteration) described(ctx context.Context, s session) ([]kcfg.Described, error) {
	user, _ := j.plan.Entity.UserName()
	return s.admin.DescribeClientConfigs(ctx, kcfg.FilterUser(*user))
}

// keys are those of dynamic client configurations that are altered.
func (j *alteration) keys() []string {
	var out []string
	for _, op := range j.plan.Dynamic {
		out = append(out, op.Key)
	}
	return out
}
