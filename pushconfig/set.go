package pushconfig

import (
	"crypto/sha256"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/wire"
	"github.com/kcfg-go/kcfg/sensitive"
)

// set is what would be pushed now.
type set struct {
	clean []sensitive.Clean
	held  []sensitive.Held
	sum   [sha256.Size]byte // of the encoded request, and of what is told besides
}

// newSet filters the entries. The sum stands for the values in memory: a set is
// remembered for as long as the client lives, its values need not be.
func newSet(entries []sensitive.Entry, besides []byte) set {
	clean, held := sensitive.Filter(entries...)
	body := wire.NewPushConfigRequest(kcfg.Protocol{}, clean...).AppendTo(nil)
	body = append(body, besides...)
	return set{clean: clean, held: held, sum: sha256.Sum256(body)}
}

func (s set) empty() bool { return len(s.clean) == 0 }

func (s set) keys() []string {
	keys := make([]string, 0, len(s.clean))
	for _, c := range s.clean {
		keys = append(keys, c.Entry().Key)
	}
	return keys
}

func (s set) entries() []sensitive.Entry {
	out := make([]sensitive.Entry, 0, len(s.clean))
	for _, c := range s.clean {
		out = append(out, c.Entry())
	}
	return out
}
