package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// awaitReady returns when every node is in the cluster, and the coordinators work.
func (c *Cluster) awaitReady(ctx context.Context) error {
	if err := c.awaitNodes(ctx); err != nil {
		return err
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...))
	if err != nil {
		return fmt.Errorf("kafkatest: %w", err)
	}
	defer cl.Close()
	return c.poll(ctx, c.nodes[0], func(ctx context.Context) error { return coordinatorsReady(ctx, cl) })
}

// poll calls check until it returns nil. A node that exits meanwhile, or a context
// that ends, ends it with the log of n.
func (c *Cluster) poll(ctx context.Context, n *node, check func(context.Context) error) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-n.exited():
			return n.failed(errors.New("it exited"))
		case <-ctx.Done():
			return n.failed(fmt.Errorf("%w, with: %w", context.Cause(ctx), err))
		}
	}
}

// errPortTaken says that somebody else listens on a port that was chosen.
var errPortTaken = errors.New("a port was taken")

// failed adds the end of the log to what went wrong with a node.
func (n *node) failed(err error) error {
	log, logErr := n.log()
	if logErr != nil {
		log = logErr.Error()
	}
	if strings.Contains(log, "java.net.BindException") {
		err = fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return fmt.Errorf("kafkatest: node %d: %w; the end of its log:\n%s", n.id, err, tail(log))
}

// Their hashes follow each other, so that there is one on each partition of the
// coordinators' topics.
var probes = []string{"kafkatest-0", "kafkatest-1", "kafkatest-2"}

// coordinatorsReady asks the coordinators for groups and transactions that do not
// exist. The first such question makes Kafka create their topics.
func coordinatorsReady(ctx context.Context, cl *kgo.Client) error {
	groups := kmsg.NewPtrDescribeGroupsRequest()
	groups.Groups = probes
	described, err := groups.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	for _, g := range described.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
			return fmt.Errorf("group %s: %w", g.Group, err)
		}
	}
	transactions := kmsg.NewPtrDescribeTransactionsRequest()
	transactions.TransactionalIDs = probes
	txns, err := transactions.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	for _, s := range txns.TransactionStates {
		if err := kerr.ErrorForCode(s.ErrorCode); err != nil && !errors.Is(err, kerr.TransactionalIDNotFound) {
			return fmt.Errorf("transactional id %s: %w", s.TransactionalID, err)
		}
	}
	return nil
}
