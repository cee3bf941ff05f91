package client

import (
	"crypto/tls"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/sensitive"
)

// Option is an option of New, NewProducer, NewConsumer and NewPlugin.
type Option interface{ apply(*config) }

type option func(*config)

func (o option) apply(c *config) { o(c) }

// DialFunc makes a connection to a broker, in the form of kgo.Dialer.
type DialFunc = connpatch.DialFunc

// WithKind adds to what the client is used as, and so to which of Kafka's keys
// describe it. The default is read from the kgo options: a share consumer with a
// share group; a consumer with a group, topics or partitions; a producer with a
// transactional id, or if it is nothing else. A client that produces counts as a
// producer from then on.
func WithKind(k kcfg.Kind) Option {
	return option(func(c *config) {
		c.kind |= k
		c.kindSet = true
	})
}

// Dialer sets how connections are made, in place of kgo.Dialer, which the
// library needs for itself. The default is a net.Dialer with kgo.DialTimeout as
// its timeout. Together with DialTLSConfig, TLS runs over this dialer's
// connections.
func Dialer(fn DialFunc) Option {
	return option(func(c *config) {
		c.dialer = fn
		c.dialerSet = true
	})
}

// DialTLSConfig makes connections with TLS, in place of kgo.DialTLSConfig. The
// config is cloned for every connection; where it has no ServerName, the host
// name of the broker is taken. The default is plaintext.
func DialTLSConfig(cfg *tls.Config) Option {
	return option(func(c *config) {
		c.tls = cfg
		c.tlsSet = true
	})
}

// MaxVersions sets the highest request versions, in place of kgo.MaxVersions.
// They are copied, and the library's own keys are added to the copy. The default
// is kgo's: kversion.Stable. Below Kafka 2.4 nothing is pushed: the ApiVersions
// request of those versions does not tell what a broker supports.
func MaxVersions(v *kversion.Versions) Option {
	return option(func(c *config) {
		c.versions = v
		c.versionsSet = true
	})
}

// DisableConfigsPush switches config push off (configs.push.enable of KIP-1324):
// no request is sent and nothing is read from the client.
func DisableConfigsPush() Option {
	return option(func(c *config) { c.noPush = true })
}

// PushKeys adds keys to the default set of keys that are pushed
// (configs.push.allowed.keys of KIP-1324). A key whose value kgo cannot tell
// needs an ExtraConfig besides. Sensitive keys stay held back: this option does
// not overrule package sensitive.
func PushKeys(keys ...string) Option {
	return option(func(c *config) { c.pushKeys = append(c.pushKeys, keys...) })
}

// ExtraConfig adds a configuration that kgo does not know, such as one of the
// application's own, with its value in Kafka's textual form. It is pushed with
// the others, not as a default, if package sensitive lets it pass. Where the
// client itself tells a value for the key, that one is pushed and this one is
// ignored with a warning. A value that is not of the type, and a type other than
// Kafka's for one of Kafka's keys, are errors.
func ExtraConfig(key, value string, t sensitive.Type) Option {
	return option(func(c *config) {
		c.extra = append(c.extra, sensitive.Entry{Key: key, Value: value, Type: t})
	})
}

// RetryBackoff sets the shortest and the longest pause between two tries of a
// request of this library, overriding the default of the client's own
// retry.backoff.ms and retry.backoff.max.ms (250ms and 5s in kgo, 100ms and 1s
// if the application set kgo.RetryBackoffFn). Pauses double and are jittered by
// a fifth. Both must be above zero.
func RetryBackoff(shortest, longest time.Duration) Option {
	return option(func(c *config) {
		c.backoffMin, c.backoffMax = shortest, longest
		c.backoffSet = true
	})
}

// PushTimeout sets how long one push may take with all of its tries, overriding
// the default of the client's own default.api.timeout.ms (kgo.RetryTimeout, 30s
// unless set; 60s where that is unlimited). It must be above zero.
func PushTimeout(d time.Duration) Option {
	return option(func(c *config) {
		c.pushTimeout = d
		c.timeoutSet = true
	})
}

// WithProtocol sets the numbers of the RPCs, overriding the default of
// kcfg.DefaultProtocol. API keys that Kafka uses for something else are refused.
func WithProtocol(p kcfg.Protocol) Option {
	return option(func(c *config) { c.proto = p })
}

// WithHooks adds hooks; see Hook.
func WithHooks(hooks ...Hook) Option {
	return option(func(c *config) { c.hooks = append(c.hooks, hooks...) })
}

// WithLogger sets the logger, overriding the default of the kgo client's own
// logger (kgo.WithLogger). Log lines hold keys and never values.
func WithLogger(l kgo.Logger) Option {
	return option(func(c *config) {
		c.logger = l
		c.loggerSet = true
	})
}
