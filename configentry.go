package kcfg

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
)

const redacted = "[redacted]"

// ConfigEntry is one configuration of a resource, as a broker describes it
// (KIP-133).
type ConfigEntry struct {
	Key string `json:"key"`
	// Value is nil where there is none, and always where Sensitive is set.
	Value  *string      `json:"value"`
	Type   ConfigType   `json:"type"`
	Source ConfigSource `json:"source"`
	// ReadOnly is set if the configuration cannot be altered while the broker
	// runs.
	ReadOnly bool `json:"readOnly"`
	// Default is set if nobody chose the value.
	Default   bool `json:"default"`
	Sensitive bool `json:"sensitive"`
	// Synonyms are where the value comes from and what it would be otherwise,
	// the one that counts first. Only brokers and topics have them.
	Synonyms []ConfigSynonym `json:"synonyms,omitempty"`
}

// ConfigSynonym is a value that a configuration has somewhere.
type ConfigSynonym struct {
	Key string `json:"key"`
	// Value is nil where there is none, and where the configuration is sensitive.
	Value  *string      `json:"value"`
	Source ConfigSource `json:"source"`
}

// String returns the entry as key=value (TYPE, SOURCE), without the value of a
// sensitive one.
func (e ConfigEntry) String() string {
	value := "null"
	switch {
	case e.Sensitive:
		value = redacted
	case e.Value != nil:
		value = strconv.QuoteToASCII(*e.Value)
	}
	about := []string{e.Type.String(), e.Source.String()}
	for _, flag := range []struct {
		set  bool
		name string
	}{{e.ReadOnly, "read-only"}, {e.Default, "default"}, {e.Sensitive, "sensitive"}} {
		if flag.set {
			about = append(about, flag.name)
		}
	}
	return e.Key + "=" + value + " (" + strings.Join(about, ", ") + ")"
}

// GoString is String, so that %#v does not print a sensitive value either.
func (e ConfigEntry) GoString() string { return e.String() }

// Format prints String for every verb.
func (e ConfigEntry) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, e.String()) }

// LogValue keeps a sensitive value out of slog records.
func (e ConfigEntry) LogValue() slog.Value { return slog.StringValue(e.String()) }

// ResourceConfigs is what a DescribeConfigs tells of one resource.
type ResourceConfigs struct {
	Resource Resource `json:"resource"`
	// Entries are sorted by key. There are none with an Err.
	Entries []ConfigEntry `json:"entries"`
	// Err is why the resource was not described, nil if it was.
	Err error `json:"-"`
}

// Get returns the entry of a key.
func (c ResourceConfigs) Get(key string) (ConfigEntry, bool) {
	for _, e := range c.Entries {
		if e.Key == key {
			return e, true
		}
	}
	return ConfigEntry{}, false
}

// DescribeResults is what a DescribeConfigs tells, in the order of its resources.
type DescribeResults []ResourceConfigs

// Err returns the errors of all resources, each with its resource, and nil if there
// is none.
func (rs DescribeResults) Err() error {
	var errs []error
	for _, r := range rs {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("kcfg: describe %s: %w", r.Resource, r.Err))
		}
	}
	return errors.Join(errs...)
}

// On returns what is told of a resource.
func (rs DescribeResults) On(r Resource) (ResourceConfigs, bool) {
	for _, one := range rs {
		if one.Resource == r {
			return one, true
		}
	}
	return ResourceConfigs{}, false
}
