package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
)

// ownSession is the session timeout that the consumer was built with.
const ownSession = 30 * time.Second

// rest is how long the clients work on before and after each change.
const rest = 150 * time.Millisecond

// live are an operator and the two clients whose configurations it changes.
type live struct {
	operator, producer, consumer *client.Client

	admin *client.Admin
	user  string
	t     *timeline
	lost  atomic.Int64 // partitions
}

func newLive(target connect.Target, n names, t *timeline) (l *live, err error) {
	l = &live{t: t, user: target.User()}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	// The operator is a client too, and only its Admin is used.
	l.operator, err = client.New(target.Kgo(kgo.ClientID("operator")),
		target.Options(client.DisableConfigsPush(), client.DisableDynamicConfigs())...)
	if err != nil {
		return l, err
	}
	if l.admin, err = client.NewAdmin(l.operator.Client); err != nil {
		return l, err
	}
	acks, session := overrides()[0], overrides()[1]
	// An idempotent producer needs acks=all, and its acks are left alone.
	l.producer, err = client.NewProducer(target.Kgo(
		kgo.ClientID(acks.clientID),
		kgo.DefaultProduceTopic(n.topic),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DisableIdempotentWrite(),
	), l.options(target, acks.key)...)
	if err != nil {
		return l, err
	}
	l.consumer, err = client.NewConsumer(target.Kgo(
		kgo.ClientID(session.clientID),
		kgo.ConsumerGroup(n.group),
		kgo.ConsumeTopics(n.topic),
		kgo.SessionTimeout(ownSession),
		kgo.HeartbeatInterval(200*time.Millisecond),
		kgo.FetchMaxWait(100*time.Millisecond),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, lost map[string][]int32) {
			for _, partitions := range lost {
				l.lost.Add(int64(len(partitions)))
			}
		}),
	), l.options(target, session.key)...)
	return l, err
}

// options returns what the client has whose key is changed.
func (l *live) options(target connect.Target, key string) []client.Option {
	return target.Options(
		client.PollInterval(time.Second),
		client.RejoinDelay(0), // no other member has to learn of it first
		client.WithHooks(keyHook{l.t, key}),
	)
}

func (l *live) close() {
	for _, cl := range []*client.Client{l.consumer, l.producer, l.operator} {
		if cl != nil {
			cl.Close()
		}
	}
}

// underLoad calls change while the clients produce and consume, and returns what
// came back. What fails first ends the rest, and is the error.
func (l *live) underLoad(parent context.Context, total *atomic.Int64, change func(context.Context) error) (back *lanes, err error) {
	const changing = "change the running clients"
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	var first sync.Once
	end := func(what string, failed error) {
		if failed != nil {
			first.Do(func() { err = fmt.Errorf("%s: %w", what, failed) })
			cancel()
		}
	}
	stop := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() { end("produce the stream", stream(ctx, l.producer.Client, stop, total)) })
	work.Go(func() {
		var failed error
		back, failed = drain(ctx, l.consumer.Client, total)
		end("consume the stream", failed)
	})
	changed := change(ctx)
	end(changing, changed)
	close(stop)
	work.Wait()
	if parent.Err() != nil && changed != nil {
		err = fmt.Errorf("%s: %w", changing, changed) // whoever was first, this says what was waited for
	}
	return back, err
}

// change sets the overrides and removes them, and each time waits until they are
// in force and the broker saw them. It returns the consumer's place in the group
// before, meanwhile and after.
func (l *live) change(ctx context.Context) (members []member, err error) {
	for _, w := range overrides() {
		if err := l.t.wait(ctx, w.key, seen, w.own); err != nil {
			return nil, err
		}
	}
	generation := int32(-1)
	place := func(when string) error {
		m, err := l.joined(ctx, when, generation)
		generation = m.generation
		members = append(members, m)
		return err
	}
	if err := place("before"); err != nil {
		return members, err
	}
	if err := l.alter(ctx, func(w override) step { return step{kcfg.Set(w.key, w.wish), w.wish, w.wish} }); err != nil {
		return members, err
	}
	if err := place("under the override"); err != nil {
		return members, err
	}
	if err := l.alter(ctx, func(w override) step { return step{kcfg.Remove(w.key), none, w.own} }); err != nil {
		return members, err
	}
	return members, place("after its removal")
}

// step is one change of an override, what is wished then, and what is to be used.
type step struct {
	op           kcfg.Op
	wished, used string
}

// alter changes the overrides and waits until the clients know and use them, and
// the broker saw it.
func (l *live) alter(ctx context.Context, of func(override) step) error {
	var (
		alterations []kcfg.Alteration
		set         bool
	)
	for _, w := range overrides() {
		s := of(w)
		l.t.add(w.key, wished, s.wished)
		who := kcfg.User(l.user).Client(w.clientID)
		alterations = append(alterations, kcfg.Alter(who, s.op))
		set = set || !s.op.Remove
	}
	if err := l.send(ctx, alterations); err != nil {
		return err
	}
	// The next poll would do it too, within the PollInterval.
	if err := errors.Join(l.producer.RefreshConfigs(ctx), l.consumer.RefreshConfigs(ctx)); err != nil {
		return fmt.Errorf("ask for overrides: %w", err)
	}
	if set {
		// This is how to wait without a hook. It also says why an override is not used.
		if err := errors.Join(l.producer.WaitApplied(ctx, acksKey), l.consumer.WaitApplied(ctx, sessionKey)); err != nil {
			return err
		}
	}
	for _, w := range overrides() {
		s := of(w)
		for _, e := range []event{{what: answered, value: s.wished}, {what: inForce, value: s.used}, {what: seen, value: s.used}} {
			if err := l.t.wait(ctx, w.key, e.what, e.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// send makes the alterations.
func (l *live) send(ctx context.Context, alterations []kcfg.Alteration) error {
	altered, err := l.admin.AlterClientConfigs(ctx, alterations...)
	if err != nil {
		return fmt.Errorf("alter the client configurations: %w", err)
	}
	for _, a := range altered {
		if a.Err != nil {
			return fmt.Errorf("alter the client configurations of %v: %w", a.Entity, a.Err)
		}
	}
	return nil
}

// joined waits until the consumer is in a generation after the given one, and
// then for a rest, and returns its place in the group.
func (l *live) joined(ctx context.Context, when string, after int32) (member, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		_, generation := l.consumer.GroupMetadata()
		if generation > after {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return member{}, fmt.Errorf("no new generation %s: %w", when, context.Cause(ctx))
		}
	}
	select {
	case <-time.After(rest):
	case <-ctx.Done():
		return member{}, context.Cause(ctx)
	}
	id, generation := l.consumer.GroupMetadata()
	return member{when, id, generation}, nil
}
