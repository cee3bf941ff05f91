package cli

import (
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
)

// nowAndThen are the values of a key before and after a change, as they may be shown.
func nowAndThen(s *settings, op kcfg.ConfigOp) (now, then *string) {
	if s == nil {
		s = &settings{}
	}
	at := s.get(op.Key)
	if at != nil {
		now = at.Value
	}
	switch op.Kind {
	case kcfg.OpSet:
		then = &op.Value
	case kcfg.OpDelete:
		then = withoutOwn(at)
	case kcfg.OpAppend, kcfg.OpSubtract:
		then = new(listAfter(now, op))
	}
	if at == nil || at.Kind != kindConfig {
		return now, shown(op.Key, then)
	}
	if then != nil && (at.Sensitive || looksSecret(*then)) { // its broker says whether it is sensitive
		then = new(redacted)
	}
	return now, then
}

// withoutOwn is what a configuration of a resource is once it is not set there: the
// next of its synonyms. It is nil where that is not known: log.retention.hours, for
// one, stands for retention.ms in another unit.
func withoutOwn(s *setting) *string {
	if s == nil || s.Kind != kindConfig {
		return nil
	}
	if s.Source == kcfg.SourceDefault.String() || s.Source == kcfg.SourceStatic.String() {
		return s.Value // there is nothing to delete
	}
	for _, syn := range s.Synonyms {
		switch {
		case syn.Source.String() == s.Source && syn.Key == s.Key: // its own
		case syn.Key == s.Key, strings.HasSuffix(syn.Key, "."+s.Key):
			return syn.Value
		default:
			return nil
		}
	}
	return nil
}

// listAfter is a list after its change, as brokers make it: an element that is there is
// not added again.
func listAfter(now *string, op kcfg.ConfigOp) string {
	var list []string
	if now != nil && *now != "" {
		list = strings.Split(*now, ",")
	}
	for one := range strings.SplitSeq(op.Value, ",") {
		has := slices.Contains(list, one)
		switch {
		case op.Kind == kcfg.OpAppend && !has:
			list = append(list, one)
		case op.Kind == kcfg.OpSubtract && has:
			list = slices.DeleteFunc(list, func(s string) bool { return s == one })
		}
	}
	return strings.Join(list, ",")
}
