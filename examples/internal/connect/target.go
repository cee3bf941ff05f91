package connect

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// Target is a cluster, as clients need to know it.
type Target struct {
	seeds []string
	kgo   []kgo.Opt
	opts  []client.Option // how to connect
	more  []client.Option // the rest
	tls   *tls.Config     // nil for plaintext
	user  string
}

// To returns the cluster with the given brokers, and what kgo needs besides to
// get in.
func To(seeds []string, more ...kgo.Opt) Target {
	return Target{seeds: seeds, kgo: append([]kgo.Opt{kgo.SeedBrokers(seeds...)}, more...), user: "ANONYMOUS"}
}

// Kgo returns the kgo options for a client of the cluster: how to get there, and
// more.
func (t Target) Kgo(more ...kgo.Opt) []kgo.Opt {
	return append(slices.Clip(t.kgo), more...)
}

// Options is Kgo for the options of package client.
func (t Target) Options(more ...client.Option) []client.Option {
	return slices.Concat(t.opts, t.more, more)
}

// As returns the target for a user with this name, which is ANONYMOUS without SASL.
func (t Target) As(user string) Target {
	t.user = user
	return t
}

// User returns the name of the user that clients of the target are.
func (t Target) User() string { return t.user }

// With returns the target with options for every client.
func (t Target) With(more ...client.Option) Target {
	t.more = append(slices.Clip(t.more), more...)
	return t
}

// Seeds returns the brokers, as a Kafka client's bootstrap.servers.
func (t Target) Seeds() string { return strings.Join(t.seeds, ",") }

// reachable bounds how long Reach tries.
const reachable = 10 * time.Second

// Reach returns an error that a user understands if no broker can be reached. A
// client by itself would go on trying.
func (t Target) Reach(ctx context.Context, cl *client.Client) error {
	ctx, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	err := cl.Ping(ctx)
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("a broker of %s closed the connection; does it want TLS, or another user or password? %w", t.Seeds(), err)
	case err != nil:
		return fmt.Errorf("unable to reach a broker of %s: %w", t.Seeds(), err)
	}
	return nil
}

// Target returns the cluster that the flags name.
func (f *Flags) Target() (Target, error) {
	if err := f.Check(); err != nil {
		return Target{}, err
	}
	seeds := f.seeds()
	if len(seeds) == 0 {
		return Target{}, errors.New("-brokers names no broker")
	}
	mechanisms, err := f.sasl()
	if err != nil {
		return Target{}, err
	}
	t := To(seeds, mechanisms...)
	cfg, err := f.tlsConfig()
	if err != nil {
		return Target{}, err
	}
	if cfg != nil {
		t.tls, t.opts = cfg, []client.Option{client.DialTLSConfig(cfg)}
	}
	if f.user != "" {
		t.user = f.user
	}
	return t, nil
}

// Open returns the cluster that the flags name. Where they name none it starts
// the reference broker, with the topics and a policy that accepts every push.
// The returned function ends it.
func (f *Flags) Open(topics ...string) (Target, func(), error) {
	if f.Named() {
		t, err := f.Target()
		return t, func() {}, err
	}
	if err := f.Check(); err != nil {
		return Target{}, nil, err
	}
	broker, err := fakebroker.New(
		fakebroker.Brokers(3),
		fakebroker.Policy(&fakebroker.RecordPolicy{}),
		fakebroker.Topics(3, topics...),
	)
	if err != nil {
		return Target{}, nil, err
	}
	return To(broker.Addrs()), broker.Close, nil
}

// Node names a broker that an event or a Status tells of. kgo gives seeds ids of
// its own, all of them negative.
func Node(id int32) string {
	if id < 0 {
		return "a seed broker"
	}
	return fmt.Sprintf("broker %d", id)
}
