package fakebroker

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

// advertised returns what a node says about our key and our feature.
func advertised(t *testing.T, c *Cluster, node int) (key, feature bool) {
	t.Helper()
	r := dial(t, c, node)
	r.send(apiVersionsRequest(4), 1)
	resp := answerOf(t, r.read(), kmsg.NewPtrApiVersionsResponse(), 4)
	_, _, feature = levels(resp, "kcfg.protocol")
	return hasKey(resp, 902), feature
}

func TestEachModeAdvertisesAndAnswersInItsWay(t *testing.T) {
	t.Parallel()
	policy := Policy(&RecordPolicy{})
	for _, tt := range []struct {
		name         string
		opts         []Option
		key, feature bool
		closed       bool
		code         int16
	}{
		{"a policy", []Option{policy}, true, true, false, 0},
		{"no policy: the feature is disabled", nil, false, false, true, 0},
		{"unsupported", []Option{policy, WithSupport(Unsupported)}, false, false, true, 0},
		{"key only", []Option{policy, WithSupport(KeyOnly)}, true, false, true, 0},
		{"key only, without a policy", []Option{WithSupport(KeyOnly)}, true, false, true, 0},
		{"feature only", []Option{policy, WithSupport(FeatureOnly)}, false, true, true, 0},
		{"unserved", []Option{policy, WithSupport(Unserved)}, true, true, false, kerr.UnsupportedVersion.Code},
		{"unserved, without a policy", []Option{WithSupport(Unserved)}, true, true, false, kerr.UnsupportedVersion.Code},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := start(t, tt.opts...)
			key, feature := advertised(t, c, 0)
			require.Equal(t, tt.key, key)
			require.Equal(t, tt.feature, feature)
			r := dial(t, c, 0)
			r.send(pushOf(t, entry("k", "v")), 1)
			if tt.closed {
				r.requireClosed()
				require.Equal(t, Answer{Outcome: Refused, Detail: "fakebroker: connection closed: unknown API key 902"}, c.Requests()[0].Answer)
				return
			}
			require.Equal(t, tt.code, pushed(t, r.read()).ErrorCode)
			require.Len(t, c.Requests(), 1)
			require.Len(t, c.Pushes(), map[bool]int{true: 1, false: 0}[tt.code == 0])
		})
	}
}

func TestSupportOnSomeBrokersCanMove(t *testing.T) {
	t.Parallel()
	c := start(t, Brokers(3), Policy(&RecordPolicy{}), SupportedBy(1))
	require.Equal(t, []int32{0, 1, 2}, c.Nodes())
	state := func() (on []int) {
		for node := range 3 {
			key, feature := advertised(t, c, node)
			require.Equal(t, key, feature)
			if key {
				on = append(on, node)
			}
		}
		return on
	}
	require.Equal(t, []int{1}, state())
	require.NoError(t, c.SetSupport(0, 2))
	require.Equal(t, []int{0, 2}, state())
	require.NoError(t, c.SetSupport())
	require.Empty(t, state())
	require.NoError(t, c.SetSupport(c.Nodes()...))
	require.Equal(t, []int{0, 1, 2}, state())
	require.NoError(t, c.SetSupportMode(Unsupported, 1))
	require.Equal(t, []int{0, 2}, state())
}

// A downgraded broker knows the key no more, whatever it said on a connection.
func TestADowngradeHoldsForOpenConnectionsToo(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	r := dial(t, c, 0)
	r.send(pushOf(t), 1)
	r.read()
	require.NoError(t, c.SetSupport())
	r.send(metadataOf(), 2)
	require.EqualValues(t, 2, correlation(r.read()))
	r.send(pushOf(t), 3)
	r.requireClosed()
}

func TestARequestThatNoBrokerHasClosesTheConnection(t *testing.T) {
	t.Parallel()
	p := kcfg.DefaultProtocol()
	version := formatted(pushOf(t), 1)
	version[7] = 1
	cut := formatted(pushOf(t, entry("k", "v")), 1)
	long := append(formatted(pushOf(t), 1), 0)
	for _, tt := range []struct {
		name  string
		frame []byte
		ours  int
	}{
		{"version 1", version, 1},
		{"a body that is cut", sized(cut[:len(cut)-1]), 1},
		{"a body that is too long", sized(long), 1},
		{"no body", sized(append(make([]byte, sizeLen), 3, 134, 0, 0, 0, 0, 0, 1)), 1},
		{"our key without its RPC", sized(append(make([]byte, sizeLen), 3, byte(p.AlterClientConfigsKey&255), 0, 0, 0, 0, 0, 1, 0, 0)), 1},
		{"a key that kmsg does not know", sized(append(make([]byte, sizeLen), 9, 9, 0, 0, 0, 0, 0, 1, 0, 0)), 0},
		{"a key that kfake does not serve", sized(append(make([]byte, sizeLen), 0, 4, 0, 0, 0, 0, 0, 1, 0, 0)), 0},
		{"a negative size", []byte{255, 255, 255, 255}, 0},
		{"a size that is too small", []byte{0, 0, 0, 7}, 0},
		{"a size that is too large", []byte{127, 0, 0, 0}, 0},
		{"TLS on a plaintext port", []byte{22, 3, 1, 0, 5, 1, 0, 0, 1, 3}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := start(t, Policy(&RecordPolicy{}))
			r := dial(t, c, 0)
			r.write(tt.frame)
			r.requireClosed()
			require.Len(t, c.Requests(), tt.ours)
			for _, req := range c.Requests() {
				require.Equal(t, Refused, req.Answer.Outcome)
				require.NotEmpty(t, req.Answer.Detail)
				require.Equal(t, tt.frame, req.Frame)
			}
			other := dial(t, c, 0)
			other.send(metadataOf(), 1)
			other.read()
		})
	}
}

func TestBadOptionsAreErrors(t *testing.T) {
	t.Parallel()
	taken, twice, level := kcfg.DefaultProtocol(), kcfg.DefaultProtocol(), kcfg.DefaultProtocol()
	taken.PushConfigKey = 94
	twice.PushConfigKey = twice.AlterClientConfigsKey
	level.FeatureLevel = 0
	for name, o := range map[string]Option{
		"no broker":           Brokers(0),
		"no bytes":            MaxBytes(0),
		"negative throttle":   Throttle(-1),
		"endless throttle":    Throttle((1 << 31) * time.Millisecond),
		"unknown mechanism":   SASL(User{Mechanism: "GSSAPI", Name: "a"}),
		"Kafka's own key":     Protocol(taken),
		"one key twice":       Protocol(twice),
		"no feature level":    Protocol(level),
		"no such node":        SupportedBy(1),
		"no such node at all": WithSupport(KeyOnly, -1),
		"no such mode":        WithSupport(Unserved + 1),
	} {
		_, err := New(o)
		require.ErrorContains(t, err, "fakebroker: ", name)
	}
}

func TestOurOptionsWinOverKfakes(t *testing.T) {
	t.Parallel()
	c := start(t, Brokers(2), KfakeOpts(kfake.NumBrokers(5), kfake.ListenFn(nil)), Policy(&RecordPolicy{}))
	require.Len(t, c.Addrs(), 2)
	r := dial(t, c, 1)
	r.send(metadataOf(), 1)
	require.Len(t, answerOf(t, r.read(), kmsg.NewPtrMetadataResponse(), 12).Brokers, 2)
	r.send(pushOf(t), 2)
	require.Zero(t, pushed(t, r.read()).ErrorCode)
}

func TestPortsAreThoseThatWereGiven(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := func(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }
	policy := &lifecycle{}
	_, err = New(Ports(port(taken)), Policy(policy))
	require.Error(t, err, "it is taken")
	require.Equal(t, 1, policy.closed, "a failed start closes the policy")

	// A free port may be taken by somebody else before we are there.
	for range 20 {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, free.Close())
		c, err := New(Brokers(7), Ports(port(free)))
		if err != nil {
			continue
		}
		defer c.Close()
		require.Equal(t, []string{free.Addr().String()}, c.Addrs())
		return
	}
	t.Fatal("no port")
}
