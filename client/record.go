package client

import (
	"encoding/json"
	"os"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/dynconfig"
	"github.com/kcfg-go/kcfg/internal/topicstore"
	"github.com/kcfg-go/kcfg/sensitive"
)

// record is what the client tells of itself in the topics, its configurations
// aside.
func (p *Plugin) record() kcfg.ClientRecord {
	host, _ := os.Hostname() // empty where there is none
	s := kcfg.ClientRecord{
		Instance:  p.instance,
		ClientID:  harmless("client.id", optOf[string](p.cl, kgo.ClientID)),
		Group:     harmless("group.id", optOf[string](p.cl, kgo.ConsumerGroup)),
		Software:  topicstore.SoftwareOf(p.cl),
		Host:      harmless("host.name", host),
		Kinds:     p.kinds(),
		Since:     p.since,
		At:        time.Now().UTC().Truncate(time.Millisecond),
		Supported: dynconfig.SupportedKeys(p.kinds(), p.cfg.rules),
		Dynamic:   p.dynamicStates(),
	}
	if p.poller() == nil {
		s.Supported = nil
	}
	if share := optOf[string](p.cl, kgo.ShareGroup); share != "" {
		s.Group = harmless("group.id", share)
	}
	if user, ok := p.user(p.cl); ok {
		s.Principal = &user
	}
	return s
}

// harmless returns a value that may leave the process, and else nothing.
func harmless(key, value string) string {
	if clean, _ := sensitive.Filter(sensitive.Entry{Key: key, Value: value, Type: sensitive.String}); len(clean) == 1 {
		return value
	}
	return ""
}

func (p *Plugin) dynamicStates() []kcfg.KeyState {
	if dyn := p.poller(); dyn != nil {
		return dyn.Status().Keys
	}
	return nil
}

// besides is what makes a record another one though the configurations are the
// same: the keys of which something is wished. Before the first answer there are
// none, and most clients have none after it.
func (p *Plugin) besides() []byte {
	states := slices.DeleteFunc(p.dynamicStates(), func(s kcfg.KeyState) bool {
		return s.State == kcfg.OverrideStatic && s.Wished == nil
	})
	again := p.topics.Remade() // it may be without the record
	if len(states) == 0 {
		return []byte(again)
	}
	b, err := json.Marshal(states)
	if err != nil {
		return nil // of strings only: it cannot be
	}
	return append(b, again...)
}
