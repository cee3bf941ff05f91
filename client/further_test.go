package client_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// further are the keys that an application has to name, with values that no
// client has of itself.
func further() map[string]string {
	return map[string]string{
		"fetch.max.wait.ms": "321", "fetch.min.bytes": "7", "fetch.max.bytes": "1234567",
		"max.partition.fetch.bytes": "654321", "request.timeout.ms": "9876",
	}
}

// limits are what the last Fetch and Produce said.
type limits struct {
	mu                                       sync.Mutex
	wait, minimum, all, partition, producing int32
}

func watchLimits(c *fakebroker.Cluster) *limits {
	l := &limits{}
	c.Kfake().ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		l.mu.Lock()
		defer l.mu.Unlock()
		r := req.(*kmsg.FetchRequest)
		l.wait, l.minimum, l.all = r.MaxWaitMillis, r.MinBytes, r.MaxBytes
		for _, topic := range r.Topics {
			for _, p := range topic.Partitions {
				l.partition = p.PartitionMaxBytes
			}
		}
		return nil, nil, false
	})
	c.Kfake().ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.producing = req.(*kmsg.ProduceRequest).TimeoutMillis
		return nil, nil, false
	})
	return l
}

func (l *limits) are(wait, minimum, all, partition, producing int32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wait == wait && l.minimum == minimum && l.all == all && l.partition == partition && l.producing == producing
}

func TestTheFurtherKeysAreSetByAnOperatorAndTakenByThoseWhoNamedThem(t *testing.T) {
	c := overriding(t)
	l := watchLimits(c)
	keys := dynconfig.Keys()
	cl := newClient(t, seeds(c, kgo.ConsumeTopics("orders"), kgo.DisableIdempotentWrite()),
		client.WithKind(kcfg.KindProducer|kcfg.KindConsumer), client.AcceptOverrides(keys...))
	admin, err := client.NewAdmin(cl.Client)
	require.NoError(t, err)
	alter := func(op func(key, value string) kcfg.Op) {
		var ops []kcfg.Op
		for key, value := range further() {
			ops = append(ops, op(key, value))
		}
		altered, err := admin.AlterClientConfigs(withTimeout(t), kcfg.Alter(everyone(), ops...))
		require.NoError(t, err)
		require.Len(t, altered, 1)
		require.NoError(t, altered[0].Err)
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	}
	flow := func() { produce(t, cl.Client, 1); cl.PollFetches(withTimeout(t)) }

	alter(kcfg.Set)
	eventually(t, func() bool { flow(); return l.are(321, 7, 1234567, 654321, 9876) }, "all are in force")
	for key, value := range further() {
		require.NoError(t, cl.WaitApplied(withTimeout(t), key))
		assert.Equal(t, value, *state(t, cl.Status(), key).InForce, key)
	}
	alter(func(key, _ string) kcfg.Op { return kcfg.Remove(key) })
	eventually(t, func() bool { flow(); return l.are(5000, 1, 50<<20, 1<<20, 10000) }, "all are the client's own again")
}

func TestTheFurtherKeysChangeNothingForThoseWhoDidNotNameThem(t *testing.T) {
	c := overriding(t)
	l := watchLimits(c)
	for key, value := range further() {
		set(t, c, kcfg.Set(key, value))
	}
	cl := newClient(t, seeds(c, kgo.ConsumeTopics("orders")), client.WithKind(kcfg.KindProducer|kcfg.KindConsumer))
	require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
	produce(t, cl.Client, 10)
	consume(t, cl.Client, 10)
	assert.True(t, l.are(5000, 1, 50<<20, 1<<20, 10000), "the requests came as they are")
	for _, k := range cl.Status().Dynamic.Keys {
		if _, ok := further()[k.Key]; ok {
			assert.Equal(t, kcfg.OverrideRejected, k.State, k.Key)
			assert.Contains(t, k.Reason, "AcceptOverrides")
		}
	}
	assert.True(t, slices.ContainsFunc(cl.Status().Dynamic.Keys, func(k kcfg.KeyState) bool { return k.Key == "fetch.min.bytes" }), "it was wished")
}
