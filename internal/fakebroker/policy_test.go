package fakebroker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

// lifecycle is a policy with everything that one may have.
type lifecycle struct {
	RecordPolicy
	configs []map[string]string
	closed  int
	fail    error
}

func (p *lifecycle) Configure(configs map[string]string) error {
	p.configs = append(p.configs, configs)
	return p.fail
}

func (p *lifecycle) Close() error {
	p.closed++
	return errors.New("ignored")
}

func TestAPolicyIsConfiguredAndClosed(t *testing.T) {
	t.Parallel()
	policy := &lifecycle{}
	c := start(t, Policy(policy), PolicyConfigs(map[string]string{"a": "1"}))
	require.Equal(t, []map[string]string{{"a": "1"}}, policy.configs)
	require.NoError(t, c.Reconfigure(map[string]string{"a": "2"}))
	require.Equal(t, map[string]string{"a": "2"}, policy.configs[1])
	require.Zero(t, policy.closed)
	c.Close()
	c.Close()
	require.Equal(t, 1, policy.closed)
}

func TestAPolicyThatCannotBeConfiguredStopsTheStart(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := New(Policy(&lifecycle{fail: broken}))
	require.ErrorIs(t, err, broken)
}

func TestReconfigureIsNothingForAPlainPolicy(t *testing.T) {
	t.Parallel()
	require.NoError(t, start(t, Policy(&RecordPolicy{})).Reconfigure(nil))
	require.NoError(t, start(t).Reconfigure(nil))
}

func TestThePolicySeesWhoPushed(t *testing.T) {
	t.Parallel()
	policy := &RecordPolicy{}
	c := start(t, Brokers(2), Policy(policy))
	r := dial(t, c, 1)
	r.send(pushOf(t, entry("k", "v")), 0)
	r.read()
	r.send(apiVersionsRequest(2), 1) // no software before version 3
	r.read()
	r.send(pushOf(t), 2)
	r.read()
	r.send(apiVersionsRequest(3), 3)
	r.read()
	r.send(apiVersionsRequest(0), 3)
	r.read()
	r.send(pushOf(t), 4)
	r.read()
	bad := apiVersionsRequest(4)
	bad.ClientSoftwareName = "refused by kfake!"
	r.send(bad, 5)
	r.read()
	r.send(pushOf(t), 6)
	r.read()

	want := RequestContext{
		Principal:     "ANONYMOUS",
		ClientID:      "raw",
		ClientAddress: r.LocalAddr().String(),
		Listener:      "PLAINTEXT",
		Security:      "PLAINTEXT",
		NodeID:        1,
	}
	known := want
	known.SoftwareName, known.SoftwareVersion = "soft", "1.2"
	calls := policy.Calls()
	require.Len(t, calls, 4)
	require.Equal(t, want, calls[0].Context)
	require.Equal(t, want, calls[1].Context)
	require.Equal(t, known, calls[2].Context)
	require.Equal(t, known, calls[3].Context, "a refused ApiVersions tells nothing")
	require.Equal(t, known, c.Pushes()[2].Context)
	require.Equal(t, known, c.Requests()[2].Context)
	got, ok := calls[0].Configs.Get("k")
	require.True(t, ok)
	require.Equal(t, "v", got.Value)
	_, ok = calls[0].Configs.Get("absent")
	require.False(t, ok)
}

func TestThePolicysContextEndsWithTheConnection(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Cluster){
		"Close":            (*Cluster).Close,
		"CloseConnections": func(c *Cluster) { c.CloseConnections(0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entered, left := make(chan struct{}), make(chan error, 1)
			c := start(t, Policy(PolicyFunc(func(ctx context.Context, _ RequestContext, _ ClientConfigs) error {
				close(entered)
				<-ctx.Done()
				left <- context.Cause(ctx)
				return nil
			})))
			r := dial(t, c, 0)
			r.send(pushOf(t), 1)
			<-entered
			end(c)
			require.Error(t, <-left)
			r.requireClosed()
		})
	}
}

func TestAnEntryNeverPrintsItsValue(t *testing.T) {
	t.Parallel()
	e := Entry{Key: "k", Value: "hidden", Text: "hidden", Type: sensitive.String}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "entry", e)
	for _, s := range []string{
		e.String(), log.String(), fmt.Sprintf("%v %+v %#v %s %q %d", e, e, e, e, e, e),
		fmt.Sprintf("%+v", ClientConfigs{Entries: []Entry{e}}),
		fmt.Sprintf("%+v", Push{Configs: ClientConfigs{Entries: []Entry{e}}}),
		fmt.Sprintf("%+v", PolicyCall{Configs: ClientConfigs{Entries: []Entry{e}}}),
	} {
		require.NotContains(t, s, "hidden")
		require.Contains(t, s, "k=")
	}
}

func TestLogPolicyLogsKeysAndNoValues(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	policy := &LogPolicy{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	c := start(t, Policy(policy))
	require.Zero(t, exchange(t, c, entry("client.id", "hidden"), entry("group.id", "hidden")).ErrorCode)
	require.Equal(t, 1, strings.Count(log.String(), "\n"))
	require.Contains(t, log.String(), "client.id group.id")
	require.Contains(t, log.String(), "ANONYMOUS")
	require.NotContains(t, log.String(), "hidden")
	require.NoError(t, (&LogPolicy{}).Process(context.Background(), RequestContext{}, ClientConfigs{}), "the default logger")
}

func TestAPolicyErrorTellsItsCode(t *testing.T) {
	t.Parallel()
	require.EqualError(t, &PolicyError{Code: 44, Message: "m"}, "fakebroker: the policy refused the request (code 44): m")
}
