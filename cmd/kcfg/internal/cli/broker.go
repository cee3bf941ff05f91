package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
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
know config push at all.`

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
}

func (a *app) brokerVerb() *cobra.Command {
	var f brokerFlags
	cmd := &cobra.Command{
		Use:   "broker",
		Short: "Run the reference broker on this machine",
		Long:  brokerHelp,
		Example: `  kcfg broker
  kcfg broker --topic orders:3 --topic payments --setup
  kcfg broker --listen 127.0.0.1:19092 --nodes 3 --user alice:wonder --max-session 1m`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.broker(cmd.Context(), &f) },
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

// options returns the options of the broker, and who may connect to it.
func (f *brokerFlags) options(a *app) ([]fakebroker.Option, []fakebroker.User, error) {
	listen, err := f.where()
	if err != nil {
		return nil, nil, err
	}
	opts := []fakebroker.Option{listen, fakebroker.IdentifierLimits(f.limits)}
	switch f.policy {
	case "log":
		opts = append(opts, fakebroker.Policy(&fakebroker.LogPolicy{Logger: slog.New(slog.NewTextHandler(a.streams.Out, nil))}))
	case "none":
	default:
		return nil, nil, fmt.Errorf("--policy: there is no %q; there are log, none", f.policy)
	}
	if f.dynamic {
		opts = append(opts, fakebroker.DynamicConfigs())
	}
	for _, topic := range f.topics {
		name, partitions, err := topicOf(topic)
		if err != nil {
			return nil, nil, err
		}
		opts = append(opts, fakebroker.Topics(partitions, name))
	}
	users, err := f.allUsers()
	if err != nil {
		return nil, nil, err
	}
	if len(users) > 0 {
		opts = append(opts, fakebroker.SASL(users...))
	}
	if f.maxSession < 0 {
		return nil, nil, errors.New("--max-session must be above zero")
	}
	if f.maxSession > 0 {
		opts = append(opts, fakebroker.AlterPolicy(kcfg.AlterConfigPolicyFunc(f.judgeSession)))
	}
	return opts, users, nil
}

// where returns the option that says where to listen.
func (f *brokerFlags) where() (fakebroker.Option, error) {
	host, portText, err := net.SplitHostPort(f.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %q is not host:port", f.listen)
	}
	if host != "127.0.0.1" && host != "localhost" {
		return nil, fmt.Errorf("--listen: the reference broker is for this machine and listens on 127.0.0.1, not on %q", host)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("--listen: %q is no port", portText)
	}
	const most = 100
	if f.nodes < 1 || f.nodes > most || int(port)+f.nodes-1 > 65535 {
		return nil, fmt.Errorf("--nodes: %d brokers from port %d on are too few or too many", f.nodes, port)
	}
	if port == 0 {
		return fakebroker.Brokers(f.nodes), nil
	}
	var ports []int
	for i := range f.nodes {
		ports = append(ports, int(port)+i)
	}
	return fakebroker.Ports(ports...), nil
}

// topicOf parses name[:partitions].
func topicOf(s string) (string, int32, error) {
	name, count, given := strings.Cut(s, ":")
	partitions, err := int64(1), error(nil)
	if given {
		partitions, err = strconv.ParseInt(count, 10, 32)
	}
	if name == "" || err != nil || partitions < 1 || partitions > 1000 {
		return "", 0, fmt.Errorf("--topic: %q is not name[:partitions]", s)
	}
	return name, int32(partitions), nil
}

// judgeSession refuses session timeouts that are too long.
func (f *brokerFlags) judgeSession(_ context.Context, m kcfg.AlterConfigMetadata) error {
	const key = "session.timeout.ms"
	ms, err := strconv.ParseInt(m.Configs()[key], 10, 64)
	if err == nil && ms > f.maxSession.Milliseconds() {
		return fmt.Errorf("%s must not be above %d", key, f.maxSession.Milliseconds())
	}
	return nil
}
