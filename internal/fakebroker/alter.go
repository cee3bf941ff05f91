package fakebroker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/internal/wire"
)

// alterRPC returns the AlterClientConfigs RPC of the cluster. It is there while
// it is disabled too, so that a broker can pretend to have it.
func (c *Cluster) alterRPC() rpc {
	p := c.cfg.protocol
	return rpc{
		enabled: c.cfg.dynamic,
		request: func() kmsg.Request { return wire.NewAlterClientConfigsRequest(p) },
		serve: func(ctx context.Context, rec *Request, req kmsg.Request) reply {
			return c.alter(ctx, rec, req.(*wire.AlterClientConfigsRequest))
		},
		refuse: func(req kmsg.Request, code int16, message string) reply {
			return refuseAlter(p, req.(*wire.AlterClientConfigsRequest), code, message)
		},
		describe: func(r *Request, req kmsg.Request) {
			r.Alter = req.(*wire.AlterClientConfigsRequest)
		},
	}
}

// alterReply answers an alteration, which has an outcome for each entry and none
// for the whole.
func alterReply(p kcfg.Protocol, req *wire.AlterClientConfigsRequest, outcomes []AlterOutcome, detail string) reply {
	return reply{altered: outcomes, detail: detail, encode: func(_ int16, _ *string, throttleMillis int32) kmsg.Response {
		resp := wire.NewAlterClientConfigsResponse(p)
		resp.ThrottleMillis = throttleMillis
		for i, o := range outcomes {
			r := wire.AlterResult{ErrorCode: o.Code, Entity: req.Entries[i].Entity}
			if o.Message != "" {
				r.ErrorMessage = &o.Message
			}
			resp.Entries = append(resp.Entries, r)
		}
		return resp
	}}
}

func refuseAlter(p kcfg.Protocol, req *wire.AlterClientConfigsRequest, code int16, message string) reply {
	outcomes := make([]AlterOutcome, len(req.Entries))
	for i := range outcomes {
		outcomes[i] = AlterOutcome{code, message}
	}
	return alterReply(p, req, outcomes, "")
}

// alter serves an alteration, entry by entry: what is refused does not hold up
// the rest.
func (c *Cluster) alter(ctx context.Context, rec *Request, req *wire.AlterClientConfigsRequest) reply {
	p := c.cfg.protocol
	if !c.allowed(rec.Context, AlterConfigs) {
		return refuseAlter(p, req, kerr.ClusterAuthorizationFailed.Code, denial(AlterConfigs))
	}
	times := make(map[kcfg.Entity]int)
	for _, entry := range req.Entries {
		if e, err := kcfg.EntityFromParts(entry.Entity...); err == nil {
			times[e]++
		}
	}
	var detail string
	outcomes := make([]AlterOutcome, 0, len(req.Entries))
	for _, entry := range req.Entries {
		e, err := alterable(entry.Entity)
		switch {
		case err != nil:
			outcomes = append(outcomes, AlterOutcome{kerr.InvalidRequest.Code, err.Error()})
			continue
		case times[e] > 1:
			outcomes = append(outcomes, AlterOutcome{kerr.InvalidRequest.Code, "the entity comes more than once"})
			continue
		}
		if err := c.cfg.checkParts(entry.Entity); err != nil {
			outcomes = append(outcomes, AlterOutcome{p.ResourceIdentifierTooLargeCode, lengths(err)})
			continue
		}
		o, crash := c.alterOne(ctx, rec.Context, e, entry.Ops, req.ValidateOnly)
		outcomes = append(outcomes, o)
		detail = cmp.Or(detail, crash)
	}
	return alterReply(p, req, outcomes, detail)
}

// alterable returns an entity that can have configurations.
func alterable(parts []kcfg.EntityPart) (kcfg.Entity, error) {
	for _, part := range parts {
		if part.Name == nil {
			return kcfg.Entity{}, fmt.Errorf("the default %s has no client configurations", shown(part.Type))
		}
		if !utf8.ValidString(*part.Name) {
			return kcfg.Entity{}, fmt.Errorf("the name of entity type %s is not UTF-8", shown(part.Type))
		}
	}
	e, err := kcfg.EntityFromParts(parts...)
	if err != nil {
		return kcfg.Entity{}, err
	}
	if _, ok := e.UserName(); !ok {
		return kcfg.Entity{}, errors.New("client configurations belong to a user, or to a client id of a user")
	}
	return e, nil
}

// alterOne judges the changes to one entity and makes them. crash is what the
// policy panicked with; it is not for the client.
func (c *Cluster) alterOne(ctx context.Context, rc RequestContext, e kcfg.Entity, ops []kcfg.Op, validateOnly bool) (o AlterOutcome, crash string) {
	m := AlterMetadata{Context: rc, Resource: kcfg.ClientResource(e), ValidateOnly: validateOnly}
	seen := make(map[string]bool)
	for _, op := range ops {
		if seen[op.Key] {
			return AlterOutcome{kerr.InvalidRequest.Code, fmt.Sprintf("config %s comes twice", shown(op.Key))}, ""
		}
		seen[op.Key] = true
		if err := c.checkOp(e, op); err != nil {
			return AlterOutcome{kerr.InvalidConfig.Code, err.Error()}, ""
		}
		if op.Remove {
			m.Ops = append(m.Ops, kcfg.DeleteConfig(op.Key))
		} else {
			m.Ops = append(m.Ops, kcfg.SetConfig(op.Key, op.Value))
		}
	}
	if err := validateAlter(ctx, c.cfg.alterPolicy, m); err != nil {
		return judgeAlter(err)
	}
	if !validateOnly {
		c.store.apply(e, ops)
	}
	return AlterOutcome{}, ""
}

// checkOp refuses keys that do not exist and values that they cannot have. A key
// that does not exist can be removed only where it is set all the same: else a
// slip of an operator's would look like success.
func (c *Cluster) checkOp(e kcfg.Entity, op kcfg.Op) error {
	_, known := configdef.DynamicOf(op.Key)
	switch {
	case op.Remove && (known || op.Key == kcfg.SupportedConfigs || c.store.has(e, op.Key)):
		return nil
	case op.Key == kcfg.SupportedConfigs:
		return fmt.Errorf("config %s can only be removed", op.Key)
	case !known:
		return fmt.Errorf("config %s is no dynamic client configuration", shown(op.Key))
	}
	if configdef.ValidateDynamic(op.Key, op.Value) != nil {
		return fmt.Errorf("the value of config %s is not one that it can have", op.Key)
	}
	return nil
}

// judgeAlter turns what a policy returned into an outcome.
func judgeAlter(err error) (o AlterOutcome, crash string) {
	if p, ok := errors.AsType[*panicError](err); ok {
		return AlterOutcome{kerr.UnknownServerError.Code, "the policy failed"}, p.Error()
	}
	if refused, ok := errors.AsType[*PolicyError](err); ok {
		return AlterOutcome{cmp.Or(refused.Code, kerr.PolicyViolation.Code), refused.Message}, ""
	}
	return AlterOutcome{kerr.PolicyViolation.Code, err.Error()}, ""
}
