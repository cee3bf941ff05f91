package client

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/identifier"
)

// named is a name among the options of a client.
type named struct {
	option string
	t      IdentifierType
	value  string
}

// namesOf returns every name among the kgo options of a client. Patterns are none:
// they are not sent.
func namesOf(cl *kgo.Client) []named {
	out := []named{
		{"kgo.ClientID", IdentifierClientID, optOf[string](cl, kgo.ClientID)},
		{"kgo.ConsumerGroup", IdentifierGroup, optOf[string](cl, kgo.ConsumerGroup)},
		{"kgo.ShareGroup", IdentifierGroup, optOf[string](cl, kgo.ShareGroup)},
		{"kgo.InstanceID", IdentifierGroupInstance, optOf[string](cl, kgo.InstanceID)},
		{"kgo.TransactionalID", IdentifierTransactionalID, optOf[string](cl, kgo.TransactionalID)},
		{"kgo.Rack", IdentifierRack, optOf[string](cl, kgo.Rack)},
		{"kgo.DefaultProduceTopic", IdentifierTopic, optOf[string](cl, kgo.DefaultProduceTopic)},
	}
	if !optOf[bool](cl, kgo.ConsumeRegex) {
		for _, topic := range optOf[[]string](cl, kgo.ConsumeTopics) {
			out = append(out, named{"kgo.ConsumeTopics", IdentifierTopic, topic})
		}
	}
	partitions := optOf[map[string]map[int32]kgo.Offset](cl, kgo.ConsumePartitions)
	for _, topic := range slices.Sorted(maps.Keys(partitions)) {
		out = append(out, named{"kgo.ConsumePartitions", IdentifierTopic, topic})
	}
	return out
}

// judgeNames returns one warning about all names that are only too long for KIP-1233,
// and why a client with these names must not be made.
func judgeNames(names []named, enforce bool) (warning string, refusal error) {
	var errs []error
	var long []string
	for _, n := range names {
		warn, err := judgeName(n.t, n.value, enforce)
		if err != nil {
			errs = append(errs, fmt.Errorf("client: %s: %w", n.option, err))
		}
		if warn {
			long = append(long, n.option+": "+measure(identifier.Check(n.t, n.value)))
		}
	}
	if len(long) > 0 {
		warning = "names are longer than KIP-1233 allows, and brokers from Kafka 5.0 on are to refuse them: " +
			strings.Join(slices.Compact(long), "; ")
	}
	return warning, errors.Join(errs...)
}

func measure(err error) string {
	e, _ := errors.AsType[*cfgerrors.IdentifierTooLargeError](err)
	return fmt.Sprintf("%d characters, limit %d", e.Length, e.Limit)
}

// corruptWarning is about a name that came up at run time.
const corruptWarning = "a request with a name of more than 32,767 bytes was not sent, since kgo wrote a corrupt length for it; it was answered with INVALID_REQUEST"
