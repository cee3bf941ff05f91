package fakebroker

import (
	"crypto/tls"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/identifier"
)

// defaultMaxBytes is our default of client.configs.max.bytes; the proposal
// names none.
const defaultMaxBytes = 1 << 20

// Option configures a Cluster.
type Option func(*config)

type config struct {
	brokers  int
	ports    []int
	kfake    []kfake.Opt
	protocol kcfg.Protocol
	modes    []func(*Cluster) error

	policy        ClientConfigPolicy
	policyConfigs map[string]string
	maxBytes      int

	dynamic       bool
	alterPolicy   AlterConfigPolicy
	authorizer    func(RequestContext, Operation) bool
	authorizeSelf bool
	grants        []Grant // nil: everybody may do everything

	limits         *bool // nil is the default
	kafka50        bool
	offsetMetadata int

	tls      *tls.Config
	sasl     bool
	users    []User
	throttle time.Duration
	clock    func() time.Time
	capture  bool
}

// Brokers sets the number of brokers, overriding the default of 1. Their node
// ids count from 0.
func Brokers(n int) Option { return func(c *config) { c.brokers = n } }

// Ports sets the ports to listen on, one broker each, overriding the default of
// free ports and the number of Brokers.
func Ports(ports ...int) Option {
	return func(c *config) { c.ports = slices.Clone(ports) }
}

// Topics creates topics. It may be given several times.
func Topics(partitions int32, names ...string) Option {
	return KfakeOpts(kfake.SeedTopics(partitions, names...))
}

// KfakeOpts passes options to kfake. The package documentation names those that
// must not be used.
func KfakeOpts(opts ...kfake.Opt) Option {
	return func(c *config) { c.kfake = append(c.kfake, opts...) }
}

// Protocol sets the numbers of the RPCs, overriding kcfg.DefaultProtocol.
func Protocol(p kcfg.Protocol) Option { return func(c *config) { c.protocol = p } }

// Policy enables config push, with p as the policy. By default it is disabled.
func Policy(p ClientConfigPolicy) Option { return func(c *config) { c.policy = p } }

// PolicyConfigs sets what every Reconfigurable policy gets when the cluster
// starts, overriding the default of an empty map.
func PolicyConfigs(configs map[string]string) Option {
	return func(c *config) { c.policyConfigs = maps.Clone(configs) }
}

// MaxBytes sets client.configs.max.bytes, overriding the default of 1 MiB: the
// largest encoded Configs array that is accepted. It is at least 1.
func MaxBytes(n int) Option { return func(c *config) { c.maxBytes = n } }

// DynamicConfigs enables dynamic client configurations (KIP-649): the cluster
// serves DescribeClientConfigs and AlterClientConfigs. By default it does not.
func DynamicConfigs() Option { return func(c *config) { c.dynamic = true } }

// AlterPolicy sets the policy that alterations of configurations must pass: those of
// clients, and those of Kafka's own resources, in both of its requests. By default
// there is none.
func AlterPolicy(p AlterConfigPolicy) Option { return func(c *config) { c.alterPolicy = p } }

// Authorizer sets who may describe and alter client configurations: it is asked
// for the operation on the cluster resource, on the goroutines of several
// connections at a time, and must not block. By default everybody may do
// everything.
//
// A client that asks for its own configurations is not asked about, which is our
// deviation from the proposal; see AuthorizeSelf.
func Authorizer(allow func(rc RequestContext, op Operation) bool) Option {
	return func(c *config) { c.authorizer = allow }
}

// Grants sets who may describe and alter configurations, of clients and of Kafka's own
// resources: nobody may what no grant covers. An operation on the cluster covers every
// resource, and All implies both operations, as KIP-133 has it. By default everybody
// may do everything. What kfake's own ACLs say holds as well.
func Grants(grants ...Grant) Option {
	return func(c *config) { c.grants = append(append([]Grant{}, c.grants...), grants...) }
}

// AuthorizeSelf makes the Authorizer decide about clients that ask for their own
// configurations too, as the text of KIP-649 has it.
func AuthorizeSelf() Option { return func(c *config) { c.authorizeSelf = true } }

// TLS makes every listener a TLS one.
func TLS(cfg *tls.Config) Option { return func(c *config) { c.tls = cfg } }

// User is a SASL user.
type User struct {
	// Mechanism is PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.
	Mechanism string
	Name      string
	Password  string
}

// SASL makes every listener require authentication, and adds users. Without
// any, the users are those of KfakeOpts(kfake.Superuser(...)), or else kfake's
// default admin.
func SASL(users ...User) Option {
	return func(c *config) {
		c.sasl = true
		c.users = append(c.users, users...)
	}
}

// Throttle sets the throttle time that every answer of ours tells, overriding
// the default of none. It is told in whole milliseconds and not enforced.
func Throttle(d time.Duration) Option { return func(c *config) { c.throttle = d } }

// Clock sets what tells the broker's time, overriding time.Now.
func Clock(now func() time.Time) Option { return func(c *config) { c.clock = now } }

// CaptureBytes keeps every byte that clients send, as it was before TLS, for
// Received and Contains.
func CaptureBytes() Option { return func(c *config) { c.capture = true } }

func newConfig(opts []Option) (config, error) {
	c := config{
		brokers:  1,
		protocol: kcfg.DefaultProtocol(),
		maxBytes: defaultMaxBytes,
		clock:    time.Now,

		offsetMetadata: identifier.MaxOffsetMetadata,
	}
	for _, o := range opts {
		o(&c)
	}
	if len(c.ports) > 0 {
		c.brokers = len(c.ports)
	}
	return c, c.validate()
}

func (c *config) validate() error {
	switch {
	case c.brokers < 1:
		return fmt.Errorf("fakebroker: a cluster of %d brokers", c.brokers)
	case c.maxBytes < 1:
		return fmt.Errorf("fakebroker: client.configs.max.bytes of %d", c.maxBytes)
	case c.offsetMetadata < 0:
		return fmt.Errorf("fakebroker: offset.metadata.max.bytes of %d", c.offsetMetadata)
	case c.throttle < 0, c.throttle/time.Millisecond > math.MaxInt32:
		return fmt.Errorf("fakebroker: a throttle time of %v", c.throttle)
	case c.protocol.Feature != "" && c.protocol.FeatureLevel < 1:
		return fmt.Errorf("fakebroker: feature %q has the level %d", c.protocol.Feature, c.protocol.FeatureLevel)
	}
	for _, u := range c.users {
		switch u.Mechanism {
		case mechanismPlain, mechanismScram256, mechanismScram512:
		default:
			return fmt.Errorf("fakebroker: unknown SASL mechanism %q of user %q", u.Mechanism, u.Name)
		}
	}
	keys := c.protocol.Keys()
	for i, key := range keys {
		if key < 0 || slices.Contains(keys[:i], key) {
			return fmt.Errorf("fakebroker: API key %d is negative or taken twice", key)
		}
		if kmsg.RequestForKey(key) != nil {
			return fmt.Errorf("fakebroker: API key %d is Kafka's own %s", key, kmsg.NameForKey(key))
		}
	}
	return nil
}

// kfakeOpts returns the options for kfake. Ours come last, since the last of
// two wins there.
func (c *config) kfakeOpts(listen kfake.Opt) []kfake.Opt {
	opts := append(slices.Clone(c.kfake), kfake.NumBrokers(c.brokers), listen)
	if len(c.ports) > 0 {
		opts = append(opts, kfake.Ports(c.ports...))
	}
	if c.sasl {
		opts = append(opts, kfake.EnableSASL())
	}
	for _, u := range c.users {
		opts = append(opts, kfake.User(u.Mechanism, u.Name, u.Password))
	}
	return opts
}

// security returns the security protocol of the listeners.
func (c *config) security() string {
	switch {
	case c.sasl && c.tls != nil:
		return "SASL_SSL"
	case c.sasl:
		return "SASL_PLAINTEXT"
	case c.tls != nil:
		return "SSL"
	}
	return "PLAINTEXT"
}
