package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/connect"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/sensitive"
)

const brokerHelp = `Run the reference broker of config push (KIP-1324) and dynamic client
configurations (KIP-649) for work on this machine: a Kafka in memory, on the
loopback address, which forgets everything when it ends. When it is ready it
prints "listening on HOST:PORT"; it runs until it is interrupted.

With --policy log, every configuration that a client pushes is told in one line:
who, and which keys, and never a value. With --policy none the broker does not
know config push at all.

With --demo it is as a Kafka of today, which knows neither of the two, with the topics
set up, a topic "orders", and four live clients that use them: two producers with the
client id orders-api and two consumers of the group billing. Try the other verbs on it.`

// brokerFlags are what the flags of broker say.
type brokerFlags struct {
	listen     string
	nodes      int
	topics     []string
	policy     string
	dynamic    bool
	users      []string
	usersFile  string
	setup      bool
	limits     bool
	maxSession time.Duration
	withDemo   bool
}

func (a *app) brokerVerb() *cobra.Command {
	var f brokerFlags
	cmd := &cobra.Command{
		Use:   "broker",
		Short: "Run the reference broker on this machine",
		Long:  brokerHelp,
		Example: `  kcfg broker
  kcfg broker --demo
  kcfg broker --topic orders:3 --topic payments --setup
  kcfg broker --listen 127.0.0.1:19092 --nodes 3 --user alice:wonder --max-session 1m`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.withDemo {
				if err := f.demo(cmd); err != nil {
					return usage(err)
				}
			}
			return a.broker(cmd.Context(), &f)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.listen, "listen", "127.0.0.1:9092", "listen on this `host:port` of the loopback interface; port 0 is a free one")
	fs.IntVar(&f.nodes, "nodes", 1, "run this `number` of brokers, on the ports from that of --listen on")
	fs.StringArrayVar(&f.topics, "topic", nil, "make this topic, `name[:partitions]`; may be repeated")
	fs.StringVar(&f.policy, "policy", "log", "what is done with pushed configurations: `log` or none")
	fs.BoolVar(&f.dynamic, "dynamic-configs", true, "serve dynamic client configurations (KIP-649)")
	fs.StringArrayVar(&f.users, "user", nil, "let in this SASL user, `name:password[:mechanism]`, SCRAM-SHA-256 by default, and nobody else; may be repeated")
	fs.StringVar(&f.usersFile, "users-file", "", "let in the users in this `file`, one a line in the form of --user")
	fs.BoolVar(&f.setup, "setup", false, "set up the topics of --transport topics too")
	fs.BoolVar(&f.limits, "identifier-limits", false, "refuse names that are longer than KIP-1233 allows")
	fs.DurationVar(&f.maxSession, "max-session", 0, "refuse a dynamic session.timeout.ms above this `time`")
	fs.BoolVar(&f.withDemo, "demo", false, "be as a Kafka of today, with the topics set up and four live clients")
	complete(cmd, "policy", "log", "none")
	return cmd
}

func (a *app) broker(ctx context.Context, f *brokerFlags) error {
	if flag := a.cluster.Given(); flag != "" {
		return usage(fmt.Errorf("--%s is for a cluster that runs; where this one listens says --listen", flag))
	}
	opts, users, err := f.options(a)
	if err != nil {
		return usage(err)
	}
	cluster, err := fakebroker.New(opts...)
	if err != nil {
		return fmt.Errorf("unable to listen on %s: %w", f.listen, err)
	}
	defer cluster.Close()
	if f.setup {
		if err := a.setUp(ctx, cluster.Addrs(), users); err != nil {
			return err
		}
	}
	if f.withDemo {
		end, err := a.demonstrate(ctx, cluster.Addrs())
		if err != nil {
			return err
		}
		defer end()
	}
	t := output.NewLines(a.streams.Out)
	for _, addr := range cluster.Addrs() {
		t.Line("listening on %s", addr)
	}
	if err := t.Err(); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// setUp does what kcfg setup does.
func (a *app) setUp(ctx context.Context, addrs []string, users []fakebroker.User) error {
	opts := []kgo.Opt{kgo.SeedBrokers(addrs...), kgo.ClientID("kcfg")}
	if len(users) > 0 {
		m, err := connect.Mechanism(users[0].Mechanism, users[0].Name, sensitive.NewSecret(users[0].Password))
		if err != nil {
			return err
		}
		opts = append(opts, kgo.SASL(m))
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return err
	}
	defer cl.Close()
	admin, err := client.NewAdmin(cl, client.Transport(client.TransportTopics), client.Topics(a.topics), client.AdminTimeout(a.timeout))
	if err != nil {
		return usage(err)
	}
	_, err = admin.SetupTopics(ctx, kcfg.TopicSetup{})
	return err
}
