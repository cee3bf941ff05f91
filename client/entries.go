package client

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/pushconfig"
	"github.com/kcfg-go/kcfg/sensitive"
)

// kinds is what the client is used as now.
func (p *Plugin) kinds() kcfg.Kind {
	k := configdef.KindOf(p.cl, p.cfg.kind)
	if p.conns.Produced() {
		k |= kcfg.KindProducer
	}
	return k
}

// entries returns all that would be pushed if nothing were sensitive, sorted by
// key: the default set of the kinds, the keys of PushKeys, and ExtraConfig.
func (p *Plugin) entries() []sensitive.Entry {
	kind := p.kinds()
	list := p.source.Collect(kind)
	for _, s := range p.source.Skipped(kind) {
		p.tell(s.Key, "kcfg: a configuration key is left out", s.Reason)
	}
	has := make(map[string]bool, len(list))
	for _, e := range list {
		has[e.Key] = true
	}
	for _, e := range p.cfg.extra {
		if own, ok := p.source.Read(e.Key, kind); ok {
			p.tell(e.Key, "kcfg: an ExtraConfig is ignored", "the client itself tells the value")
			e = own
		}
		if !has[e.Key] {
			has[e.Key] = true
			list = append(list, e)
		}
	}
	for _, key := range p.cfg.pushKeys {
		if has[key] {
			continue
		}
		has[key] = true
		if e, ok := p.named(key, kind); ok {
			list = append(list, e)
		}
	}
	if dyn := p.poller(); dyn != nil {
		states := dyn.Status().Keys
		for i, e := range list {
			list[i].Value, list[i].IsDefault = p.inForce(e.Key, e.Value, e.IsDefault, states)
		}
	}
	slices.SortFunc(list, func(a, b sensitive.Entry) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// named returns the entry of a key that the application named. A sensitive key
// is returned without a value, so that it is reported as held back like all
// others.
func (p *Plugin) named(key string, kind kcfg.Kind) (sensitive.Entry, bool) {
	if e, ok := p.source.Read(key, kind); ok {
		return e, true
	}
	t := configdef.TypeOf(key)
	if t != sensitive.Unknown && sensitive.Check(key, t) != sensitive.NotSensitive {
		return sensitive.Entry{Key: key, Type: t}, true
	}
	p.tell(key, "kcfg: a key of PushKeys is left out", "the client has no value for it; give one with ExtraConfig")
	return sensitive.Entry{}, false
}

// tell logs a line about a key, once.
func (p *Plugin) tell(key, msg, reason string) {
	p.mu.Lock()
	again := p.told[msg+key]
	p.told[msg+key] = true
	p.mu.Unlock()
	if !again {
		p.log(kgo.LogLevelWarn, msg, "key", key, "reason", reason)
	}
}

// The defaults where the client cannot tell its own, as Java's clients have
// them.
const (
	javaBackoffMin = 100 * time.Millisecond
	javaBackoffMax = time.Second
	javaAPITimeout = time.Minute
)

// limits are those of the options, and else the client's own. Reading them costs
// a reference client, so it waits until there is something to push.
func (c *config) limits(src *configdef.Source) pushconfig.Limits {
	l := pushconfig.Limits{MinBackoff: c.backoffMin, MaxBackoff: c.backoffMax, Timeout: c.pushTimeout}
	if !c.backoffSet {
		l.MinBackoff = duration(src, "retry.backoff.ms", javaBackoffMin)
		l.MaxBackoff = duration(src, "retry.backoff.max.ms", javaBackoffMax)
	}
	if !c.timeoutSet {
		l.Timeout = duration(src, "default.api.timeout.ms", javaAPITimeout)
	}
	return l
}

// duration reads a key in milliseconds. An unlimited time is Kafka's largest
// integer, which is no time to wait.
func duration(src *configdef.Source, key string, otherwise time.Duration) time.Duration {
	e, ok := src.Read(key, kcfg.KindConsumer)
	if !ok {
		return otherwise
	}
	ms, err := strconv.ParseInt(e.Value, 10, 32)
	if err != nil || ms <= 0 || ms == math.MaxInt32 {
		return otherwise
	}
	return time.Duration(ms) * time.Millisecond
}
