package client

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/identifier"
)

// IdentifierType says what kind of name an identifier is (KIP-1233).
type IdentifierType = identifier.Type

// The types of identifiers. Each may have 249 characters, but for those that say
// otherwise. Characters are UTF-16 units, as Java counts.
const (
	IdentifierTopic           = identifier.Topic
	IdentifierGroup           = identifier.Group
	IdentifierMember          = identifier.Member // 36, for ids that clients make: those that brokers make are longer
	IdentifierGroupInstance   = identifier.GroupInstance
	IdentifierClientID        = identifier.ClientID
	IdentifierTransactionalID = identifier.TransactionalID
	IdentifierOffsetMetadata  = identifier.OffsetMetadata // 4,096 bytes: Kafka's default of offset.metadata.max.bytes
	IdentifierRack            = identifier.Rack
	IdentifierConfigResource  = identifier.ConfigResource
	IdentifierACLResource     = identifier.ACLResource
	IdentifierACLPrincipal    = identifier.ACLPrincipal
	IdentifierACLHost         = identifier.ACLHost
)

// CheckIdentifier returns a *cfgerrors.IdentifierTooLargeError for a name that is
// longer than 32,767 bytes, which requests cannot hold, or than KIP-1233 allows. The
// error does not hold the name. Of a type that there is not, it says so.
//
// Brokers from Kafka 5.0 on are to refuse what KIP-1233 does not allow; see
// EnforceIdentifierLimits.
func CheckIdentifier(t IdentifierType, value string) error {
	if _, _, ok := t.Limit(); !ok {
		return fmt.Errorf("client: CheckIdentifier: there is no %s", t)
	}
	return identifier.Check(t, value)
}

// IdentifierError returns err with a *cfgerrors.IdentifierTooLargeError in front if a
// broker refused a name with it because of the name's length, and else err as it is:
// OFFSET_METADATA_TOO_LARGE always does, INVALID_TOPIC_EXCEPTION and INVALID_REQUEST
// do for a name that is longer than KIP-1233 allows. Nothing is lost: errors.Is still
// finds the *kerr.Error.
func IdentifierError(err error, t IdentifierType, value string) error {
	if _, is := errors.AsType[*cfgerrors.IdentifierTooLargeError](err); is {
		return err
	}
	too := identifier.Check(t, value)
	switch {
	case errors.Is(err, kerr.OffsetMetadataTooLarge) && t == IdentifierOffsetMetadata:
		if too == nil { // the broker has a limit of its own
			too = &cfgerrors.IdentifierTooLargeError{Type: t.String()}
		}
	case errors.Is(err, kerr.InvalidTopicException) && t == IdentifierTopic:
	case errors.Is(err, kerr.InvalidRequest):
	default:
		return err
	}
	if too == nil {
		return err
	}
	return fmt.Errorf("%w: %w", too, err)
}

// EnforceIdentifierLimits makes names that are longer than KIP-1233 allows errors:
// those among the kgo options of a client, and those that an Admin is given. By
// default there is one warning, since brokers before Kafka 5.0 take them. For an Admin
// that of its client counts as well.
//
// Names of more than 32,767 bytes are always errors, since kgo would write a corrupt
// request.
func EnforceIdentifierLimits() AnyOption {
	return limitOption(func(enforce *bool) { *enforce = true })
}

type limitOption func(enforce *bool)

func (o limitOption) apply(c *config)           { o(&c.enforceLimits) }
func (o limitOption) applyAdmin(c *adminConfig) { o(&c.enforceLimits) }

// judgeName returns whether a name is to be warned of, or why it must not be used.
func judgeName(t IdentifierType, value string, enforce bool) (warn bool, err error) {
	if err := identifier.CheckWire(t, value); err != nil {
		return false, err
	}
	err = identifier.Check(t, value)
	if enforce {
		return false, err
	}
	return err != nil, nil
}
