package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/entityargs"
)

// describeClients tells the quotas and the dynamic client configurations of the
// entities that the target is about, sorted. One of the two APIs may fail.
func (s session) describeClients(ctx context.Context, t entityargs.Target) (out told, answered bool) {
	var quotas, dynamic []settings
	var quotaErr, dynamicErr error
	var both sync.WaitGroup
	both.Go(func() { quotas, quotaErr = s.quotas(ctx, t) })
	withDynamic := hasDynamic(t)
	if withDynamic {
		both.Go(func() { dynamic, dynamicErr = s.dynamic(ctx, t) })
	}
	both.Wait()
	if dynamicErr != nil {
		out.failed("DescribeClientConfigs", dynamicErr)
	}
	if quotaErr != nil {
		out.failed("DescribeClientQuotas", quotaErr)
	}
	out.Entities = merged(dynamic, quotas)
	return out, quotaErr == nil || withDynamic && dynamicErr == nil
}

// hasDynamic reports whether there can be dynamic client configurations for what the
// target is about: there are none for a client id of no user.
func hasDynamic(t entityargs.Target) bool {
	_, user := t.Of(entityargs.Users)
	client, _ := t.Of(entityargs.Clients)
	return user || client.Type != "" && !client.Named
}

// dynamic returns the dynamic client configurations of the entities that the target is
// about.
func (s session) dynamic(ctx context.Context, t entityargs.Target) ([]settings, error) {
	got, err := s.admin.DescribeClientConfigs(ctx, filterOf(t))
	var out []settings
	for _, d := range got {
		one := settings{Entity: d.Entity.Parts(), Supported: d.Supported}
		if !t.Matches(one.Entity) {
			continue
		}
		for _, v := range d.Values {
			one.Configs = append(one.Configs, setting{Key: v.Key, Value: shown(v.Key, &v.Value), Kind: kindDynamic})
		}
		out = append(out, one)
	}
	return out, err
}

// filterOf is a filter that matches what the target is about, and more: a broker is
// not asked for any client id alone.
func filterOf(t entityargs.Target) (f kcfg.Filter) {
	for _, p := range t {
		if !p.Named {
			continue
		}
		c := kcfg.FilterComponent{Type: quotaType(p.Type), Match: kcfg.MatchDefault}
		if p.Name != nil {
			c.Match, c.Name = kcfg.MatchExact, *p.Name
		}
		f.Components = append(f.Components, c)
	}
	return f
}

// merged makes one list of what several APIs tell, sorted by entity, kind and key.
func merged(lists ...[]settings) []settings {
	by := make(map[string]*settings)
	out := []settings{}
	for _, one := range slices.Concat(lists...) {
		id, err := json.Marshal(one.Entity)
		if err != nil {
			panic(err) // it is made of strings
		}
		all, ok := by[string(id)]
		if !ok {
			all = &settings{Entity: one.Entity, Configs: []setting{}}
			by[string(id)] = all
		}
		all.Configs = append(all.Configs, one.Configs...)
		if one.Supported != nil {
			all.Supported = one.Supported
		}
	}
	for _, one := range by {
		slices.SortFunc(one.Configs, func(a, b setting) int {
			return strings.Compare(a.Kind+"\x00"+a.Key, b.Kind+"\x00"+b.Key)
		})
		out = append(out, *one)
	}
	slices.SortFunc(out, func(a, b settings) int { return compareParts(a.Entity, b.Entity) })
	return out
}
