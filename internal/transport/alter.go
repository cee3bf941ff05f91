package transport

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/wire"
)

var errNoEntity = errors.New("transport: an alteration without an entity")

// Outcomes is what became of alterations, in their order.
type Outcomes struct {
	Pushed
	Altered []kcfg.Altered
}

// Alter sends alterations in one request. One that cannot be sent gets its error
// and the others are sent; with none left, nothing is. Two for the same entity
// are the broker's to refuse.
//
// An error is about the request as a whole, and of the kinds that Push returns.
// What was to be sent has it as its outcome too: it may have been made or not.
func (t *RPC) Alter(ctx context.Context, validateOnly bool, alterations []kcfg.Alteration, avoid ...int32) (Outcomes, error) {
	if len(alterations) == 0 {
		return Outcomes{}, nil
	}
	req := wire.NewAlterClientConfigsRequest(t.proto)
	req.ValidateOnly = validateOnly
	out := make([]kcfg.Altered, len(alterations))
	var sent []int
	var values []string
	for i, a := range alterations {
		out[i] = kcfg.Altered{Entity: a.Entity, Err: CheckAlteration(a)}
		if out[i].Err != nil {
			continue
		}
		sent = append(sent, i)
		req.Entries = append(req.Entries, wire.AlterEntry{Entity: a.Entity.Parts(), Ops: a.Ops})
		values = append(values, valuesOf(a)...)
	}
	if len(sent) == 0 {
		return Outcomes{Altered: out}, nil
	}
	results, to, err := t.alter(ctx, req, values, avoid)
	for _, i := range sent {
		switch got, ok := results[out[i].Entity]; {
		case err != nil:
			out[i].Err = err
		case !ok:
			out[i].Err = fmt.Errorf("AlterClientConfigs: no outcome for the entity: %w", ErrBadAnswer)
		default:
			out[i].Err = got
		}
	}
	return Outcomes{to, out}, err
}

// alter returns the outcomes by entity, whatever order they came in. Of several
// for one entity an error counts.
func (t *RPC) alter(ctx context.Context, req *wire.AlterClientConfigsRequest, values []string, avoid []int32) (map[kcfg.Entity]error, Pushed, error) {
	const name = "AlterClientConfigs"
	resp, to, err := ask[*wire.AlterClientConfigsResponse](ctx, t, name, req, avoid...)
	if err != nil {
		return nil, to, err
	}
	t.throttle(resp.ThrottleMillis)
	out := make(map[kcfg.Entity]error, len(resp.Entries))
	for _, r := range resp.Entries {
		e, err := kcfg.EntityFromParts(r.Entity...)
		if err != nil {
			continue // it is none of ours, which will be missed
		}
		if out[e] != nil {
			continue
		}
		out[e] = nil
		if err := t.refusal(r.ErrorCode, r.ErrorMessage, values...); err != nil {
			err = cfgerrors.WithOperation(err, "AlterConfigs", "cluster")
			out[e] = fmt.Errorf("%s to broker %s: %w", name, nodeName(to.Node), err)
		}
	}
	return out, to, nil
}

// CheckAlteration returns why an alteration can be sent to nobody: it has no
// entity, or a string that Kafka does not take.
func CheckAlteration(a kcfg.Alteration) error {
	if a.Entity.IsZero() {
		return errNoEntity
	}
	if err := wire.CheckAlteration(a); err != nil {
		return err
	}
	for _, p := range a.Entity.Parts() {
		if p.Name != nil && !utf8.ValidString(*p.Name) {
			return notUTF8(p.Type)
		}
	}
	for _, op := range a.Ops {
		if !utf8.ValidString(op.Key) {
			return notUTF8("config key")
		}
		if !utf8.ValidString(op.Value) {
			return notUTF8("config value")
		}
	}
	return nil
}

// valuesOf returns the values that errors must not show.
func valuesOf(a kcfg.Alteration) []string {
	var out []string
	for _, op := range a.Ops {
		if !op.Remove {
			out = append(out, op.Value)
		}
	}
	return out
}
