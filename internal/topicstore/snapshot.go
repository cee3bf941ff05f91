package topicstore

import (
	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// maxShown bounds each text of a record that somebody else chose.
const maxShown = 256

// withConfigs fills a client's record with what may leave the process.
func withConfigs(rec kcfg.ClientRecord, configs []sensitive.Clean) kcfg.ClientRecord {
	rec.Version = schemaVersion
	rec.Configs = make([]kcfg.ClientConfig, 0, len(configs))
	for _, c := range configs {
		e := c.Entry()
		rec.Configs = append(rec.Configs, kcfg.ClientConfig{Key: e.Key, Value: e.Value, Type: e.Type.String(), Default: e.IsDefault})
	}
	rec.Supported = append([]string{}, rec.Supported...)
	states := make([]kcfg.KeyState, 0, len(rec.Dynamic))
	for _, k := range rec.Dynamic {
		if k.Wished != nil && len(*k.Wished) > maxShown {
			k.Wished = new((*k.Wished)[:maxShown])
		}
		states = append(states, k)
	}
	rec.Dynamic = states
	return rec
}

// parseClient decodes what somebody wrote.
func parseClient(b []byte) (kcfg.ClientRecord, error) {
	return decode(b, func(r *kcfg.ClientRecord) int { return r.Version })
}
