package client

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kcfg-go/kcfg/dynconfig"
)

// RejoinNever as RejoinDelay leaves an override of session.timeout.ms to the next
// join of the group that happens anyway.
const RejoinNever = dynconfig.RejoinNever

// DisableDynamicConfigs switches dynamic configs off (KIP-649): the cluster is
// not asked, and no request is changed.
func DisableDynamicConfigs() Option {
	return option(func(c *config) { c.noDynamic = true })
}

// AuditOnly asks for overrides and judges them, as Status tells, and uses none.
func AuditOnly() Option {
	return option(func(c *config) { c.auditOnly = true })
}

// AcceptOverrides sets the keys whose overrides are used, overriding the default
// of acks, session.timeout.ms and heartbeat.interval.ms. Also possible are
// fetch.max.wait.ms, fetch.min.bytes, fetch.max.bytes, max.partition.fetch.bytes,
// and request.timeout.ms of produce requests. None at all accepts none.
func AcceptOverrides(keys ...string) Option {
	keys = append([]string{}, keys...) // never nil, which stands for the default
	return option(func(c *config) { c.rules.AcceptOverrides = keys })
}

// MinAcks sets the weakest override of acks that is used, overriding the default
// of dynconfig.NoAck, which KIP-649 allows.
func MinAcks(a dynconfig.Acks) Option {
	return option(func(c *config) { c.rules.MinAcks = a })
}

// SessionTimeoutBounds limit overrides of session.timeout.ms, both included,
// overriding the default of 6s and 30m: those of Kafka's brokers
// (group.min.session.timeout.ms and group.max.session.timeout.ms).
func SessionTimeoutBounds(shortest, longest time.Duration) Option {
	return option(func(c *config) {
		c.rules.SessionTimeoutBounds = dynconfig.Bounds{Min: shortest, Max: longest}
		c.boundsSet = true
	})
}

// PollInterval sets how often the cluster is asked for overrides, overriding the
// default of metadata.max.age.ms (kgo.MetadataMaxAge, 5m unless set); less than 1s
// counts as 1s.
func PollInterval(d time.Duration) Option {
	return option(func(c *config) { c.pollInterval, c.pollSet = d, true })
}

// InitialFetchTimeout sets how long the first JoinGroup of a group waits for the
// first answer, so that it can carry an override of session.timeout.ms, overriding
// the default of 3s. 0 does not wait. Nothing waits on a cluster that does not
// support dynamic configs, nor with AuditOnly or DisableDynamicConfigs.
func InitialFetchTimeout(d time.Duration) Option {
	return option(func(c *config) { c.firstFetch, c.firstFetchSet = d, true })
}

// RejoinDelay sets how long a changed session timeout waits for a join of the
// group that happens anyway before the client causes one, overriding the default
// of one PollInterval: by then every member has learned of it, and one rebalance
// is enough for all. 0 causes it at once, RejoinNever never. Without this option,
// no rebalance is caused with an eager balancer, which would stop the whole group;
// and none ever by a client with a transactional id and a group.
func RejoinDelay(d time.Duration) Option {
	return option(func(c *config) { c.rejoinDelay = &d })
}

// defaultFirstFetch is the default of InitialFetchTimeout.
const defaultFirstFetch = 3 * time.Second

func (c *config) checkDynamic() error {
	var errs []error
	if c.pollSet && c.pollInterval <= 0 {
		errs = append(errs, fmt.Errorf("client: PollInterval(%v): must be above zero", c.pollInterval))
	}
	if c.firstFetchSet && c.firstFetch < 0 {
		errs = append(errs, fmt.Errorf("client: InitialFetchTimeout(%v): must not be below zero", c.firstFetch))
	}
	if d := c.rejoinDelay; d != nil && *d < 0 && *d != RejoinNever {
		errs = append(errs, fmt.Errorf("client: RejoinDelay(%v): must not be below zero", *d))
	}
	if b := c.rules.SessionTimeoutBounds; c.boundsSet && (b.Min <= 0 || b.Max < b.Min) {
		errs = append(errs, fmt.Errorf("client: SessionTimeoutBounds(%v, %v): both must be above zero, and the first not above the second", b.Min, b.Max))
	}
	switch c.rules.MinAcks {
	case dynconfig.NoAck, dynconfig.LeaderAck, dynconfig.AllAcks:
	default:
		errs = append(errs, errors.New("client: MinAcks: must be one of dynconfig.NoAck, LeaderAck and AllAcks"))
	}
	for _, k := range c.rules.AcceptOverrides {
		if !slices.Contains(dynconfig.Keys(), k) {
			errs = append(errs, fmt.Errorf("client: AcceptOverrides(%q): no key that can be changed", k))
		}
	}
	return errors.Join(errs...)
}
