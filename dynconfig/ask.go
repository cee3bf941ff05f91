package dynconfig

import (
	"context"
	"maps"
	"slices"

	"github.com/kcfg-go/kcfg"
)

// answerOf is what a poll brought.
type answerOf struct {
	wishes   map[string]wish
	gone     map[string]bool // keys that a second answer was without too
	node     int32
	requests int
}

// ask sends the request. An override that the answer does not have any more is
// asked for at another broker, since one that is behind is without it too. If
// that fails, the rest of the first answer counts.
func (p *Poller) ask(ctx context.Context) (answerOf, error) {
	s := p.cfg.Static()
	a := answerOf{node: NoNode}
	fetch := func(avoid ...int32) (map[string]wish, int32, error) {
		entries, node, err := p.cfg.Fetch(ctx, SupportedKeys(s.Kinds, p.cfg.Rules), avoid...)
		if node != NoNode {
			a.requests++
		}
		if err != nil {
			return nil, node, err
		}
		got, err := resolve(entries, s.ClientID)
		return got, node, err
	}
	got, node, err := fetch()
	if err != nil {
		return a, err
	}
	a.wishes, a.node = got, node
	p.mu.Lock()
	missing := p.wishes.missing(got)
	p.mu.Unlock()
	if len(missing) == 0 {
		return a, nil
	}
	second, _, err := fetch(node)
	if err != nil {
		return a, err
	}
	a.gone = make(map[string]bool)
	for _, key := range missing {
		if wish, there := second[key]; there {
			a.wishes[key] = wish // the first broker is behind
		} else {
			a.gone[key] = true
		}
	}
	return a, nil
}

// shown are the wishes for keys whose values may be seen.
func shown(wishes map[string]wish) []kcfg.KeyValue {
	var out []kcfg.KeyValue
	for _, key := range slices.Sorted(maps.Keys(wishes)) {
		if kindsOf(key) != 0 {
			out = append(out, kcfg.KeyValue{Key: key, Value: wishes[key].value})
		}
	}
	return out
}
