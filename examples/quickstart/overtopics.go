package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/examples/internal/table"
)

// onTopics runs the plan and changes the overrides of running clients on a cluster
// that needs to know nothing of it: all of it goes over two topics.
func onTopics(ctx context.Context, out io.Writer, target connect.Target, p plan) error {
	return withLeftovers(ctx, target, func(ctx context.Context, admin *client.Client, l *leftovers) error {
		// Names of its own, since they are deleted; yours will be the defaults.
		where := client.Topics(client.TopicNames{Dynamic: l.prefix + "-dynamic", Clients: l.prefix + "-clients"})
		over := target.With(client.Transport(client.TransportTopics), where, client.Principal(target.User()))
		if err := setUp(ctx, out, admin, where, l); err != nil {
			return err
		}
		orders, err := l.make(ctx, "orders")
		if err != nil {
			return err
		}
		stream, err := l.make(ctx, "live-orders")
		if err != nil {
			return err
		}
		if err := exchangeOn(ctx, out, over, orders, p); err != nil {
			return err
		}
		tl := newTimeline()
		watched := over.Watched(func(req kmsg.Request) {
			// A client's record in the topics is a Produce too.
			if r, ok := req.(*kmsg.ProduceRequest); ok && !stream.in(r) {
				return
			}
			tl.see(req)
		}, kmsg.Produce, kmsg.JoinGroup)
		return onLive(ctx, out, watched, tl, stream)
	})
}

// in reports whether a request produces to the topic.
func (n names) in(r *kmsg.ProduceRequest) bool {
	for _, t := range r.Topics {
		if t.Topic == n.topic || n.id != [16]byte{} && t.TopicID == n.id {
			return true
		}
	}
	return false
}

// setUp does what an operator does once.
func setUp(ctx context.Context, out io.Writer, cl *client.Client, where client.AnyOption, l *leftovers) error {
	admin, err := client.NewAdmin(cl.Client, client.Transport(client.TransportTopics), where)
	if err != nil {
		return err
	}
	l.topics = append(l.topics, l.prefix+"-dynamic", l.prefix+"-clients") // however far it comes
	made, err := admin.SetupTopics(ctx, kcfg.TopicSetup{})
	if err != nil {
		return fmt.Errorf("set up the topics: %w", err)
	}
	var rows [][]string
	for _, t := range made.Topics {
		for _, s := range t.Settings {
			rows = append(rows, []string{t.Name, s.Key, s.Value})
		}
	}
	return errors.Join(
		table.Write(out, "What an operator sets up once", []string{"TOPIC", "SETTING", "VALUE"}, rows),
		printTotals(out, [][]string{{"partitions with a header", strconv.Itoa(made.Headers)}}),
	)
}
