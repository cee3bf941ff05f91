package configdef

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// A readCase says what some keys of a client read as: the text, with isDefault
// after it if it is one, or absent.
type readCase struct {
	name string
	kind kcfg.Kind
	opts []kgo.Opt
	want map[string]string
}

const (
	isDefault = " (default)"
	absent    = "absent"
)

func shown(e sensitive.Entry, ok bool) string {
	switch {
	case !ok:
		return absent
	case e.IsDefault:
		return e.Value + isDefault
	}
	return e.Value
}

func readCases() []readCase {
	var all []readCase
	for _, cases := range [][]readCase{
		clientCases(), producerCases(), compressionCases(), consumerCases(),
		offsetCases(), balancerCases(), shareCases(),
	} {
		all = append(all, cases...)
	}
	return all
}

func TestKeysAreReadAsKafkaWritesThem(t *testing.T) {
	for _, c := range readCases() {
		t.Run(c.name, func(t *testing.T) {
			s := NewSource(newClient(t, c.opts...))
			for key, want := range c.want {
				e, ok := s.Read(key, c.kind)
				assert.Equal(t, want, shown(e, ok), key)
				if ok {
					assert.Equal(t, key, e.Key)
					assert.Equal(t, TypeOf(key), e.Type, key)
					_, err := Parse(e.Type, e.Value)
					assert.NoError(t, err, "%s: %q", key, e.Value)
				}
			}
		})
	}
}

// The cases above are only as good as what they look at: every key that can be
// told is to be seen as a default and as a change, and as absent where it can
// be.
func TestCasesLookAtEveryRow(t *testing.T) {
	seen := map[string]map[string]bool{}
	for _, c := range readCases() {
		s := NewSource(newClient(t, c.opts...))
		for key := range c.want {
			e, ok := s.Read(key, c.kind)
			if seen[key] == nil {
				seen[key] = map[string]bool{}
			}
			switch {
			case !ok:
				seen[key][absent] = true
			case e.IsDefault:
				seen[key][isDefault] = true
			default:
				seen[key]["changed"] = true
			}
		}
	}
	onlyIfSet := map[string]bool{
		"client.rack": true, "group.id": true, "group.instance.id": true, "transactional.id": true,
	}
	onlyIfNotSet := map[string]bool{"retry.backoff.ms": true, "retry.backoff.max.ms": true}
	for _, r := range table {
		if r.told == 0 {
			continue
		}
		assert.Equal(t, !onlyIfSet[r.key], seen[r.key][isDefault], "%s as a default", r.key)
		assert.Equal(t, !onlyIfNotSet[r.key], seen[r.key]["changed"], "%s as a change", r.key)
		if onlyIfSet[r.key] || onlyIfNotSet[r.key] {
			assert.True(t, seen[r.key][absent], "%s as absent", r.key)
		}
	}
}
