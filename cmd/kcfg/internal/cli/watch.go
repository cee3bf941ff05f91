package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/fleet"
)

// alterAndWatch makes the changes and waits for the clients. It alters nothing if the
// clients cannot be watched.
func (j *alteration) alterAndWatch(ctx context.Context, s session) error {
	j.doing.set("reading the clients' records")
	if err := j.watchable(ctx, s); err != nil {
		return err
	}
	j.doing.set("altering")
	steps := j.applyInTime(ctx, s)
	failed := stepsError(steps)
	if steps[0].err != nil { // the dynamic configurations are the first
		if err := j.printAltered(steps, nil); err != nil {
			return err
		}
		return failed
	}
	if err := j.announce(steps); err != nil {
		return err
	}
	w, err := j.watch(ctx, s)
	if err != nil {
		err = partly(fmt.Errorf("it is altered, but watching it failed: %w", err))
	} else {
		err = w.err()
	}
	if err := j.printAltered(steps, w); err != nil {
		return err
	}
	return errors.Join(failed, err)
}

// applyInTime is apply within --timeout; the watch has a time of its own.
func (j *alteration) applyInTime(ctx context.Context, s session) []step {
	ctx, cancel := context.WithTimeout(ctx, j.a.timeout)
	defer cancel()
	return j.apply(ctx, s, false)
}

// watchable returns why clients cannot be watched.
func (j *alteration) watchable(ctx context.Context, s session) error {
	ctx, cancel := context.WithTimeout(ctx, j.a.timeout)
	defer cancel()
	topics, err := j.a.overTopics(ctx, s)
	switch {
	case err != nil:
		return fmt.Errorf("nothing is altered: %w", err)
	case !topics:
		return fmt.Errorf("nothing is altered, as there is nothing to watch: %w", errNoRecords)
	}
	if _, err := j.a.clientsOf(ctx, s); err != nil {
		return fmt.Errorf("nothing is altered: the records of clients, which are to be watched, cannot be read (see kcfg setup): %w", err)
	}
	return nil
}

// watch looks at the clients until each has taken or refused the changes, or the time
// is over. It looks once at least. What it has seen it returns with an error too.
func (j *alteration) watch(ctx context.Context, s session) (w *watched, err error) {
	timed, cancel := context.WithTimeout(ctx, j.flags.watchTimeout)
	defer cancel()
	w = &watched{Claims: claims, Outcomes: []fleet.Outcome{}, reported: make(map[string]bool)}
	for first := true; ; first = false {
		within := timed
		if first {
			within = ctx
		}
		start := time.Now()
		outcomes, err := j.look(within, s)
		if err != nil && (first || timed.Err() == nil) {
			return w, err
		}
		if err == nil {
			if err := j.report(w, outcomes); err != nil {
				return w, err
			}
			if w.settled() {
				return w, nil
			}
		}
		if !rest(timed, restFor(j.flags.watchInterval, time.Since(start))) {
			w.TimedOut = ctx.Err() == nil
			return w, context.Cause(ctx)
		}
	}
}

// look is one look at the clients.
func (j *alteration) look(ctx context.Context, s session) ([]fleet.Outcome, error) {
	records, err := j.a.alive(ctx, s)
	if err != nil {
		return nil, err
	}
	described, err := j.described(ctx, s)
	if err != nil {
		return nil, err
	}
	return j.outcomes(records, described), nil
}

func (j *alteration) outcomes(records []kcfg.ClientRecord, described []kcfg.Described) []fleet.Outcome {
	out := fleet.Outcomes(records, described, j.plan.Entity, j.keys())
	for i, o := range out {
		out[i].Wished, out[i].InForce = shown(o.Key, o.Wished), shown(o.Key, o.InForce)
	}
	return out
}

// restFor is how long to wait after a look: most of the time nothing is read.
func restFor(interval, took time.Duration) time.Duration { return max(interval, 4*took) }

// rest waits, and reports whether there is time left.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
