package topicstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// Alter makes alterations, each as a whole or not at all, by the rules of the
// RPC. Of two operators at once, the later one's batch wins, key by key. The error
// is about all that was to be made.
func (s *Store) Alter(ctx context.Context, validateOnly bool, alterations []kcfg.Alteration, _ ...int32) (transport.Outcomes, error) {
	out := transport.Outcomes{Altered: make([]kcfg.Altered, len(alterations))}
	var open []int
	for i, a := range alterations {
		out.Altered[i] = kcfg.Altered{Entity: a.Entity, Err: s.check(a, alterations)}
		if out.Altered[i].Err == nil {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return out, nil
	}
	for _, i := range open {
		out.Altered[i].Err = errNotMade
	}
	err := s.alter(ctx, validateOnly, alterations, open, &out)
	for _, i := range open {
		if errors.Is(out.Altered[i].Err, errNotMade) {
			out.Altered[i].Err = err
		}
	}
	return out, err
}

// errNotMade stands for the error that ended a call before an alteration's turn.
var errNotMade = errors.New("topicstore: not made")

// alter looks at the partitions that the alterations are in, and writes to them.
func (s *Store) alter(ctx context.Context, validateOnly bool, alterations []kcfg.Alteration, open []int, out *transport.Outcomes) error {
	cl, err := s.session()
	if err != nil {
		return err
	}
	defer cl.Close()
	out.Sent, out.Node = true, noNode
	t, err := lookToWrite(ctx, cl, s.cfg.Names.Dynamic)
	if err != nil {
		return err
	}
	tables := make(map[int32]*table)
	for _, i := range open {
		user, _ := alterations[i].Entity.UserName()
		partition := partitionOf(*user)
		if tables[partition] == nil {
			if tables[partition], err = readAll(ctx, cl, t, partition, everything, repairable); err != nil {
				return err
			}
		}
		out.Node = t.leaders[partition]
		if refused := s.unknown(alterations[i], tables[partition]); refused != nil || validateOnly {
			out.Altered[i].Err = refused
			continue
		}
		err := write(ctx, cl, t, partition, recordsOf(alterations[i])...)
		out.Altered[i].Err = err
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

func everything(tuple) bool { return true }

// repairable lets an operator write over what is half written or cannot be read.
func repairable(t *table) { t.bad, t.halfOpen = nil, false }

// readAll reads a whole partition, and believes all of it or nothing. What is not to
// count, except forgets.
func readAll(ctx context.Context, cl *kgo.Client, t topic, partition int32, keep func(tuple) bool, except func(*table)) (*table, error) {
	from, err := start(ctx, cl, t, partition)
	if err != nil {
		return nil, err
	}
	tab := newTable(keep)
	_, end, err := readOn(ctx, cl, t, partition, from, tab.apply)
	if err != nil {
		return nil, err
	}
	except(tab)
	if why := tab.check(t, end); why != "" {
		return nil, notSetUp(t.name, "%s", why)
	}
	return tab, nil
}

// check is what a broker would say of an alteration, the authorizer aside.
func (s *Store) check(a kcfg.Alteration, all []kcfg.Alteration) error {
	if err := transport.CheckAlteration(a); err != nil {
		return err
	}
	invalid := func(message string) error { return cfgerrors.FromCode(kerr.InvalidRequest.Code, message) }
	if _, ok := tupleOf(a.Entity, ""); !ok {
		return invalid("client configurations belong to a user with a name, or to a client id of one")
	}
	if len(a.Ops) > maxOps {
		return cfgerrors.FromCode(cfgerrors.CodeConfigTooLarge, fmt.Sprintf("the alteration has more than %d keys", maxOps))
	}
	if 1 < count(all, func(b kcfg.Alteration) bool { return b.Entity == a.Entity }) {
		return invalid("the entity comes twice")
	}
	for _, op := range a.Ops {
		if 1 < count(a.Ops, func(b kcfg.Op) bool { return b.Key == op.Key }) {
			return invalid(fmt.Sprintf("config %q comes twice", op.Key))
		}
		if err := s.checkOp(op); err != nil {
			return err
		}
	}
	size := 0
	for _, r := range recordsOf(a) {
		size += len(r.Key) + len(r.Value)
		if len(r.Key)+len(r.Value) > maxDynamicRecord {
			return cfgerrors.FromCode(cfgerrors.CodeConfigTooLarge, fmt.Sprintf("a record would be larger than %d bytes", maxDynamicRecord))
		}
	}
	if size > maxAlteration {
		return cfgerrors.FromCode(cfgerrors.CodeConfigTooLarge, fmt.Sprintf("the alteration would be larger than %d bytes", maxAlteration))
	}
	return nil
}

func count[T any](all []T, is func(T) bool) (n int) {
	for _, one := range all {
		if is(one) {
			n++
		}
	}
	return n
}

func (s *Store) checkOp(op kcfg.Op) error {
	switch {
	case op.Key == kcfg.SupportedConfigs && op.Remove:
		return cfgerrors.FromCode(kerr.InvalidConfig.Code, "config supported.configs is what live clients say, and cannot be removed from the topics")
	case op.Remove || s.cfg.Validate == nil:
		return nil
	}
	if err := s.cfg.Validate(op.Key, op.Value); err != nil {
		return cfgerrors.FromCode(kerr.InvalidConfig.Code, err.Error(), op.Value)
	}
	return nil
}

// unknown refuses the removal of keys that do not exist and are not set: a slip of
// an operator's would look like success.
func (s *Store) unknown(a kcfg.Alteration, tab *table) error {
	for _, op := range a.Ops {
		if !op.Remove || s.cfg.Known == nil || s.cfg.Known(op.Key) {
			continue
		}
		t, _ := tupleOf(a.Entity, op.Key)
		if _, set := tab.values[t]; !set {
			return cfgerrors.FromCode(kerr.InvalidConfig.Code, fmt.Sprintf("config %q is no dynamic client configuration", op.Key))
		}
	}
	return nil
}

// recordsOf are the records of an alteration. Those that remove come first, so
// that what a reader sees last is what is set.
func recordsOf(a kcfg.Alteration) []*kgo.Record {
	ops := slices.Clone(a.Ops)
	slices.SortStableFunc(ops, func(x, y kcfg.Op) int { return rank(x) - rank(y) })
	var out []*kgo.Record
	for _, op := range ops {
		t, ok := tupleOf(a.Entity, op.Key)
		if !ok {
			return nil
		}
		r := &kgo.Record{Key: recordKey{kind: dynamicKey, tuple: t}.bytes()}
		if !op.Remove {
			r.Value = encode(dynamicValue{Version: schemaVersion, Value: &op.Value})
		}
		out = append(out, r)
	}
	return out
}

func rank(op kcfg.Op) int {
	if op.Remove {
		return 0
	}
	return 1
}
