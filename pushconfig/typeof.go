package pushconfig

import (
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/sensitive"
)

// TypeOf returns the ConfigDef.Type of a key of Kafka's clients, or
// [sensitive.Unknown] for any other key. It knows the keys that are never sent
// too, so that sensitive.Check can tell why.
func TypeOf(key string) sensitive.Type { return configdef.TypeOf(key) }
