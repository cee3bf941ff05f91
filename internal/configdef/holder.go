package configdef

import "github.com/twmb/franz-go/pkg/kgo"

// A SourceHolder is a hook that made the Source of its client in OnNewClient.
// ConfigSource may be called at any time after that, from any goroutine, and
// may return nil.
type SourceHolder interface {
	ConfigSource() *Source
}

// SourceOf returns the Source that a hook of the client holds, or else a new
// one, for which the caution at [NewSource] stands. A holder that serves
// several clients and answers with the Source of another one is passed over.
func SourceOf(cl *kgo.Client) *Source {
	hooks, _ := cl.OptValue(kgo.WithHooks).([]kgo.Hook)
	for _, hook := range hooks {
		h, ok := hook.(SourceHolder)
		if !ok {
			continue
		}
		if s := h.ConfigSource(); s != nil && s.client == cl {
			return s
		}
	}
	return NewSource(cl)
}
