package fakebroker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/wire"
	"github.com/kcfg-go/kcfg/sensitive"
)

func TestEntriesArriveTyped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		typ   sensitive.Type
		text  string
		value any
	}{
		{sensitive.Boolean, "true", true},
		{sensitive.String, "all", "all"},
		{sensitive.Int, "-5", int32(-5)},
		{sensitive.Short, "7", int16(7)},
		{sensitive.Long, "9223372036854775807", int64(9223372036854775807)},
		{sensitive.Double, "0.5", 0.5},
		{sensitive.List, "a,b", []string{"a", "b"}},
	} {
		t.Run(tt.typ.String(), func(t *testing.T) {
			got, err := typed([]sensitive.Entry{{Key: "k", Value: tt.text, Type: tt.typ, IsDefault: true}})
			require.NoError(t, err)
			require.Len(t, got, 1)
			require.Equal(t, tt.value, got[0].Value)
			require.Equal(t, tt.text, got[0].Text)
			require.Equal(t, tt.typ, got[0].Type)
			require.Equal(t, "k", got[0].Key)
			require.True(t, got[0].IsDefault)
		})
	}
}

func TestAnInvalidEntryIsNamedWithoutItsValue(t *testing.T) {
	t.Parallel()
	good := entry("good", "v")
	const value = "31415926"
	for _, tt := range []struct {
		name  string
		bad   []sensitive.Entry
		names string
	}{
		{"wrong number", []sensitive.Entry{{Key: "bad", Value: value + "x", Type: sensitive.Int}}, `"bad"`},
		{"too large a number", []sensitive.Entry{{Key: "bad", Value: value, Type: sensitive.Short}}, `"bad"`},
		{"not a boolean", []sensitive.Entry{{Key: "bad", Value: value, Type: sensitive.Boolean}}, `"bad"`},
		{"not a double", []sensitive.Entry{{Key: "bad", Value: value + "x", Type: sensitive.Double}}, `"bad"`},
		{"a class", []sensitive.Entry{{Key: "bad", Value: value, Type: sensitive.Class}}, `"bad"`},
		{"a password", []sensitive.Entry{{Key: "bad", Value: value, Type: sensitive.Password}}, `"bad"`},
		{"an unknown type", []sensitive.Entry{{Key: "bad", Value: value, Type: 9}}, `"bad"`},
		{"a negative type", []sensitive.Entry{{Key: "bad", Value: value, Type: -1}}, `"bad"`},
		{"a key twice", []sensitive.Entry{entry("bad", value), entry("bad", value)}, `"bad"`},
		{"an empty key", []sensitive.Entry{entry("", value)}, "config 2 of 2"},
		{"a key with control characters", []sensitive.Entry{{Key: "b\nad", Value: value, Type: sensitive.Class}}, `"b\nad"`},
		{"a long key", []sensitive.Entry{{Key: strings.Repeat("k", 9999), Value: value, Type: sensitive.Class}}, `kkk" (cut)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := typed(append([]sensitive.Entry{good}, tt.bad...))
			require.ErrorContains(t, err, tt.names)
			require.NotContains(t, err.Error(), value)
			require.Less(t, len(err.Error()), 400)
		})
	}
}

func TestATypeThatIsNeverPushedIsSaidToBeThat(t *testing.T) {
	t.Parallel()
	for _, typ := range []sensitive.Type{sensitive.Class, sensitive.Password, 9, -1, 127, -128} {
		_, err := typed([]sensitive.Entry{{Key: "k", Value: "v", Type: typ}})
		require.ErrorContains(t, err, `config "k" has the type `+typ.String()+", which is not one that is pushed")
	}
}

func TestAKeyOfKafkaWithAnotherTypeIsInvalid(t *testing.T) {
	_, err := typed([]sensitive.Entry{{Key: "linger.ms", Value: "5", Type: sensitive.String}})
	require.ErrorContains(t, err, `config "linger.ms" has the type LONG, and not STRING`)
	_, err = typed([]sensitive.Entry{{Key: "linger.ms", Value: "5", Type: sensitive.Long}, {Key: "app.own", Value: "5", Type: sensitive.String}})
	require.NoError(t, err)
}

func TestAPolicyThatWritesToItsEntriesDoesNotChangeTheRecord(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(PolicyFunc(func(_ context.Context, _ RequestContext, configs ClientConfigs) error {
		configs.Entries[0].Text = "changed"
		return nil
	})))
	require.Zero(t, exchange(t, c, entry("k", "v")).ErrorCode)
	require.Equal(t, "v", c.Pushes()[0].Configs.Entries[0].Text)
}

func TestWhatAPolicyReturnsBecomesACode(t *testing.T) {
	t.Parallel()
	p := kcfg.DefaultProtocol()
	for _, tt := range []struct {
		name    string
		err     error
		code    int16
		message string
	}{
		{"nil", nil, 0, ""},
		{"an error", errors.New("no"), kerr.InvalidConfig.Code, "no"},
		{"a policy error", &PolicyError{Code: kerr.PolicyViolation.Code, Message: "not here"}, kerr.PolicyViolation.Code, "not here"},
		{"a wrapped one", fmt.Errorf("x: %w", &PolicyError{Code: 44, Message: "m"}), 44, "m"},
		{"one without a code", &PolicyError{Message: "m"}, kerr.InvalidConfig.Code, "m"},
		{"one without a message", &PolicyError{Code: 44}, 44, ""},
		{"a panic", &panicError{"secret"}, kerr.UnknownServerError.Code, "the policy failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := judge(p, tt.err)
			require.Equal(t, tt.code, got.code)
			require.Equal(t, tt.message, got.message)
			resp := wire.NewPushConfigResponse(p)
			require.NoError(t, resp.ReadFrom(got.frame(3, 25)[answerHead+1:]))
			require.Equal(t, tt.code, resp.ErrorCode)
			require.EqualValues(t, 25, resp.ThrottleMillis)
			require.Equal(t, tt.message == "", resp.ErrorMessage == nil)
		})
	}
}

// exchange sends one push and returns the answer.
func exchange(t *testing.T, c *Cluster, entries ...sensitive.Entry) *wire.PushConfigResponse {
	t.Helper()
	r := dial(t, c, 0)
	r.send(pushOf(t, entries...), 11)
	frame := r.read()
	require.EqualValues(t, 11, correlation(frame))
	return pushed(t, frame)
}

func TestAnInvalidPushDoesNotReachThePolicy(t *testing.T) {
	t.Parallel()
	policy := &RecordPolicy{}
	c := start(t, Policy(policy))
	resp := exchange(t, c, entry("good", "v"), sensitive.Entry{Key: "linger.ms", Value: "often", Type: sensitive.Long})
	require.Equal(t, kerr.InvalidConfig.Code, resp.ErrorCode)
	require.Contains(t, *resp.ErrorMessage, "linger.ms")
	require.Empty(t, policy.Calls())
	require.Empty(t, c.Pushes())
	require.Len(t, c.Requests(), 1)
	require.Equal(t, Answer{Outcome: Answered, Code: 40, Message: *resp.ErrorMessage}, c.Requests()[0].Answer)
}

func TestTheSizeLimitIsInclusiveAndComesBeforeThePolicy(t *testing.T) {
	t.Parallel()
	entries := []sensitive.Entry{entry("client.id", "x"), entry("group.id", "y")}
	size := pushOf(t, entries...).ConfigsSize()
	for _, tt := range []struct {
		limit int
		code  int16
		calls int
	}{
		{size, 0, 1},
		{size - 1, 900, 0},
		{1, 900, 0},
	} {
		t.Run(fmt.Sprint(tt.limit), func(t *testing.T) {
			policy := &RecordPolicy{}
			c := start(t, Policy(policy), MaxBytes(tt.limit))
			require.Equal(t, tt.code, exchange(t, c, entries...).ErrorCode)
			require.Len(t, policy.Calls(), tt.calls)
		})
	}
}

func TestTheDefaultSizeLimitIsOneMiB(t *testing.T) {
	t.Parallel()
	c := start(t, Policy(&RecordPolicy{}))
	fill := func(size int) []sensitive.Entry {
		entries := make([]sensitive.Entry, 33)
		for i := range entries {
			entries[i] = entry(fmt.Sprint("key", i+10), strings.Repeat("v", 32_000))
		}
		over := pushOf(t, entries...).ConfigsSize() - size
		last := &entries[len(entries)-1]
		last.Value = strings.Repeat("v", 32_000-over)
		require.Equal(t, size, pushOf(t, entries...).ConfigsSize())
		return entries
	}
	require.Zero(t, exchange(t, c, fill(1<<20)...).ErrorCode)
	require.EqualValues(t, 900, exchange(t, c, fill(1<<20+1)...).ErrorCode)
}

func TestCodesAndKeysFollowTheProtocol(t *testing.T) {
	t.Parallel()
	p := kcfg.DefaultProtocol()
	p.PushConfigKey, p.ConfigTooLargeCode = 1234, 4321
	p.Feature, p.FeatureLevel = "other", 3
	c := start(t, Policy(&RecordPolicy{}), Protocol(p), MaxBytes(1))
	r := dial(t, c, 0)
	r.send(apiVersionsRequest(3), 1)
	resp := answerOf(t, r.read(), kmsg.NewPtrApiVersionsResponse(), 3)
	require.True(t, hasKey(resp, 1234))
	require.False(t, hasKey(resp, 902))
	minimum, maximum, ok := levels(resp, "other")
	require.True(t, ok)
	require.Equal(t, [2]int16{1, 3}, [2]int16{minimum, maximum})

	req := wire.NewPushConfigRequest(p)
	require.NoError(t, req.ReadFrom(pushOf(t, entry("k", "v")).AppendTo(nil)))
	r.send(req, 2)
	require.EqualValues(t, 4321, pushed(t, r.read()).ErrorCode)
}

func TestAProtocolWithoutAFeatureNamesNone(t *testing.T) {
	t.Parallel()
	p := kcfg.DefaultProtocol()
	p.Feature, p.FeatureLevel = "", 0
	c := start(t, Policy(&RecordPolicy{}), Protocol(p))
	r := dial(t, c, 0)
	r.send(apiVersionsRequest(3), 1)
	resp := answerOf(t, r.read(), kmsg.NewPtrApiVersionsResponse(), 3)
	require.True(t, hasKey(resp, 902))
	_, _, ok := levels(resp, "")
	require.False(t, ok)
}

func TestThrottleAndClockAreTold(t *testing.T) {
	t.Parallel()
	policy := &RecordPolicy{}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := start(t, Policy(policy), Throttle(1500*time.Millisecond), Clock(func() time.Time { return now }))
	require.EqualValues(t, 1500, exchange(t, c).ThrottleMillis)
	require.Equal(t, now, policy.Calls()[0].Configs.BrokerTimestamp)
	require.Equal(t, now, c.Requests()[0].Time)
	require.EqualValues(t, 1500, c.Requests()[0].Answer.ThrottleMillis)
}

func TestAPolicyThatPanicsAnswersUnknownServerErrorAndTheBrokerLives(t *testing.T) {
	t.Parallel()
	calls := 0
	c := start(t, Policy(PolicyFunc(func(context.Context, RequestContext, ClientConfigs) error {
		if calls++; calls == 1 {
			panic("with a secret")
		}
		return nil
	})))
	r := dial(t, c, 0)
	r.send(pushOf(t, entry("k", "v")), 1)
	resp := pushed(t, r.read())
	require.Equal(t, kerr.UnknownServerError.Code, resp.ErrorCode)
	require.NotContains(t, *resp.ErrorMessage, "secret")
	require.Contains(t, c.Requests()[0].Answer.Detail, "secret", "the record tells")
	r.send(pushOf(t, entry("k", "v")), 2)
	require.Zero(t, pushed(t, r.read()).ErrorCode)
	require.Len(t, c.Pushes(), 1)
}
