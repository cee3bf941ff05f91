package pushconfig

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/sensitive"
)

// Collect returns the default configurations of the kinds as the client has
// them: Kafka's keys, sorted, each once, and the effective values in Kafka's
// textual form. Kind 0 stands for what the client's options say that it is: a
// share consumer, a consumer, a producer if it has a transactional id or is
// neither, or several of these. A key that means two things to the kinds
// (request.timeout.ms, retries) has the producer's meaning if a producer is
// among them.
//
// A key that kgo has no equivalent of, or whose value Kafka has no text for, is
// left out, which does not mean that it has its default. A share consumer
// reports six keys, and bootstrap.servers is in no default set. Nothing that
// sensitive.Check holds back by its key is ever collected; the values are not
// yet checked.
//
// IsDefault means that kgo uses the same value when it is given none. The
// defaults are kgo's, which differ from Java's. A key that an operator's
// override changes on the wire is collected with the client's own value.
//
// On a client of package client, Collect may be called at any time. On any
// other, it must not run at the same time as the client's UpdateFetchMaxBytes:
// kgo has no way to read those two values without a data race.
//
// Collect opens no connection. It calls the functions given with
// kgo.RetryTimeoutFn and kgo.ProducerBatchMaxBytesFn, and survives their panic.
func Collect(cl *kgo.Client, kind kcfg.Kind) []sensitive.Entry {
	if kind == 0 {
		kind = configdef.KindOf(cl, 0)
	}
	return configdef.SourceOf(cl).Collect(kind)
}

// Defaults returns what Collect returns for a client of the kinds that was given
// nothing but, for those that have one, a group: kgo's defaults. Keys that have none,
// such as group.id, are left out.
func Defaults(kind kcfg.Kind) []sensitive.Entry { return configdef.Defaults(kind) }
