package worker

import "slices"

// Waiter is a caller that waits for an outcome. It has room for one, and gets one.
type Waiter chan error

// Waiters are the callers that wait, in the order in which they came. They are as
// safe as the lock that their owner guards them with.
type Waiters []Waiter

// Add adds a caller.
func (ws *Waiters) Add() Waiter {
	w := make(Waiter, 1)
	*ws = append(*ws, w)
	return w
}

// Remove removes a caller that waits no longer.
func (ws *Waiters) Remove(w Waiter) {
	*ws = slices.DeleteFunc(*ws, func(o Waiter) bool { return o == w })
}

// Now returns those who wait now: what begins after this call answers them, and
// nobody who comes later.
func (ws *Waiters) Now() Waiters { return slices.Clone(*ws) }

// Take removes those of some who still wait, and returns them.
func (ws *Waiters) Take(some Waiters) Waiters {
	var taken, left Waiters
	for _, w := range *ws {
		if slices.Contains(some, w) {
			taken = append(taken, w)
		} else {
			left = append(left, w)
		}
	}
	*ws = left
	return taken
}

// Answer tells everybody the outcome.
func (ws Waiters) Answer(err error) {
	for _, w := range ws {
		w <- err
	}
}
