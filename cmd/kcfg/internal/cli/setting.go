package cli

import (
	"cmp"
	"slices"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/fleet"
	"github.com/kcfg-go/kcfg/sensitive"
)

const redacted = fleet.Redacted

// The kinds of settings.
const (
	kindDynamic = "dynamic" // a dynamic client configuration (KIP-649)
	kindQuota   = "quota"
	kindConfig  = "config" // of a resource (KIP-133)
)

// setting is a configuration of somebody, as it may be shown.
type setting struct {
	Key       string               `json:"key"`
	Value     *string              `json:"value"`
	Kind      string               `json:"kind"`
	Type      string               `json:"type,omitempty"`
	Source    string               `json:"source,omitempty"`
	ReadOnly  bool                 `json:"readOnly,omitempty"`
	Sensitive bool                 `json:"sensitive,omitempty"`
	Synonyms  []kcfg.ConfigSynonym `json:"synonyms,omitempty"`
}

// settings are those of one entity.
type settings struct {
	Entity  []kcfg.EntityPart `json:"entity"`
	Configs []setting         `json:"configs"`
	// Supported is what clients of the entity said to support.
	Supported map[string][]string `json:"supported,omitempty"`
}

func (s *settings) get(key string) *setting {
	i := slices.IndexFunc(s.Configs, func(one setting) bool { return one.Key == key })
	if i < 0 {
		return nil
	}
	return &s.Configs[i]
}

// shown is a value of a client configuration or of a quota as it may be shown.
func shown(key string, value *string) *string {
	if value == nil || sensitive.Check(key, sensitive.String) == sensitive.NotSensitive && !looksSecret(*value) {
		return value
	}
	return new(redacted)
}

// looksSecret reports whether a value looks like a credential, whatever its key is.
func looksSecret(value string) bool { return sensitive.CheckValue(value) == sensitive.ReasonValue }

// settingOf is an entry of a resource as it may be shown. What is sensitive the broker
// says, and the name of the key where it does not even know its type; a value that
// looks like a credential is masked in any case.
func settingOf(e kcfg.ConfigEntry) setting {
	if e.Type == kcfg.TypeUnknown && sensitive.Check(e.Key, sensitive.String) != sensitive.NotSensitive {
		e.Sensitive = true
	}
	s := setting{Key: e.Key, Value: e.Value, Kind: kindConfig, Type: e.Type.String(), Source: e.Source.String(), ReadOnly: e.ReadOnly, Sensitive: e.Sensitive}
	hide := func(v *string) *string {
		if e.Sensitive || v != nil && looksSecret(*v) {
			return new(redacted)
		}
		return v
	}
	s.Value = hide(e.Value)
	for _, syn := range e.Synonyms {
		syn.Value = hide(syn.Value)
		s.Synonyms = append(s.Synonyms, syn)
	}
	return s
}

// compareParts orders entities: by user, client id and whatever else, where one
// without comes first, then the default.
func compareParts(a, b []kcfg.EntityPart) int {
	for _, kind := range []string{kcfg.EntityUser, kcfg.EntityClientID} {
		if c := comparePart(partOf(a, kind), partOf(b, kind)); c != 0 {
			return c
		}
	}
	for i := range min(len(a), len(b)) {
		if c := cmp.Or(cmp.Compare(a[i].Type, b[i].Type), comparePart(&a[i], &b[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func comparePart(a, b *kcfg.EntityPart) int {
	rank := func(p *kcfg.EntityPart) int {
		switch {
		case p == nil:
			return 0
		case p.Name == nil:
			return 1
		}
		return 2
	}
	if c := cmp.Compare(rank(a), rank(b)); c != 0 || rank(a) < 2 {
		return c
	}
	return cmp.Compare(*a.Name, *b.Name)
}

func partOf(parts []kcfg.EntityPart, kind string) *kcfg.EntityPart {
	i := slices.IndexFunc(parts, func(p kcfg.EntityPart) bool { return p.Type == kind })
	if i < 0 {
		return nil
	}
	return &parts[i]
}
