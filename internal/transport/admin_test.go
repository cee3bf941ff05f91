package transport

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/wire"
)

var (
	alice  = kcfg.User("alice")
	orders = alice.Client("orders")
)

func rpcTo(c *cluster) *RPC {
	return NewRPC(kcfg.DefaultProtocol(), &route{node: 7, free: true, supported: true}, c.send)
}

func described(entries ...wire.DescribeEntry) *wire.DescribeClientConfigsResponse {
	r := wire.NewDescribeClientConfigsResponse(kcfg.DefaultProtocol())
	r.Entries = append([]wire.DescribeEntry{}, entries...)
	return r
}

func outcomes(entries ...wire.AlterResult) *wire.AlterClientConfigsResponse {
	r := wire.NewAlterClientConfigsResponse(kcfg.DefaultProtocol())
	r.Entries = entries
	return r
}

func outcome(e kcfg.Entity, code int16, message string) wire.AlterResult {
	return wire.AlterResult{Entity: e.Parts(), ErrorCode: code, ErrorMessage: &message}
}

func alterBy(t *testing.T, rpc *RPC, validateOnly bool, alterations ...kcfg.Alteration) ([]kcfg.Altered, error) {
	t.Helper()
	out, err := rpc.Alter(t.Context(), validateOnly, alterations, 3)
	assert.True(t, !out.Sent || out.Node == 7 || out.Node == 0)
	return out.Altered, err
}

func set(e kcfg.Entity) kcfg.Alteration { return kcfg.Alter(e, kcfg.Set("acks", "1")) }

func TestDescribeSelfIsOnlyTheClientIDAndItsKeys(t *testing.T) {
	for _, supported := range [][]string{nil, {"acks"}} {
		c := &cluster{resp: described(wire.DescribeEntry{Entity: orders.Parts()})}
		r := &route{node: 7, free: true, supported: true}
		told, err := NewRPC(kcfg.DefaultProtocol(), r, c.send).DescribeSelf(t.Context(), "orders", supported, 3)
		require.NoError(t, err)
		assert.Equal(t, Told{Pushed{7, true}, []kcfg.Described{{Entity: orders}}}, told)
		assert.Equal(t, []int32{3}, r.avoided)
		req := c.sent[0].(*wire.DescribeClientConfigsRequest)
		id := "orders"
		assert.Equal(t, []wire.DescribeComponent{{EntityType: "client-id", Match: &id}}, req.Components)
		assert.NotNil(t, req.SupportedConfigs, "null is for those who ask for others")
		assert.Len(t, req.SupportedConfigs, len(supported))
		assert.True(t, req.ResolveEntity)
		assert.True(t, req.Strict)
	}
}

func TestDescribeSendsTheFilter(t *testing.T) {
	c := &cluster{resp: described()}
	got, err := rpcTo(c).Describe(t.Context(), kcfg.FilterUser("").AnyClient().StrictOnly())
	require.NoError(t, err)
	assert.Equal(t, Told{Pushed{7, true}, []kcfg.Described{}}, got)
	req := c.sent[0].(*wire.DescribeClientConfigsRequest)
	empty := ""
	assert.Equal(t, []wire.DescribeComponent{{EntityType: "user", Match: &empty}, {EntityType: "client-id", MatchType: 2}}, req.Components)
	assert.Nil(t, req.SupportedConfigs)
	assert.False(t, req.ResolveEntity)
	assert.True(t, req.Strict)
}

func TestAnAnswerThatMakesNoSenseIsBelievedInNothing(t *testing.T) {
	name := "x"
	null := described()
	null.Entries = nil
	for what, resp := range map[string]*wire.DescribeClientConfigsResponse{
		"no entries":      null,
		"no entity":       described(wire.DescribeEntry{Entity: alice.Parts()}, wire.DescribeEntry{}),
		"an unknown type": described(wire.DescribeEntry{Entity: []kcfg.EntityPart{{Type: "ip", Name: &name}}}),
		"an entity twice": described(wire.DescribeEntry{Entity: alice.Parts()}, wire.DescribeEntry{Entity: alice.Parts()}),
		"a key twice":     described(wire.DescribeEntry{Entity: alice.Parts(), Values: []kcfg.KeyValue{{Key: "acks", Value: "secret"}, {Key: "acks", Value: "1"}}}),
	} {
		c := &cluster{resp: resp}
		got, err := rpcTo(c).Describe(t.Context(), kcfg.Filter{})
		require.ErrorIs(t, err, ErrBadAnswer, what)
		assert.Nil(t, got.Entries, what)
		assert.NotContains(t, err.Error(), "secret")
		assert.Contains(t, err.Error(), "broker 7")
		told, err := rpcTo(c).DescribeSelf(t.Context(), "orders", nil)
		require.ErrorIs(t, err, ErrBadAnswer, what)
		assert.Equal(t, Told{Pushed: Pushed{7, true}}, told, what)
	}
	for _, call := range []func(*RPC) error{
		func(t2 *RPC) error { _, err := t2.Describe(t.Context(), kcfg.Filter{}); return err },
		func(t2 *RPC) error { _, err := alterBy(t, t2, false, set(alice)); return err },
	} {
		require.ErrorIs(t, call(rpcTo(&cluster{resp: kmsg.NewPtrMetadataResponse()})), ErrBadAnswer)
	}
}

func TestADescribeThatIsRefusedIsTyped(t *testing.T) {
	resp := described(wire.DescribeEntry{Entity: alice.Parts()})
	message := "no\n"
	resp.ErrorCode, resp.ErrorMessage = kerr.ClusterAuthorizationFailed.Code, &message
	got, err := rpcTo(&cluster{resp: resp}).Describe(t.Context(), kcfg.Filter{})
	_, ok := errors.AsType[*cfgerrors.AuthorizationError](err)
	assert.True(t, ok, "%v", err)
	assert.Nil(t, got.Entries, "what comes with an error does not count")
}

func TestOutcomesAreMatchedByEntityInAnyOrder(t *testing.T) {
	bob, carol := kcfg.User("bob"), kcfg.User("carol")
	swapped := outcome(orders, kerr.PolicyViolation.Code, "not this one")
	swapped.Entity[0], swapped.Entity[1] = swapped.Entity[1], swapped.Entity[0]
	c := &cluster{resp: outcomes(
		wire.AlterResult{ErrorCode: 42},
		outcome(kcfg.User("nobody asked"), 42, ""),
		outcome(bob, kerr.InvalidConfig.Code, "acks"), outcome(bob, 0, ""),
		swapped,
		outcome(alice, 0, ""),
	)}
	got, err := alterBy(t, rpcTo(c), true, set(alice), set(bob), set(carol), set(orders))
	require.NoError(t, err)
	require.Len(t, got, 4)
	require.NoError(t, got[0].Err)
	_, ok := errors.AsType[*cfgerrors.InvalidConfigError](got[1].Err)
	assert.True(t, ok, "of two outcomes the error counts")
	require.ErrorIs(t, got[2].Err, ErrBadAnswer, "a missing one is an error")
	_, ok = errors.AsType[*cfgerrors.PolicyViolationError](got[3].Err)
	assert.True(t, ok, "%v", got[3].Err)
	for i, e := range []kcfg.Entity{alice, bob, carol, orders} {
		assert.Equal(t, e, got[i].Entity)
	}
	assert.True(t, c.sent[0].(*wire.AlterClientConfigsRequest).ValidateOnly)
}

func TestNoErrorShowsAValueOfTheRequest(t *testing.T) {
	const value = "s3cr3t-value"
	c := &cluster{resp: outcomes(outcome(alice, kerr.InvalidConfig.Code, "acks="+value+" and 1"), outcome(orders, 44, value))}
	got, err := alterBy(t, rpcTo(c), false, set(alice), kcfg.Alter(orders, kcfg.Set("acks", value)))
	require.NoError(t, err)
	for _, o := range got {
		require.Error(t, o.Err)
		assert.NotContains(t, o.Err.Error(), value, "whichever entity it was for")
	}
}

func TestWhatCannotBeSentHasItsErrorAndTheRestIsSent(t *testing.T) {
	long := strings.Repeat("x", 1<<15)
	c := &cluster{resp: outcomes(outcome(alice, 0, ""))}
	bad := []kcfg.Alteration{
		{},
		set(kcfg.User(long)),
		set(kcfg.User("\xff")),
		kcfg.Alter(orders, kcfg.Set("acks", long)),
		kcfg.Alter(orders, kcfg.Set("acks", "\xff")),
		kcfg.Alter(orders, kcfg.Remove("\xff")),
		kcfg.Alter(orders, kcfg.Remove(long)),
	}
	got, err := alterBy(t, rpcTo(c), false, append(bad, set(alice))...)
	require.NoError(t, err)
	for i := range bad {
		require.Error(t, got[i].Err, "%d", i)
		assert.Less(t, len(got[i].Err.Error()), 300)
	}
	require.NoError(t, got[len(bad)].Err)
	require.Len(t, c.sent, 1)
	assert.Len(t, c.sent[0].(*wire.AlterClientConfigsRequest).Entries, 1)

	got, err = alterBy(t, rpcTo(c), false, bad...)
	require.NoError(t, err)
	assert.Len(t, got, len(bad))
	got, err = alterBy(t, rpcTo(c), false)
	require.NoError(t, err)
	assert.Empty(t, got)
	_, err = rpcTo(c).Describe(t.Context(), kcfg.FilterUser(long))
	require.Error(t, err)
	_, err = rpcTo(c).DescribeSelf(t.Context(), "\xff", nil)
	require.Error(t, err)
	assert.Len(t, c.sent, 1, "and nothing else was sent")
}

func TestAFailedRequestIsEveryOutcome(t *testing.T) {
	for _, tt := range []struct {
		route route
		err   error
		want  error
	}{
		{route{}, nil, cfgerrors.ErrUnsupported},
		{route{supported: true}, nil, ErrNoBroker},
		{route{free: true, supported: true}, kerr.RequestTimedOut, kerr.RequestTimedOut},
	} {
		c := &cluster{err: tt.err}
		rpc := NewRPC(kcfg.DefaultProtocol(), &tt.route, c.send)
		got, err := alterBy(t, rpc, false, set(alice), kcfg.Alteration{}, set(orders))
		require.ErrorIs(t, err, tt.want)
		require.ErrorIs(t, got[0].Err, tt.want)
		require.ErrorIs(t, got[1].Err, errNoEntity)
		require.ErrorIs(t, got[2].Err, tt.want)
		_, err = rpc.Describe(t.Context(), kcfg.Filter{})
		require.ErrorIs(t, err, tt.want)
		_, err = rpc.DescribeSelf(t.Context(), "orders", nil)
		require.ErrorIs(t, err, tt.want)
	}
}

func TestAllRequestsShareTheThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{}
		rpc := rpcTo(c)
		start := time.Now()
		alter, describe := outcomes(outcome(alice, 0, "")), described()
		alter.ThrottleMillis, describe.ThrottleMillis = 1000, 1000
		c.resp = alter
		_, err := alterBy(t, rpc, false, set(alice))
		require.NoError(t, err)
		c.resp = describe
		_, err = rpc.Describe(t.Context(), kcfg.Filter{})
		require.NoError(t, err)
		_, err = rpc.DescribeSelf(t.Context(), "orders", nil)
		require.NoError(t, err)
		c.resp = answer(0, "", 0)
		_, err = rpc.Push(t.Context(), clean(t, "orders"))
		require.NoError(t, err)
		for i, at := range c.at {
			assert.Equal(t, time.Duration(i)*time.Second, at.Sub(start))
		}
	})
}

// What a broker answers is judged without a crash, and is either nothing or makes
// sense.
func FuzzAnswers(f *testing.F) {
	p := kcfg.DefaultProtocol()
	f.Add(described(wire.DescribeEntry{Entity: orders.Parts(), Values: []kcfg.KeyValue{{Key: "acks", Value: "1"}}}).AppendTo(nil))
	f.Add(outcomes(outcome(alice, 44, "no"), outcome(orders, 0, "")).AppendTo(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		d, a := wire.NewDescribeClientConfigsResponse(p), wire.NewAlterClientConfigsResponse(p)
		if d.ReadFrom(body) == nil {
			got, err := rpcTo(&cluster{resp: d}).Describe(t.Context(), kcfg.Filter{})
			require.True(t, err == nil || got.Entries == nil)
			for _, e := range got.Entries {
				require.False(t, e.Entity.IsZero())
			}
		}
		if a.ReadFrom(body) == nil {
			got, err := alterBy(t, rpcTo(&cluster{resp: a}), false, set(alice), set(orders))
			require.NoError(t, err)
			require.Len(t, got, 2)
		}
	})
}
