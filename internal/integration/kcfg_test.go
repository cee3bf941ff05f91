package integration_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// logger keeps log lines.
type logger struct {
	mu    sync.Mutex
	lines []string
}

func (*logger) Level() kgo.LogLevel { return kgo.LogLevelInfo }

func (l *logger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprint(level, " ", msg, " ", keyvals))
}

// told returns the lines of kcfg.
func (l *logger) told() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, line := range l.lines {
		if strings.Contains(line, "kcfg: ") {
			out = append(out, line)
		}
	}
	return out
}

// as is a SASL user's way in.
func as(c *kafkatest.Cluster, user string) []kgo.Opt {
	return []kgo.Opt{kgo.SeedBrokers(c.SASLAddrs()...), kgo.SASL(scramAs(user, kafkatest.Password(user)))}
}

// ours makes a client of kcfg that is closed with the test.
func ours(t *testing.T, kopts []kgo.Opt, opts ...client.Option) *client.Client {
	t.Helper()
	cl, err := client.New(kopts, opts...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

// store are two topics that a test has for itself, and their operator.
type store struct {
	*client.Admin
	names client.TopicNames
}

// where are the options of a client that uses them.
func (s store) where() []client.Option {
	return []client.Option{client.Transport(client.TransportTopics), client.Topics(s.names), client.PollInterval(time.Second)}
}

// operator returns an operator of a pair of topics, which are not made yet.
func operator(t *testing.T, c *kafkatest.Cluster) store {
	t.Helper()
	n := strings.ReplaceAll(name(t), "#", "-")
	s := store{names: client.TopicNames{Dynamic: n + "-dynamic", Clients: n + "-clients"}}
	var err error
	s.Admin, err = client.NewAdmin(bare(t, c.Addrs()), client.Transport(client.TransportTopics), client.Topics(s.names))
	require.NoError(t, err)
	return s
}

// setUp is operator, with the topics made. They end with the cluster.
func setUp(t *testing.T, c *kafkatest.Cluster, setup kcfg.TopicSetup) store {
	t.Helper()
	s := operator(t, c)
	made, err := s.SetupTopics(withTimeout(t), setup)
	require.NoError(t, err)
	require.Equal(t, 12, made.Headers)
	return s
}

// set alters the configurations of a user.
func (s store) set(t *testing.T, e kcfg.Entity, ops ...kcfg.Op) {
	t.Helper()
	out, err := s.AlterClientConfigs(withTimeout(t), kcfg.Alter(e, ops...))
	require.NoError(t, err)
	require.Len(t, out, 1)
	require.NoError(t, out[0].Err)
}

// anonymous is who comes without authentication.
func anonymous() kcfg.Entity { return kcfg.User("ANONYMOUS") }

// state returns what Status says of a key.
func state(t *testing.T, cl *client.Client, key string) kcfg.KeyState {
	t.Helper()
	for _, k := range cl.Status().Dynamic.Keys {
		if k.Key == key {
			return k
		}
	}
	return kcfg.KeyState{Key: key}
}

func eventually(t *testing.T, condition func() bool, what string) {
	t.Helper()
	require.Eventually(t, condition, patience, poll, what)
}

// asType is errors.AsType, in a package that has a function as.
func asType[E error](err error) (E, bool) { return errors.AsType[E](err) }
