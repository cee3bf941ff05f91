package client

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/sensitive"
)

// FindingLevel says how bad a ConfigFinding is.
type FindingLevel string

// The levels.
const (
	// FindingError is what Kafka's own client refuses to start with, or what a
	// broker refuses; for CheckClient, what no client should run with.
	FindingError FindingLevel = "error"
	// FindingWarning is what works, but perhaps not as somebody thinks.
	FindingWarning FindingLevel = "warning"
)

// FindingRule says what kind of rule a ConfigFinding is about.
type FindingRule string

// The rules.
const (
	RuleUnknown    FindingRule = "unknown"    // no client of Kafka has the key
	RuleKind       FindingRule = "kind"       // no client of this kind has the key
	RuleSensitive  FindingRule = "sensitive"  // it is held back from a push (KIP-1324)
	RuleValue      FindingRule = "value"      // the value is none of the key
	RulePair       FindingRule = "pair"       // it does not go together with another key
	RuleIdentifier FindingRule = "identifier" // the name is too long (KIP-1233)
	RuleNotInKgo   FindingRule = "not-in-kgo" // franz-go has no equivalent
)

// ConfigFinding is what CheckConfigs has to say about a configuration.
type ConfigFinding struct {
	// Key is the key as it was given. It may hold anything.
	Key string `json:"key"`
	// With are the other keys that it is about, given or not.
	With  []string     `json:"with,omitempty"`
	Level FindingLevel `json:"level"`
	Rule  FindingRule  `json:"rule"`
	// Reason is a sentence without the key and without any value that was given.
	Reason string `json:"reason"`
	// Source is who says so, such as "KIP-1324" or "Kafka's producer".
	Source string `json:"source"`
	// Suggestion is the key that may have been meant, empty if there is none.
	Suggestion string `json:"suggestion,omitempty"`
}

// CheckConfigs judges a client's configurations in Kafka's form, before a client is
// made with them: keys that nobody knows, values that are none, pairs that do not go
// together, names that are too long, what is held back from a push, and what a kgo
// client cannot have. It sends nothing. Where kind is given, keys of other kinds are
// found too; 0 stands for any.
//
// A finding is an error if Kafka's own client (of Kafka 4) or a broker refuses it. What
// only kgo refuses is a warning: the configurations are Kafka's, and kgo has other
// options. Values that a config provider fills in are not judged. That nothing is
// found proves nothing: brokers have limits of their own.
//
// Findings are sorted by key, errors first for one key. They never hold a value.
func CheckConfigs(configs map[string]string, kind kcfg.Kind) []ConfigFinding {
	c := &configCheck{configs: configs, kind: kind}
	return c.all()
}

// CheckClient is CheckConfigs for what a running client tells of itself. What only
// Kafka's own client refuses is a warning, since this one runs, and a custom key is
// none: the application named it. Of a key that occurs twice the first counts.
func CheckClient(r kcfg.ClientRecord) []ConfigFinding {
	configs := make(map[string]string, len(r.Configs))
	for _, e := range r.Configs {
		if _, twice := configs[e.Key]; !twice {
			configs[e.Key] = e.Value
		}
	}
	c := &configCheck{configs: configs, kind: r.Kinds, running: true}
	return c.all()
}

// configCheck is one look at configurations.
type configCheck struct {
	configs map[string]string
	kind    kcfg.Kind
	running bool
	out     []ConfigFinding
}

// Who refuses a configuration.
type refuser uint8

const (
	byAll   refuser = iota // Kafka's client and kgo, or brokers
	byKafka                // Kafka's client
	byKgo
)

func (c *configCheck) levelOf(who refuser) FindingLevel {
	if who == byKgo || who == byKafka && c.running {
		return FindingWarning
	}
	return FindingError
}

func (c *configCheck) all() []ConfigFinding {
	for key, value := range c.configs {
		c.key(key, value)
	}
	c.pairs()
	slices.SortFunc(c.out, func(a, b ConfigFinding) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(string(a.Level), string(b.Level)),
			strings.Compare(string(a.Rule), string(b.Rule)), strings.Compare(a.Reason, b.Reason))
	})
	return c.out
}

// key judges one configuration alone.
func (c *configCheck) key(key, value string) {
	t := configdef.TypeOf(key)
	if t == sensitive.Unknown {
		c.unknownKey(key, value)
		return
	}
	if c.kind != 0 && !c.kind.Overlaps(configdef.KindsOf(key)) {
		c.add(ConfigFinding{
			Key: key, Level: FindingWarning, Rule: RuleKind, Source: "Kafka's clients",
			Reason: "it is no key of a client of this kind (" + c.kind.String() + ")",
		})
	}
	if c.held(key, t, value) {
		return // and its value is nobody's business
	}
	if c.value(key, t, value) {
		c.identifier(key, value)
	}
	if !c.running && configdef.ToldFor(key) == 0 {
		c.add(ConfigFinding{
			Key: key, Level: FindingWarning, Rule: RuleNotInKgo, Source: "kgo",
			Reason: "franz-go has no option that means the same",
		})
	}
}

func (c *configCheck) unknownKey(key, value string) {
	// Of what type it is decides nothing about a key that is sensitive by name.
	if c.held(key, sensitive.String, value) || c.running {
		return
	}
	f := ConfigFinding{
		Key: key, Level: FindingWarning, Rule: RuleUnknown, Source: "Kafka's clients",
		Reason: "no client of Kafka has this key", Suggestion: configdef.Nearest(key),
	}
	if f.Suggestion != "" {
		f.Reason += "; perhaps " + f.Suggestion + " is meant"
	}
	c.add(f)
}

// held judges whether a push would hold the configuration back.
func (c *configCheck) held(key string, t sensitive.Type, value string) bool {
	reason := sensitive.Check(key, t)
	if reason == sensitive.NotSensitive {
		reason = sensitive.CheckValue(value)
	}
	if reason == sensitive.NotSensitive {
		return false
	}
	c.add(ConfigFinding{
		Key: key, Level: FindingWarning, Rule: RuleSensitive, Source: "KIP-1324",
		Reason: "it is held back from a push: " + reason.String(),
	})
	return true
}

func (c *configCheck) add(f ConfigFinding) { c.out = append(c.out, f) }

// identifiers are the keys whose values are names.
var identifiers = map[string]IdentifierType{
	"client.id":         IdentifierClientID,
	"client.rack":       IdentifierRack,
	"group.id":          IdentifierGroup,
	"group.instance.id": IdentifierGroupInstance,
	"transactional.id":  IdentifierTransactionalID,
}

func (c *configCheck) identifier(key, value string) {
	t, ok := identifiers[key]
	if !ok {
		return
	}
	if err := CheckIdentifier(t, value); err != nil {
		c.add(ConfigFinding{Key: key, Level: FindingError, Rule: RuleIdentifier, Source: "KIP-1233", Reason: strings.TrimPrefix(err.Error(), "errors: ")})
	}
}
