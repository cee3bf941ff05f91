package fakebroker

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Support is what a broker says about our RPCs in its ApiVersions answers, and
// what it then does about them.
type Support int32

const (
	// Supported advertises key and feature, and serves the RPCs. It is the
	// default. A cluster without a policy advertises nothing all the same.
	Supported Support = iota
	// Unsupported advertises nothing, and closes a connection on which a
	// request of ours comes, as Kafka does for keys that it does not know.
	Unsupported
	// KeyOnly advertises the key without the feature: a broker that means
	// another RPC by the number. A request of ours closes the connection.
	KeyOnly
	// FeatureOnly advertises the feature without the key. A request of ours
	// closes the connection.
	FeatureOnly
	// Unserved advertises key and feature, and answers every request of ours
	// with UNSUPPORTED_VERSION.
	Unserved
)

// SupportedBy sets which brokers speak our RPCs, overriding the default of all:
// these do and the others do not.
func SupportedBy(nodes ...int32) Option {
	nodes = slices.Clone(nodes)
	return func(c *config) {
		c.modes = append(c.modes, func(cl *Cluster) error { return cl.SetSupport(nodes...) })
	}
}

// WithSupport sets how the given brokers advertise our RPCs, or all brokers if
// none is given.
func WithSupport(s Support, nodes ...int32) Option {
	nodes = slices.Clone(nodes)
	return func(c *config) {
		c.modes = append(c.modes, func(cl *Cluster) error { return cl.SetSupportMode(s, nodes...) })
	}
}

// SetSupport makes the given brokers speak our RPCs and no others: with none
// given, none does.
//
// ApiVersions answers and requests of ours follow it from the next one on.
// Clients ask for ApiVersions once a connection, so play the restart of a broker
// by CloseConnections after it.
func (c *Cluster) SetSupport(nodes ...int32) error {
	if err := c.knows(nodes); err != nil {
		return err
	}
	for _, n := range c.nodes {
		if slices.Contains(nodes, n.id) {
			n.support.Store(int32(Supported))
		} else {
			n.support.Store(int32(Unsupported))
		}
	}
	return nil
}

// SetSupportMode sets how the given brokers advertise our RPCs from now on, or
// all brokers if none is given. What SetSupport says of connections holds here
// too.
func (c *Cluster) SetSupportMode(s Support, nodes ...int32) error {
	if s < Supported || s > Unserved {
		return fmt.Errorf("fakebroker: unknown support mode %d", s)
	}
	if err := c.knows(nodes); err != nil {
		return err
	}
	for _, n := range c.nodes {
		if len(nodes) == 0 || slices.Contains(nodes, n.id) {
			n.support.Store(int32(s))
		}
	}
	return nil
}

func (c *Cluster) knows(nodes []int32) error {
	for _, id := range nodes {
		if id < 0 || int(id) >= len(c.nodes) {
			return fmt.Errorf("fakebroker: no broker has the node id %d", id)
		}
	}
	return nil
}

// advert returns what a broker in mode s adds to its ApiVersions answers. A
// Supported broker tells what is true, so only RPCs that are enabled; the bad
// modes tell all.
func (c *Cluster) advert(s Support) advert {
	if s == Unsupported {
		return advert{}
	}
	var ad advert
	for _, key := range c.cfg.protocol.Keys() {
		api, ok := c.apis[key]
		if !ok || s == FeatureOnly || s == Supported && !api.enabled {
			continue
		}
		k := kmsg.NewApiVersionsResponseApiKey()
		k.ApiKey, k.MaxVersion = key, api.request().MaxVersion()
		ad.keys = append(ad.keys, k)
	}
	if s == FeatureOnly || s != KeyOnly && len(ad.keys) > 0 {
		ad.feature, ad.level = c.cfg.protocol.Feature, c.cfg.protocol.FeatureLevel
	}
	return ad
}
