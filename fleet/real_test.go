package fleet_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
	"github.com/kcfg-go/kcfg/fleet"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// a realFleet is a client that tells of itself over topics, and its operator.
type realFleet struct {
	*client.Client
	admin *client.Admin
}

func newRealFleet(t *testing.T, opts ...kgo.Opt) realFleet {
	t.Helper()
	c, err := fakebroker.New(fakebroker.Topics(1, "orders"))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	cl, err := client.New(append(opts, kgo.SeedBrokers(c.Addrs()...), kgo.ClientID("orders-api")), client.Transport(client.TransportTopics))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	admin, err := client.NewAdmin(cl.Client)
	require.NoError(t, err)
	_, err = admin.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
	require.NoError(t, err)
	return realFleet{cl, admin}
}

// told is what the client tells now.
func (f realFleet) told(t *testing.T) kcfg.ClientRecord {
	t.Helper()
	require.NoError(t, f.PushConfig(withTimeout(t)))
	all, err := f.admin.Clients(withTimeout(t))
	require.NoError(t, err)
	require.Len(t, all.Records, 1)
	return all.Records[0]
}

// set makes exactly these overrides the client's, and has it ask for them.
func (f realFleet) set(t *testing.T, wishes map[string]string) {
	t.Helper()
	var ops []kcfg.Op
	for _, key := range dynconfig.DefaultKeys() {
		if value, ok := wishes[key]; ok {
			ops = append(ops, kcfg.Set(key, value))
		} else {
			ops = append(ops, kcfg.Remove(key))
		}
	}
	out, err := f.admin.AlterClientConfigs(withTimeout(t), kcfg.Alter(kcfg.User("ANONYMOUS").Client("orders-api"), ops...))
	require.NoError(t, err)
	require.NoError(t, dynconfig.AlterError(out))
	require.NoError(t, f.RefreshConfigs(withTimeout(t)))
}

// What is foreseen by the record of a client is what the client then says itself.
func TestARealClientSaysWhatWasForeseen(t *testing.T) {
	member := []kgo.Opt{kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders")}
	kinds := map[string][]kgo.Opt{
		"idempotent":    nil,
		"not":           {kgo.DisableIdempotentWrite()},
		"acks=0":        {kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.NoAck())},
		"acks=1":        {kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.LeaderAck())},
		"transactional": {kgo.TransactionalID("tx")},
		"member":        member,
		"slow member":   append(slices.Clip(member), kgo.HeartbeatInterval(5*time.Second), kgo.SessionTimeout(20*time.Second)),
		"direct":        {kgo.ConsumeTopics("orders")},
	}
	sets := []map[string]string{
		{"acks": "1"},
		{"acks": "all"},
		{"acks": "0", "session.timeout.ms": "30000"},
		{"session.timeout.ms": "10000", "heartbeat.interval.ms": "2000"},
		{"heartbeat.interval.ms": "25000"},
		{"session.timeout.ms": "4000000"},
		{"session.timeout.ms": "6000", "heartbeat.interval.ms": "9000"},
	}
	for name, opts := range kinds {
		t.Run(name, func(t *testing.T) {
			f := newRealFleet(t, opts...)
			before := f.told(t)
			for _, wishes := range sets {
				verdicts := dynconfig.Foresee(before, wishes)
				require.Len(t, verdicts, len(wishes))
				f.set(t, wishes)
				states := f.Status().Dynamic.Keys
				for _, v := range verdicts {
					i := slices.IndexFunc(states, func(s kcfg.KeyState) bool { return s.Key == v.Key })
					require.GreaterOrEqual(t, i, 0, "%s of %v", v.Key, wishes)
					assert.Equal(t, foreseenAs(v.Outcome, states[i].State), states[i].State, "%+v of %v", v, wishes)
					if v.Outcome != dynconfig.Accepted {
						assert.Equal(t, states[i].Reason, v.Reason, "%s of %v", v.Key, wishes)
					}
				}
			}
		})
	}
}

// foreseenAs is the state of a key for an outcome. A value that is accepted may be on its
// way still.
func foreseenAs(o dynconfig.Outcome, is kcfg.OverrideState) kcfg.OverrideState {
	switch {
	case o == dynconfig.Accepted && is == kcfg.OverridePending:
		return is
	case o == dynconfig.Accepted:
		return kcfg.OverrideApplied
	case o == dynconfig.NoChange:
		return kcfg.OverrideStatic
	}
	return kcfg.OverrideState(o.String())
}

func TestAnOverrideOfARealClientIsNoDeviation(t *testing.T) {
	f := newRealFleet(t, kgo.DisableIdempotentWrite())
	before := fleet.Deviations(f.told(t))
	require.NotEmpty(t, before, "enable.idempotence")
	f.set(t, map[string]string{"acks": "1"})
	require.NoError(t, f.ProduceSync(withTimeout(t), &kgo.Record{Topic: "orders", Value: []byte("x")}).FirstErr())
	require.NoError(t, f.WaitApplied(withTimeout(t), "acks"))
	after := f.told(t)
	i := slices.IndexFunc(after.Configs, func(c kcfg.ClientConfig) bool { return c.Key == "acks" })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, kcfg.ClientConfig{Key: "acks", Value: "1", Type: "STRING"}, after.Configs[i], "it tells what is in force")
	assert.Equal(t, before, fleet.Deviations(after))
}
