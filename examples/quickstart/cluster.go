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

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
)

// onCluster runs the plan on a cluster of the user's, with a topic and a group
// of its own, which it deletes.
func onCluster(ctx context.Context, out io.Writer, target connect.Target, p plan) (err error) {
	suffix := strings.ToLower(rand.Text()[:10])
	n := names{topic: "kcfg-quickstart-" + suffix, group: "kcfg-quickstart-" + suffix}

	admin, err := client.New(target.Kgo(), target.Options(client.DisableConfigsPush())...)
	if err != nil {
		return err
	}
	defer admin.Close()
	if err := target.Reach(ctx, admin); err != nil {
		return err
	}
	if err := createTopic(ctx, admin.Client, n.topic); err != nil {
		return err
	}
	defer func() {
		// Also when ctx is over: nothing should be left on the cluster.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, deleteTopic(ctx, admin.Client, n.topic), deleteGroup(ctx, admin.Client, n.group))
	}()

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
