package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcfg-go/kcfg/fleet"
)

// watched is what a watch has seen.
type watched struct {
	// Claims says what the outcomes are.
	Claims   string          `json:"claims"`
	TimedOut bool            `json:"timedOut"`
	Outcomes []fleet.Outcome `json:"outcomes"`

	looked   bool            // with success, once at least: else nothing is known
	reported map[string]bool // the clients that were seen, and whether their end was told
}

// clientsOf are the outcomes by client, in their order.
func clientsOf(outcomes []fleet.Outcome) (out [][]fleet.Outcome) {
	for _, o := range outcomes {
		if n := len(out); n > 0 && out[n-1][0].Instance == o.Instance {
			out[n-1] = append(out[n-1], o)
			continue
		}
		out = append(out, []fleet.Outcome{o})
	}
	return out
}

// final reports whether a client has answered to everything.
func final(outcomes []fleet.Outcome) bool {
	return !slices.ContainsFunc(outcomes, func(o fleet.Outcome) bool { return !o.State.Final() })
}

// settled reports whether all clients have answered to everything. Where there is no
// client, there is nothing to wait for.
func (w *watched) settled() bool { return final(w.Outcomes) }

// count returns how many clients have at least one key in one of the states.
func (w *watched) count(states ...fleet.OutcomeState) (n int) {
	for _, one := range clientsOf(w.Outcomes) {
		if slices.ContainsFunc(one, func(o fleet.Outcome) bool { return slices.Contains(states, o.State) }) {
			n++
		}
	}
	return n
}

// err is that of the clients that have not taken it.
func (w *watched) err() error {
	all := len(clientsOf(w.Outcomes))
	refused, open := w.count(fleet.OutcomeRefused), w.count(fleet.OutcomePending, fleet.OutcomeUnanswered)
	switch {
	case w.TimedOut:
		return fmt.Errorf("%d of %d clients have neither taken nor refused it in time: %w", open, all, context.DeadlineExceeded)
	case refused > 0:
		return partly(fmt.Errorf("%d of %d clients refused it", refused, all))
	}
	return nil
}
