package entityargs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kcfg-go/kcfg"
)

// Words are the words that begin operations.
func Words() []string { return []string{"set", "delete", "append", "subtract"} }

var kinds = map[string]kcfg.ConfigOpKind{
	"set": kcfg.OpSet, "delete": kcfg.OpDelete, "append": kcfg.OpAppend, "subtract": kcfg.OpSubtract,
}

// parseWords understands operations as words: set k=v k2=v2 delete k3. A word stands
// until the next one. Values are taken as they are.
func parseWords(args []string) ([]kcfg.ConfigOp, error) {
	var out []kcfg.ConfigOp
	kind, word := kcfg.ConfigOpKind(-1), ""
	idle := false // the last word has nothing behind it
	for _, arg := range args {
		if k, ok := kinds[arg]; ok && !idle {
			kind, word, idle = k, arg, true
			continue
		}
		idle = false
		switch kind {
		case -1:
			return nil, fmt.Errorf("what is to be done begins with one of %s", strings.Join(Words(), ", ")) // it may be a value
		case kcfg.OpDelete:
			if strings.Contains(arg, "=") {
				return nil, errors.New("delete takes keys, without values")
			}
			out = append(out, kcfg.DeleteConfig(arg))
		default:
			key, value, ok := strings.Cut(arg, "=")
			if !ok {
				return nil, fmt.Errorf("%s takes key=value", word)
			}
			out = append(out, kcfg.ConfigOp{Kind: kind, Key: key, Value: value})
		}
	}
	if idle {
		return nil, fmt.Errorf("there is nothing behind %s", word)
	}
	return out, nil
}
