package fakebroker

import (
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Cluster is a running cluster of one or more brokers on the loopback interface.
type Cluster struct {
	cfg    config
	fake   *kfake.Cluster
	nodes  []*node
	apis   map[int16]rpc
	script script
	record record
	store  store

	calls sync.WaitGroup // calls of kfake on our connections
	done  chan struct{}  // closed by Close
	stop  func()

	mu     sync.Mutex
	conns  map[*conn]struct{}
	closed bool
}

// node is one broker.
type node struct {
	id      int32
	addr    string
	support atomic.Int32 // a Support
}

func (n *node) mode() Support { return Support(n.support.Load()) }

// New starts a cluster.
func New(opts ...Option) (*Cluster, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		cfg:    cfg,
		record: record{nodes: newTraffic(cfg.brokers)},
		done:   make(chan struct{}),
		conns:  make(map[*conn]struct{}),
	}
	c.stop = sync.OnceFunc(c.shut)
	c.apis = map[int16]rpc{
		cfg.protocol.DescribeClientConfigsKey: c.describeRPC(),
		cfg.protocol.AlterClientConfigsKey:    c.alterRPC(),
		cfg.protocol.PushConfigKey:            c.pushRPC(),
	}
	for id := range cfg.brokers {
		c.nodes = append(c.nodes, &node{id: int32(id)})
	}
	for _, set := range cfg.modes {
		if err := set(c); err != nil {
			return nil, err
		}
	}
	if err := c.Reconfigure(cfg.policyConfigs); err != nil {
		return nil, err
	}
	if c.fake, err = kfake.NewCluster(cfg.kfakeOpts(c.listen())...); err != nil {
		c.Close()
		return nil, fmt.Errorf("fakebroker: start the cluster: %w", err)
	}
	return c, nil
}

// Close stops the cluster and closes the policies. Answers that are held back are
// forgotten, and waits end. It blocks until every call of a policy has returned,
// so a policy must not call it. It is safe to call twice.
func (c *Cluster) Close() { c.stop() }

func (c *Cluster) shut() {
	close(c.done)
	if c.fake != nil {
		c.fake.Close()
	}
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.CloseConnections()
	c.calls.Wait()
	for _, policy := range c.policies() {
		if p, ok := policy.(io.Closer); ok {
			_ = p.Close() // nobody is left to tell
		}
	}
}

// Addrs returns the addresses of the brokers, in the order of their node ids.
func (c *Cluster) Addrs() []string {
	out := make([]string, 0, len(c.nodes))
	for _, n := range c.nodes {
		out = append(out, n.addr)
	}
	return out
}

// Nodes returns the node ids of the brokers.
func (c *Cluster) Nodes() []int32 {
	out := make([]int32, 0, len(c.nodes))
	for _, n := range c.nodes {
		out = append(out, n.id)
	}
	return out
}

// Kfake returns the cluster behind the tap, for what only kfake can do. Its
// control functions do not see our RPCs. Do not close it.
func (c *Cluster) Kfake() *kfake.Cluster { return c.fake }

// Reconfigure gives configurations to the policies that are Reconfigurable, and
// does nothing for any other.
func (c *Cluster) Reconfigure(configs map[string]string) error {
	for _, policy := range c.policies() {
		p, ok := policy.(Reconfigurable)
		if !ok {
			continue
		}
		if err := p.Configure(configs); err != nil {
			return fmt.Errorf("fakebroker: configure the policy: %w", err)
		}
	}
	return nil
}

// policies returns the policies of the cluster, nil where there is none.
func (c *Cluster) policies() []any { return []any{c.cfg.policy, c.cfg.alterPolicy} }

// CloseConnections closes the connections to the given brokers, or to all if
// none is given.
func (c *Cluster) CloseConnections(nodes ...int32) {
	c.mu.Lock()
	var closing []*conn
	for t := range c.conns {
		if len(nodes) == 0 || slices.Contains(nodes, t.node.id) {
			closing = append(closing, t)
		}
	}
	c.mu.Unlock()
	for _, t := range closing {
		_ = t.close()
	}
}

// ours reports whether a request of this key is answered by the tap.
func (c *Cluster) ours(key int16) bool {
	keys := c.cfg.protocol.Keys()
	return slices.Contains(keys[:], key)
}

// throttle returns the throttle time that an answer tells.
func (c *Cluster) throttle(f *Fault) int32 {
	if f != nil && f.ThrottleMillis != 0 {
		return f.ThrottleMillis
	}
	return int32(c.cfg.throttle / time.Millisecond)
}

// adopt makes a tap of an accepted connection. On a closed cluster it fails.
func (c *Cluster) adopt(n *node, inner net.Conn) (*conn, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, false
	}
	t := newConn(c, n, inner)
	c.conns[t] = struct{}{}
	return t, true
}

func (c *Cluster) forget(t *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.conns, t)
}
