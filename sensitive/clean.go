package sensitive

import (
	"fmt"
	"io"
	"log/slog"
	"unique"
)

// Clean is an entry that passed every rule of this package. Filter is the only
// way to make one, and what writes a push takes nothing else, so an entry that
// was not checked cannot be sent. The zero value is an empty entry.
//
// Two of the same entry are equal by ==.
type Clean struct {
	entry Entry // without its value

	// A handle, not a string: a request keeps its Clean entries in an unexported
	// field, where fmt calls no method and would print the string.
	value unique.Handle[string]
}

func newClean(e Entry) Clean {
	value := unique.Make(e.Value)
	e.Value = ""
	return Clean{entry: e, value: value}
}

// Entry returns the entry.
func (c Clean) Entry() Entry {
	e := c.entry
	if c.value != (unique.Handle[string]{}) {
		e.Value = c.value.Value()
	}
	return e
}

// String returns the entry without its value.
func (c Clean) String() string { return c.entry.String() }

// GoString is String.
func (c Clean) GoString() string { return c.entry.String() }

// Format prints String for every verb.
func (c Clean) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue keeps the value out of slog records.
func (c Clean) LogValue() slog.Value { return slog.StringValue(c.String()) }
