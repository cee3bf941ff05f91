package kafkatest

import (
	"context"
	"crypto/rand"
	_ "embed" // the logging configuration
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

//go:embed log4j2.properties
var log4j2 []byte

// The nodes of a cluster are numbered from 1.
const size = 3

// Options say what Start starts. The zero Options are fine.
type Options struct {
	// Version is the version of Kafka, one of Versions, overriding
	// DefaultVersion.
	Version string

	// Config adds to the server.properties of all nodes, and overrides what
	// this package sets.
	Config map[string]string
}

// Start starts a cluster and returns when it is ready: every node knows all
// others, and the coordinators of groups and transactions answer. The context
// bounds the start, with what it may have to fetch, and not the cluster's life.
//
// An error of the start holds the end of the log of the node that failed.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	if opts.Version == "" {
		opts.Version = DefaultVersion
	}
	r, err := prepare(ctx, opts.Version)
	if err != nil {
		return nil, err
	}
	// Somebody else may take a port between our choice and Kafka's listening.
	const attempts = 3
	for range attempts {
		var c *Cluster
		if c, err = startOnce(ctx, r, opts); err == nil {
			return c, nil
		}
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	return nil, err
}

// prepare finds what runs a version, and fetches what is not there.
func prepare(ctx context.Context, version string) (jvm, error) {
	sums, err := checksums(version)
	if err != nil {
		return jvm{}, err
	}
	path, err := java()
	if err != nil {
		return jvm{}, fmt.Errorf("kafkatest: Kafka needs Java 17 or newer: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return jvm{}, fmt.Errorf("kafkatest: cache: %w", err)
	}
	dir, err := jars(ctx, filepath.Join(cache, "kcfg-kafkatest"), version, sums)
	if err != nil {
		return jvm{}, err
	}
	return jvm{java: path, classpath: classpath(dir, sums)}, nil
}

func startOnce(ctx context.Context, r jvm, opts Options) (_ *Cluster, err error) {
	dir, err := os.MkdirTemp("", "kcfg-kafkatest-")
	if err != nil {
		return nil, fmt.Errorf("kafkatest: %w", err)
	}
	k, err := newKeeper(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c := &Cluster{version: opts.Version, dir: dir, jvm: r, keeper: k}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if err := c.layOut(opts.Config); err != nil {
		return nil, err
	}
	id := clusterID()
	err = c.each(func(n *node) error {
		if err := n.format(ctx, r, k, id); err != nil {
			return err
		}
		return n.start(r, k)
	})
	if err != nil {
		return nil, err
	}
	if err := c.awaitReady(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// clusterID returns a random one, as Kafka makes them: 16 bytes, and no dash in
// front, which the command line would take for an option.
func clusterID() string {
	id := make([]byte, 16)
	rand.Read(id)
	id[0] &= 0x7f // the first character is a letter
	return base64.RawURLEncoding.EncodeToString(id)
}

// layOut decides on the ports and writes all that the nodes start from.
func (c *Cluster) layOut(extra map[string]string) error {
	keystore, trusted, err := makeCertificates()
	if err != nil {
		return err
	}
	c.trusted = trusted
	keystoreFile := filepath.Join(c.dir, "keystore.pem")
	if err := os.WriteFile(keystoreFile, keystore, 0o600); err != nil {
		return fmt.Errorf("kafkatest: %w", err)
	}
	const each = 4
	free, err := freePorts(size * each)
	if err != nil {
		return err
	}
	for i := range size {
		p := free[i*each:]
		c.nodes = append(c.nodes, &node{
			id:       i + 1,
			dir:      filepath.Join(c.dir, strconv.Itoa(i+1)),
			keystore: keystoreFile,
			ports:    ports{plain: p[0], sasl: p[1], ssl: p[2], controller: p[3]},
		})
	}
	for _, n := range c.nodes {
		if err := n.write(serverProperties(c.nodes, n, extra)); err != nil {
			return fmt.Errorf("kafkatest: node %d: %w", n.id, err)
		}
	}
	return nil
}
