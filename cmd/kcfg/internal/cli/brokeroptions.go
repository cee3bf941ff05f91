package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

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

// topicName is the form of names that Kafka takes for topics.
var topicName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

// topicOf parses name[:partitions].
func topicOf(s string) (string, int32, error) {
	name, count, given := strings.Cut(s, ":")
	partitions, err := int64(1), error(nil)
	if given {
		partitions, err = strconv.ParseInt(count, 10, 32)
	}
	if !topicName.MatchString(name) || name == "." || name == ".." || err != nil || partitions < 1 || partitions > 1000 {
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
