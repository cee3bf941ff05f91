package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/sensitive"
)

// onEmbedded runs the plan on the reference broker and checks what came of it.
func onEmbedded(ctx context.Context, out io.Writer, p plan) error {
	const mechanism = "SCRAM-SHA-256"
	n := names{topic: "orders", group: "quickstart"}
	stream := names{topic: "live-orders", group: "live"}
	policy := &fakebroker.RecordPolicy{}
	broker, err := fakebroker.New(
		fakebroker.Brokers(3),
		fakebroker.SASL(fakebroker.User{Mechanism: mechanism, Name: user, Password: p.password.Reveal()}),
		fakebroker.Topics(partitions, n.topic, stream.topic),
		fakebroker.Policy(policy),
		fakebroker.DynamicConfigs(),
		fakebroker.CaptureBytes(),
	)
	if err != nil {
		return err
	}
	defer broker.Close()
	login, err := connect.Mechanism(mechanism, user, p.password)
	if err != nil {
		return err
	}
	target := connect.To(broker.Addrs(), kgo.SASL(login)).As(user)

	clients, back, err := exchange(ctx, target, n, p)
	if err != nil {
		return err
	}
	got := received(policy)
	if err := errors.Join(
		printReceived(out, clients, policy.Calls()),
		printHeldBack(out, clients),
		printTotals(out, totals(clients, back, broker, p)),
	); err != nil {
		return err
	}

	if err := errors.Join(
		back.check(),
		checkBytes(broker, p),
		checkPushes(clients, got, p, target.Seeds()),
	); err != nil {
		return err
	}
	tl := newTimeline()
	tl.watch(broker)
	if err := onLive(ctx, out, target, tl, stream); err != nil {
		return err
	}
	return checkBytes(broker, p) // of all that came in since, too
}

// checkPushes compares what every client was to push with what the broker got.
func checkPushes(clients []*told, got map[string][]sensitive.Entry, p plan, seeds string) error {
	var errs []error
	if len(got) != len(clients) {
		errs = append(errs, fmt.Errorf("%d client ids pushed, not %d", len(got), len(clients)))
	}
	for _, c := range clients {
		if c.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.clientID, c.err))
		}
		errs = append(errs, checkPush(c.clientID, expected(c, p, seeds), got[c.clientID]))
	}
	return errors.Join(errs...)
}

// received returns what the policy got last from each client id.
func received(policy *fakebroker.RecordPolicy) map[string][]sensitive.Entry {
	out := make(map[string][]sensitive.Entry)
	for _, c := range policy.Calls() {
		var entries []sensitive.Entry
		for _, e := range c.Configs.Entries {
			entries = append(entries, sensitive.Entry{Key: e.Key, Value: e.Text, Type: e.Type, IsDefault: e.IsDefault})
		}
		out[c.Context.ClientID] = entries
	}
	return out
}
