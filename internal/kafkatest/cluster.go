package kafkatest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
)

// A Cluster is a running Kafka. Its methods may be called by several goroutines,
// but Kill and Restart of the same node by one at a time.
type Cluster struct {
	version string
	dir     string
	trusted *x509.CertPool
	nodes   []*node
	jvm     jvm
	keeper  *keeper

	closing sync.Once
	removed error
}

// each calls f for all nodes at once.
func (c *Cluster) each(f func(*node) error) error {
	errs := make([]error, len(c.nodes))
	var wg sync.WaitGroup
	for i, n := range c.nodes {
		wg.Go(func() { errs[i] = f(n) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (c *Cluster) node(id int) (*node, error) {
	if id < 1 || id > len(c.nodes) {
		return nil, fmt.Errorf("kafkatest: there is no node %d", id)
	}
	return c.nodes[id-1], nil
}

// Close ends all nodes and removes what they wrote. Later calls return what the
// first one returned.
func (c *Cluster) Close() error {
	c.closing.Do(func() {
		c.keeper.close()
		for _, n := range c.nodes {
			<-n.exited()
		}
		c.removed = os.RemoveAll(c.dir) // the keeper may have met a file that was just being written
	})
	return c.removed
}

// Version returns the version of Kafka that runs.
func (c *Cluster) Version() string { return c.version }

// Nodes returns the ids of all nodes, whether they run or not.
func (c *Cluster) Nodes() []int {
	var ids []int
	for _, n := range c.nodes {
		ids = append(ids, n.id)
	}
	return ids
}

// Addrs returns the listeners without authentication, by node. Who comes there is
// User:ANONYMOUS, a superuser.
func (c *Cluster) Addrs() []string { return c.addrs(func(p ports) int { return p.plain }) }

// SASLAddrs returns the listeners with SASL and without TLS, by node.
func (c *Cluster) SASLAddrs() []string { return c.addrs(func(p ports) int { return p.sasl }) }

// SSLAddrs returns the listeners with TLS and without authentication, by node.
// Who comes there is User:ANONYMOUS, a superuser.
func (c *Cluster) SSLAddrs() []string { return c.addrs(func(p ports) int { return p.ssl }) }

func (c *Cluster) addrs(port func(ports) int) []string {
	var addrs []string
	for _, n := range c.nodes {
		addrs = append(addrs, addr(port(n.ports)))
	}
	return addrs
}

// TLSConfig returns a configuration for clients that trusts the nodes'
// certificate.
func (c *Cluster) TLSConfig() *tls.Config {
	return &tls.Config{RootCAs: c.trusted, MinVersion: tls.VersionTLS12}
}

// Running reports whether a node's process runs.
func (c *Cluster) Running(id int) bool {
	n, err := c.node(id)
	return err == nil && n.running()
}

// Kill ends a node as kill -9 does and returns when it is gone. The others notice
// six seconds later (broker.session.timeout.ms).
func (c *Cluster) Kill(id int) error {
	n, err := c.node(id)
	if err != nil {
		return err
	}
	return n.kill()
}

// Restart starts a killed node again, with its data and on its ports. It returns
// when the node says that it and all others that run are in the cluster, which is
// before it caught up with the partitions that it follows.
func (c *Cluster) Restart(ctx context.Context, id int) error {
	n, err := c.node(id)
	if err != nil {
		return err
	}
	if n.running() {
		return fmt.Errorf("kafkatest: node %d is running", id)
	}
	if err := n.start(c.jvm, c.keeper); err != nil {
		return err
	}
	return c.awaitNode(ctx, n)
}

// Logs returns what a node has printed since the first time it was started.
func (c *Cluster) Logs(id int) (string, error) {
	n, err := c.node(id)
	if err != nil {
		return "", err
	}
	return n.log()
}
