package cli

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/fleet"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestAWatchEndsOnceEveryClientHasTakenOrRefusedIt(t *testing.T) {
	c, a, flags := setUp(t)
	takes := alive(t, c, a, "takes", noIdempotence())
	refuses := alive(t, c, a, "refuses", nil)
	r := run(t, append(flags, "alter", "--user", "ANONYMOUS", "set", "acks=1", "--watch", "--watch-interval", "50ms", "--watch-timeout", "50s")...)
	assert.Equal(t, codeFailed, r.code, r.err)
	assert.Contains(t, r.err, "1 of 2 clients refused it")
	lines := strings.Split(r.out, "\n")
	assert.Equal(t, "Completed updating config for user ANONYMOUS.", lines[0])
	assert.Contains(t, r.out, takes.ClientInstanceID()+" (client id takes): taken acks=1\n")
	assert.Contains(t, r.out, refuses.ClientInstanceID()+" (client id refuses): refused acks=1: an idempotent producer waits for all")
	assert.Contains(t, r.out, claims)
	require.Positive(t, c.Acks(fakebroker.AnyNode)[1], "it is in force indeed")

	// Its removal, as a document.
	r = run(t, append(flags, "alter", "--user", "ANONYMOUS", "delete", "acks", "--watch", "--watch-interval", "50ms", "--watch-timeout", "50s", "-o", "json")...)
	require.Equal(t, codeOK, r.code, r.err)
	var doc altered
	require.NoError(t, json.Unmarshal([]byte(r.out), &doc), r.out)
	require.NotNil(t, doc.Watch)
	require.Len(t, doc.Watch.Outcomes, 2)
	for _, o := range doc.Watch.Outcomes {
		assert.Equal(t, fleet.OutcomeTaken, o.State)
		assert.Nil(t, o.Wished)
	}
	assert.Equal(t, "Completed updating config for user ANONYMOUS.", doc.Message)
}

func TestAWatchTimesOutWithTheClientsThatHaveNotAnswered(t *testing.T) {
	c, a, flags := setUp(t)
	takes := alive(t, c, a, "takes", noIdempotence())
	silent := alive(t, c, a, "silent", noIdempotence(), client.PollInterval(time.Hour))
	require.NoError(t, silent.RefreshConfigs(soon(t)), "its first question is behind it")
	r := run(t, append(flags, "alter", "--user", "ANONYMOUS", "set", "acks=1", "--watch", "--watch-interval", "100ms", "--watch-timeout", "5s", "-o", "json")...)
	assert.Equal(t, codeTimedOut, r.code, r.err)
	var doc altered
	require.NoError(t, json.Unmarshal([]byte(r.out), &doc), r.out)
	assert.True(t, doc.Watch.TimedOut)
	states := make(map[string]fleet.OutcomeState)
	for _, o := range doc.Watch.Outcomes {
		states[o.Instance] = o.State
	}
	assert.Equal(t, fleet.OutcomeUnanswered, states[silent.ClientInstanceID()])
	assert.Contains(t, states, takes.ClientInstanceID())
}

func TestNothingIsAlteredWhereNothingCanBeWatched(t *testing.T) {
	rpc, _, rpcFlags := setUp(t, fakebroker.DynamicConfigs()) // and the topics are there all the same
	bare, bareFlags := broker(t)
	for _, tt := range []struct {
		name      string
		flags     []string
		transport string
		want      string
	}{
		{"RPCs", rpcFlags, "rpc", "over topics only"},
		{"RPCs by themselves", rpcFlags, "auto", "over topics only"},
		{"topics that nobody set up", bareFlags, "auto", "cannot be read"},
		{"RPCs that no broker speaks", bareFlags, "rpc", "over topics only"},
	} {
		r := run(t, append(tt.flags, "--transport", tt.transport, "alter", "--user", "alice", "set", "acks=1", "producer_byte_rate=1", "--watch")...)
		assert.Equal(t, codeFailed, r.code, tt.name)
		assert.Contains(t, r.err, "nothing is altered", tt.name)
		assert.Contains(t, r.err, "kcfg setup", tt.name)
		assert.Contains(t, r.err, tt.want, tt.name)
	}
	for _, c := range []*fakebroker.Cluster{rpc, bare} {
		assert.Zero(t, c.Count(fakebroker.AnyNode, int16(kmsg.AlterClientQuotas)))
	}
	assert.Empty(t, rpc.ClientConfigs())
	ok(t, append(rpcFlags, "alter", "--user", "alice", "set", "acks=1", "producer_byte_rate=1")...)
	assert.NotEmpty(t, rpc.ClientConfigs(), "the path is one that alters")
	assert.NotZero(t, rpc.Count(fakebroker.AnyNode, int16(kmsg.AlterClientQuotas)))
}

func TestClientsThatComeAndGoDuringAWatchCount(t *testing.T) {
	c, a, flags := setUp(t)
	silent := alive(t, c, a, "silent", noIdempotence(), client.PollInterval(time.Hour))
	require.NoError(t, silent.RefreshConfigs(soon(t)))
	done := make(chan result, 1)
	go func() {
		done <- run(t, append(flags, "alter", "--user", "ANONYMOUS", "set", "acks=1", "--watch", "--watch-interval", "50ms", "--watch-timeout", "55s")...)
	}()
	require.Eventually(t, func() bool {
		set, err := a.DescribeClientConfigs(soon(t), kcfg.FilterUser("ANONYMOUS"))
		return err == nil && len(set) > 0 && len(set[0].Values) > 0
	}, soonest, pause)
	late := alive(t, c, a, "late", noIdempotence())
	require.NoError(t, late.WaitApplied(soon(t), "acks"))
	require.Eventually(t, func() bool {
		for _, k := range records(t, a)[late.ClientInstanceID()].Dynamic {
			if k.State == kcfg.OverrideApplied {
				return true
			}
		}
		return false
	}, soonest, pause)
	silent.Close()
	r := <-done
	assert.Equal(t, codeOK, r.code, r.err)
	assert.Contains(t, r.out, late.ClientInstanceID()+" (client id late): taken acks=1\n")
	assert.Contains(t, r.out, silent.ClientInstanceID()+" has ended\n")
}

func TestAClientThatTakesNoneOrOnlyJudgesHasRefused(t *testing.T) {
	c, a, flags := setUp(t)
	alive(t, c, a, "off", noIdempotence(), client.DisableDynamicConfigs())
	alive(t, c, a, "audit", noIdempotence(), client.AuditOnly())
	r := run(t, append(flags, "alter", "--user", "ANONYMOUS", "set", "acks=1", "--watch", "--watch-interval", "50ms", "--watch-timeout", "50s")...)
	assert.Equal(t, codeFailed, r.code, r.err)
	assert.Contains(t, r.err, "2 of 2 clients refused it")
	assert.Contains(t, r.out, "takes no dynamic configurations")
	assert.Contains(t, r.out, "AuditOnly")
}

func TestAWatchDoesNotWaitForClientsThatEndedWithoutAWord(t *testing.T) {
	dead := consumerRecord(1, func(r *kcfg.ClientRecord) { r.At = time.Now().Add(-kcfg.ClientAliveFor - time.Hour) })
	_, flags := fleetOf(t, dead)
	args := append(flags, "alter", "--user", *dead.Principal, "set", "session.timeout.ms=20000")
	assert.Contains(t, ok(t, append(args, "--dry-run")...), "No client that tells of itself would be reached.")
	assert.Contains(t, ok(t, append(args, "--watch")...), "No client that tells of itself is concerned.")
}

func TestWhatHostileRecordsSayDoesNotReachATerminal(t *testing.T) {
	long := strings.Repeat("x", 8_000) + "\x1b[2J\nkcfg: done"
	hostile := consumerRecord(1, func(r *kcfg.ClientRecord) {
		r.ClientID, r.Host = "a\x1b[2J\nkcfg: done", long
		r.Dynamic = []kcfg.KeyState{{Key: "session.timeout.ms", Wished: new("20000"), InForce: &long, Static: &long, State: kcfg.OverrideRejected, Reason: "no\x1b[2J\nkcfg: done " + long}}
	})
	_, flags := fleetOf(t, hostile)
	for _, how := range []string{"--dry-run", "--watch"} {
		for _, form := range output.Formats() {
			r := run(t, append(flags, "alter", "--user", *hostile.Principal, "set", "session.timeout.ms=20000", how, "-o", form)...)
			assert.NotContains(t, r.out+r.err, "\x1b", how)
			assert.NotContains(t, r.out, "\nkcfg: done", how)
			assert.Contains(t, r.out, hostile.Instance, how)
			if form == output.Table {
				assert.Less(t, len(r.out), 7000, how)
			}
		}
	}
}

func TestAWatchIsNotDenserThanAllowed(t *testing.T) {
	assert.Equal(t, 2*time.Second, restFor(2*time.Second, 100*time.Millisecond))
	assert.Equal(t, 4*time.Second, restFor(2*time.Second, time.Second))
}

func TestABrokerThatRefusesToDescribeSpeaksTheRPCs(t *testing.T) {
	_, _, flags := setUp(t, fakebroker.DynamicConfigs(), fakebroker.Authorizer(func(_ fakebroker.RequestContext, op fakebroker.Operation) bool {
		return op != fakebroker.DescribeConfigs
	}))
	r := run(t, append(flags, "alter", "--user", "alice", "set", "acks=1", "--watch")...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.err, "--transport topics")
	ok(t, append(flags, "--transport", "topics", "alter", "--user", "alice", "set", "acks=1", "--watch")...)
}

func TestWhoMayNotReadTheRecordsIsNotAuthorizedAndAltersNothing(t *testing.T) {
	c, _, flags := setUp(t)
	c.Kfake().ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		f := req.(*kmsg.FetchRequest)
		resp := f.ResponseKind().(*kmsg.FetchResponse)
		resp.Version = f.Version
		resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		return resp, nil, true
	})
	r := run(t, append(flags, "--timeout", "20s", "alter", "--user", "alice", "set", "producer_byte_rate=1", "acks=1", "--watch")...)
	assert.Equal(t, codeNotAllowed, r.code, r.err)
	assert.Contains(t, r.err, "nothing is altered")
	assert.Zero(t, c.Count(fakebroker.AnyNode, int16(kmsg.AlterClientQuotas)))
}

func TestAWatchThatNeverSawTheClientsDoesNotSayThatThereAreNone(t *testing.T) {
	c, a, flags := setUp(t)
	alive(t, c, a, "takes", noIdempotence())
	var altered atomic.Bool
	c.Kfake().ControlKey(int16(kmsg.AlterClientQuotas), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		altered.Store(true)
		return nil, nil, false
	})
	c.Kfake().ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		f := req.(*kmsg.FetchRequest)
		if !altered.Load() || len(f.Topics) == 0 || f.Topics[0].Topic != clientsTopic {
			return nil, nil, false
		}
		resp := f.ResponseKind().(*kmsg.FetchResponse)
		resp.Version = f.Version
		resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		return resp, nil, true
	})
	for _, timeout := range []string{"50s", "1ns"} { // in which a look takes longer than the watch may
		for _, form := range []string{output.Table, output.JSON} {
			altered.Store(false)
			r := run(t, append(flags, "alter", "--user", "ANONYMOUS", "set", "acks=1", "producer_byte_rate=1e9", "--watch", "--watch-timeout", timeout, "-o", form)...)
			assert.Equal(t, codeFailed, r.code, r.err)
			assert.Contains(t, r.err, "it is altered, but watching it failed")
			assert.Contains(t, r.out, "Completed updating config for user ANONYMOUS.")
			assert.NotContains(t, r.out, "No client")
			assert.NotContains(t, r.out, `"outcomes"`)
		}
	}
}
