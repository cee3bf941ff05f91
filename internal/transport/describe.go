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

// Describe asks what is set for the entities of a filter. What clients said to
// support is among the values, as the broker has it. Errors are those of Push and
// ErrBadAnswer; nothing is sent for a filter that no Kafka string can hold.
func (t *RPC) Describe(ctx context.Context, f kcfg.Filter, avoid ...int32) (Told, error) {
	req := wire.NewDescribeClientConfigsRequest(t.proto)
	req.Strict = f.Strict
	for _, c := range f.Components {
		component := wire.DescribeComponent{EntityType: c.Type, MatchType: int8(c.Match)}
		if c.Match == kcfg.MatchExact {
			component.Match = &c.Name
		}
		req.Components = append(req.Components, component)
	}
	return t.describe(ctx, req, avoid...)
}

// Told is what a broker told of entities.
type Told struct {
	Pushed
	Entries []kcfg.Described
}

// DescribeSelf asks one broker for the configurations of this client itself, and
// tells it which keys it supports. An error is never "no configurations".
func (t *RPC) DescribeSelf(ctx context.Context, clientID string, supported []string, avoid ...int32) (Told, error) {
	req := wire.NewDescribeClientConfigsRequest(t.proto)
	req.Components = []wire.DescribeComponent{{EntityType: kcfg.EntityClientID, MatchType: int8(kcfg.MatchExact), Match: &clientID}}
	req.SupportedConfigs = append([]string{}, supported...) // never null, by which others are told
	req.ResolveEntity, req.Strict = true, true
	return t.describe(ctx, req, avoid...)
}

func (t *RPC) describe(ctx context.Context, req *wire.DescribeClientConfigsRequest, avoid ...int32) (Told, error) {
	const name = "DescribeClientConfigs"
	if err := checkFilter(req); err != nil {
		return Told{}, err
	}
	resp, to, err := ask[*wire.DescribeClientConfigsResponse](ctx, t, name, req, avoid...)
	told := Told{Pushed: to}
	if err != nil {
		return told, err
	}
	t.throttle(resp.ThrottleMillis)
	if err := t.refusal(resp.ErrorCode, resp.ErrorMessage); err != nil {
		err = cfgerrors.WithOperation(err, "DescribeConfigs", "cluster")
		return told, fmt.Errorf("%s to broker %s: %w", name, nodeName(to.Node), err)
	}
	told.Entries, err = entries(resp)
	if err != nil {
		return told, fmt.Errorf("%s to broker %s: %w", name, nodeName(to.Node), err)
	}
	return told, nil
}

func checkFilter(req *wire.DescribeClientConfigsRequest) error {
	if err := req.Check(); err != nil {
		return err
	}
	for _, c := range req.Components {
		if c.Match != nil && !utf8.ValidString(*c.Match) {
			return notUTF8(c.EntityType)
		}
	}
	return nil
}

// notUTF8 is about a string that Kafka would take for another one.
func notUTF8(what string) error {
	return fmt.Errorf("transport: the %s is not UTF-8", what)
}

// entries returns what a broker told, or an error for all of it: who believes
// half of an answer takes what is missing for what is not set.
func entries(resp *wire.DescribeClientConfigsResponse) ([]kcfg.Described, error) {
	if resp.Entries == nil {
		return nil, fmt.Errorf("it has no entries and no error: %w", ErrBadAnswer)
	}
	out := make([]kcfg.Described, 0, len(resp.Entries))
	seen := make(map[kcfg.Entity]bool, len(resp.Entries))
	for _, entry := range resp.Entries {
		e, err := kcfg.EntityFromParts(entry.Entity...)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBadAnswer, err)
		}
		if seen[e] {
			return nil, fmt.Errorf("it has the entity %s twice: %w", e, ErrBadAnswer)
		}
		seen[e] = true
		if err := distinct(entry.Values); err != nil {
			return nil, fmt.Errorf("entity %s: %w: %w", e, err, ErrBadAnswer)
		}
		out = append(out, kcfg.Described{Entity: e, Values: entry.Values})
	}
	return out, nil
}

var errKeyTwice = errors.New("it has a key twice")

func distinct(values []kcfg.KeyValue) error {
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		if seen[v.Key] {
			return errKeyTwice
		}
		seen[v.Key] = true
	}
	return nil
}
