package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kcfg-go/kcfg/sensitive"
)

// expected returns what a client of the plan should push, by key: what Collect
// says of it, and what the plan adds. seeds is the value of bootstrap.servers.
func expected(t *told, p plan, seeds string) map[string]sensitive.Entry {
	out := map[string]sensitive.Entry{
		bootstrap: {Key: bootstrap, Value: seeds, Type: sensitive.List},
	}
	for _, e := range slices.Concat(t.configs, p.harmless) {
		out[e.Key] = e
	}
	return out
}

// checkPush compares what the broker got of a client with what it should have
// got. The error names keys and no values.
func checkPush(clientID string, want map[string]sensitive.Entry, got []sensitive.Entry) error {
	var errs []error
	fail := func(key, what string) {
		errs = append(errs, fmt.Errorf("%s: the key %q %s", clientID, key, what))
	}
	seen := make(map[string]bool)
	for _, e := range got {
		seen[e.Key] = true
		w, ok := want[e.Key]
		switch {
		case !ok:
			fail(e.Key, "should not have been pushed")
		case e.Value != w.Value:
			fail(e.Key, "was pushed with another value")
		case e.Type != w.Type:
			fail(e.Key, fmt.Sprintf("was pushed as %s instead of %s", e.Type, w.Type))
		case e.IsDefault != w.IsDefault:
			fail(e.Key, fmt.Sprintf("was pushed with default %t instead of %t", e.IsDefault, w.IsDefault))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if !seen[key] {
			fail(key, "was not pushed")
		}
	}
	return errors.Join(errs...)
}

// carrier is the bytes that a broker received.
type carrier interface{ Contains(b []byte) bool }

// checkBytes looks for the plan's marker, which must be there, and its secrets,
// which must not, in any form. Without the marker the search for the secrets
// would prove nothing: perhaps nothing was kept.
func checkBytes(received carrier, p plan) error {
	var errs []error
	if !received.Contains([]byte(p.marker)) {
		errs = append(errs, errors.New("the marker is not in the bytes that the broker received, though its key may go"))
	}
	for _, s := range p.secrets {
		for _, f := range forms(s.value.Reveal()) {
			if received.Contains([]byte(f.text)) {
				errs = append(errs, fmt.Errorf("the broker received %s (%s)", s.name, f.name))
			}
		}
	}
	return errors.Join(errs...)
}
