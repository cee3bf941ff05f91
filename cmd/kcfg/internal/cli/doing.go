package cli

import "sync/atomic"

// always is what is being done where that does not change.
func always(doing string) func() string { return func() string { return doing } }

// doing is what is being done, where that changes.
type doing struct{ now atomic.Pointer[string] }

func (d *doing) set(s string) { d.now.Store(&s) }

func (d *doing) text(before string) string {
	if s := d.now.Load(); s != nil {
		return *s
	}
	return before
}
