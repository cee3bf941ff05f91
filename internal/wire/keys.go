package wire

import (
	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// CanonicalCode maps an error code that a broker answered to one of our RPCs to
// the number by which cfgerrors knows it. Only the codes that the proposals add
// can differ, since a Protocol may move them; Kafka's own stay as they are.
//
// A Protocol that gives a number of Kafka's own to one of the added codes means
// that one, so the added codes are looked at first.
func CanonicalCode(p kcfg.Protocol, code int16) int16 {
	switch code {
	case 0:
		return 0
	case p.ConfigTooLargeCode:
		return cfgerrors.CodeConfigTooLarge
	case p.ResourceIdentifierTooLargeCode:
		return cfgerrors.CodeResourceIdentifierTooLarge
	case cfgerrors.CodeConfigTooLarge, cfgerrors.CodeResourceIdentifierTooLarge:
		// The default number of a code that this Protocol moved elsewhere: it
		// is whatever the broker means by it, but not that.
		return cfgerrors.CodeUnknown
	}
	return code
}

// MaxStringLen is the longest string, in bytes, that Kafka's own code can write
// in any version of any message.
const MaxStringLen = 1<<15 - 1
