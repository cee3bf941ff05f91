package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/examples/internal/table"
)

const (
	acksKey    = "acks"
	sessionKey = "session.timeout.ms"
)

// override is a value that the operator wishes for a while instead of a
// client's own.
type override struct{ clientID, key, own, wish string }

func overrides() []override {
	return []override{
		{clientID: "live-producer", key: acksKey, own: "all", wish: "1"},
		{clientID: "live-consumer", key: sessionKey, own: strconv.Itoa(int(ownSession.Milliseconds())), wish: "20000"},
	}
}

// onLive sets overrides of running clients and removes them (KIP-649), shows
// what happened when, and checks that nobody was disturbed. Somebody tells the
// timeline what the broker sees.
func onLive(ctx context.Context, out io.Writer, target connect.Target, tl *timeline, n names) error {
	l, err := newLive(target, n, tl)
	if err != nil {
		return err
	}
	defer l.close()

	o := outcome{seen: make(map[string][]string)}
	var total atomic.Int64
	o.back, err = l.underLoad(ctx, &total, func(ctx context.Context) error {
		var err error
		o.members, err = l.change(ctx)
		return err
	})
	if err != nil {
		return errors.Join(err, tl.print(out)) // which shows how far it came
	}
	o.total, o.lost = int(total.Load()), int(l.lost.Load())
	for _, w := range overrides() {
		o.seen[w.key] = tl.values(w.key, seen)
	}
	return errors.Join(tl.print(out), o.print(out), o.check())
}

// member is a client's place in its group.
type member struct {
	when       string
	id         string
	generation int32
}

// outcome is what came of the overrides.
type outcome struct {
	seen    map[string][]string // by key: the values that the broker saw, in order
	members []member            // before, under and after the overrides
	lost    int                 // partitions that the consumer lost
	total   int                 // records produced
	back    *lanes
}

// check returns what is wrong.
func (o outcome) check() error {
	errs := []error{o.back.check(o.total)}
	for _, w := range overrides() {
		got := o.seen[w.key]
		switch {
		case !slices.Contains(got, w.wish):
			errs = append(errs, fmt.Errorf("the broker did not see %s=%s, which was set", w.key, w.wish))
		case got[0] != w.own:
			errs = append(errs, fmt.Errorf("%s: %s was %s before it was set", w.clientID, w.key, got[0]))
		case got[len(got)-1] != w.own:
			errs = append(errs, fmt.Errorf("%s: %s is %s after the override was removed", w.clientID, w.key, got[len(got)-1]))
		}
	}
	if o.lost > 0 {
		errs = append(errs, fmt.Errorf("the consumer lost %d partitions", o.lost))
	}
	for _, m := range o.members {
		switch first := o.members[0]; {
		case m.id == "":
			errs = append(errs, fmt.Errorf("the consumer has no member id %s", m.when))
		case m.id != first.id:
			errs = append(errs, fmt.Errorf("the consumer's member id is another one %s", m.when))
		}
	}
	return errors.Join(errs...)
}

func (o outcome) print(out io.Writer) error {
	var rows [][]string
	for _, m := range o.members {
		rows = append(rows, []string{m.when, strconv.Itoa(int(m.generation)), m.id})
	}
	return errors.Join(
		table.Write(out, "The consumer in its group", []string{"WHEN", "GENERATION", "MEMBER ID"}, rows),
		printTotals(out, [][]string{
			{"records produced meanwhile", strconv.Itoa(o.total)},
			{"records that came back", strconv.Itoa(o.back.count)},
			{"records lost, repeated or out of order", strconv.Itoa(len(o.back.wrong))},
			{"partitions lost", strconv.Itoa(o.lost)},
		}),
	)
}
