package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
)

// onCluster runs the plan on a cluster of the user's, with a topic and a group
// of its own, which it deletes.
func onCluster(ctx context.Context, out io.Writer, target connect.Target, p plan) error {
	return withLeftovers(ctx, target, func(ctx context.Context, admin *client.Client, l *leftovers) error {
		n, err := l.make(ctx, "orders")
		if err != nil {
			return err
		}
		return exchangeOn(ctx, out, target, n, p)
	})
}

// exchangeOn lets clients do their work on a cluster, and shows how it went.
func exchangeOn(ctx context.Context, out io.Writer, target connect.Target, n names, p plan) error {
	clients, back, err := exchange(ctx, target, n, p)
	if err != nil {
		return err
	}
	for _, c := range clients {
		if _, err := fmt.Fprintf(out, "%s: %s\n", c.clientID, pushLine(&c.status)); err != nil {
			return err
		}
	}
	if err := printTotals(out, [][]string{
		{"records produced", strconv.Itoa(records)},
		{"different records that came back", strconv.Itoa(len(back.times))},
	}); err != nil {
		return err
	}
	return back.check()
}

// leftovers are what a run leaves on a cluster if nobody deletes it.
type leftovers struct {
	cl             *kgo.Client
	prefix         string
	topics, groups []string
}

// withLeftovers connects to a cluster, runs f, and deletes what it left.
func withLeftovers(ctx context.Context, target connect.Target, f func(context.Context, *client.Client, *leftovers) error) (err error) {
	admin, err := client.New(target.Kgo(), target.Options(client.DisableConfigsPush(), client.DisableDynamicConfigs())...)
	if err != nil {
		return err
	}
	defer admin.Close()
	if err := target.Reach(ctx, admin); err != nil {
		return err
	}
	l := &leftovers{cl: admin.Client, prefix: "kcfg-quickstart-" + strings.ToLower(rand.Text()[:10])}
	defer func() {
		// Also when ctx is over: nothing should be left on the cluster.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, l.delete(ctx))
	}()
	return f(ctx, admin, l)
}

// make creates a topic, and names a group.
func (l *leftovers) make(ctx context.Context, what string) (names, error) {
	n := names{topic: l.prefix + "-" + what, group: l.prefix + "-" + what}
	var err error
	if n.id, err = createTopic(ctx, l.cl, n.topic); err == nil {
		l.topics, l.groups = append(l.topics, n.topic), append(l.groups, n.group)
	}
	return n, err
}

func (l *leftovers) delete(ctx context.Context) error {
	var errs []error
	for _, topic := range l.topics {
		errs = append(errs, deleteTopic(ctx, l.cl, topic))
	}
	for _, group := range l.groups {
		errs = append(errs, deleteGroup(ctx, l.cl, group))
	}
	return errors.Join(errs...)
}

// pushLine says in one line how the push of a client went.
func pushLine(s *kcfg.Status) string {
	switch s.Push.State {
	case kcfg.PushUnsupported:
		return fmt.Sprintf("the cluster does not support config push (KIP-1324); %d of %d requests were this library's", s.Connections.Ours, s.Connections.Requests)
	case kcfg.PushPushed:
		return fmt.Sprintf("%s took %d keys; %d were held back", connect.Node(s.Push.Node), len(s.Push.Keys), len(s.HeldBack))
	}
	return fmt.Sprintf("config push is %s: %s", s.Push.State, s.Push.Error)
}
