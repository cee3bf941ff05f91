package topicstore

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// alicePartition is where the dynamic configurations of alice are.
var alicePartition = partitionOf("alice")

// request is one that a cluster got.
type request struct{ key, version int16 }

// watched are the requests of a cluster from the time of watch on.
type watched struct {
	mu  sync.Mutex
	all []request
}

func watch(c *kfake.Cluster) *watched {
	w := new(watched)
	c.ControlKey(-1, func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all = append(w.all, request{req.Key(), req.GetVersion()})
		return nil, nil, false
	})
	return w
}

// take returns what came since the last call, without what every connection
// starts with.
func (w *watched) take() []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []request
	for _, r := range w.all {
		switch kmsg.Key(r.key) {
		case kmsg.ApiVersions, kmsg.SASLHandshake, kmsg.SASLAuthenticate:
		default:
			out = append(out, r)
		}
	}
	w.all = nil
	return out
}

func keysOf(all []request) (keys []kmsg.Key) {
	for _, r := range all {
		keys = append(keys, kmsg.Key(r.key))
	}
	return keys
}

// writer is some other program's client, which writes what it likes.
func writer(t *testing.T, c *kfake.Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	return bare(t, c, append([]kgo.Opt{
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()),
	}, opts...)...)
}

// put writes records into a partition with another program's client, each in a
// batch of its own.
func put(t *testing.T, c *kfake.Cluster, topic string, partition int32, records ...*kgo.Record) {
	t.Helper()
	cl := writer(t, c)
	for _, r := range records {
		r.Topic, r.Partition = topic, partition
		require.NoError(t, cl.ProduceSync(withTimeout(t), r).FirstErr())
	}
}

// putAlice is put for the dynamic configurations of alice.
func putAlice(t *testing.T, c *kfake.Cluster, records ...*kgo.Record) {
	t.Helper()
	put(t, c, DefaultDynamicTopic, alicePartition, records...)
}

// rec is a record of any text.
func rec(key, value string) *kgo.Record { return &kgo.Record{Key: []byte(key), Value: []byte(value)} }

// more is a record whose alteration goes on.
func more(r *kgo.Record) *kgo.Record {
	r.Headers = append(r.Headers, kgo.RecordHeader{Key: moreHeader})
	return r
}

// acksOf is alice's acks, as an operator's record has it.
func acksOf(value string) *kgo.Record {
	return rec(`[1,"alice",null,"acks"]`, `{"version":1,"value":"`+value+`"}`)
}

// topicOf is a topic as the cluster has it.
func topicOf(t *testing.T, s *Store, name string) topic {
	t.Helper()
	cl, err := s.session()
	require.NoError(t, err)
	defer cl.Close()
	got, err := find(withTimeout(t), cl, name)
	require.NoError(t, err)
	return got
}

// headerOf is the header that Setup writes into the dynamic topic.
func headerOf(t *testing.T, s *Store) header {
	t.Helper()
	d, cs := topicOf(t, s, s.cfg.Names.Dynamic), topicOf(t, s, s.cfg.Names.Clients)
	return header{Version: schemaVersion, Cluster: d.cluster, Topic: d.idText(), Clients: cs.idText(), Partitions: partitions}
}

// putHeaders writes a header into every partition by hand.
func putHeaders(t *testing.T, c *kfake.Cluster, topic string, h header) {
	t.Helper()
	cl := writer(t, c)
	for p := range int32(partitions) {
		r := &kgo.Record{Topic: topic, Partition: p, Key: []byte("[1]"), Value: encode(h)}
		require.NoError(t, cl.ProduceSync(withTimeout(t), r).FirstErr())
	}
}

// written counts the records that were ever written to a topic.
func written(c *kfake.Cluster, topic string) (n int64) {
	for _, p := range c.PartitionInfos(topic) {
		n += p.HighWatermark
	}
	return n
}

// notRead requires that a client is told why it reads nothing, as a
// NotSetUpError about the dynamic topic.
func notRead(t *testing.T, s *Store, reason string) {
	t.Helper()
	told, err := s.DescribeSelf(withTimeout(t), "orders", nil)
	require.Contains(t, requireNotSetUp(t, err, DefaultDynamicTopic), reason)
	require.Nil(t, told.Entries)
}

// requireNotSetUp returns the reason of a NotSetUpError.
func requireNotSetUp(t *testing.T, err error, topic string) string {
	t.Helper()
	var wrong *cfgerrors.NotSetUpError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, topic, wrong.Topic)
	require.False(t, cfgerrors.Retriable(err))
	return wrong.Reason
}

// refusal is the error of the one alteration, of which the call as a whole has
// none.
func refusal(t *testing.T, s *Store, a kcfg.Alteration) error {
	t.Helper()
	out, err := s.Alter(withTimeout(t), false, []kcfg.Alteration{a})
	require.NoError(t, err)
	require.Len(t, out.Altered, 1)
	require.Equal(t, a.Entity, out.Altered[0].Entity)
	return out.Altered[0].Err
}

func admin(t *testing.T, c *kfake.Cluster) *kadm.Client {
	t.Helper()
	return kadm.NewClient(bare(t, c))
}

// fail makes the cluster answer every such request about a topic with an error,
// until the handle is removed.
func fail(c *kfake.Cluster, key kmsg.Key, err *kerr.Error) *kfake.FaultHandle {
	return c.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: err, Count: -1})
}

// eventually waits for a condition with no limit but patience.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, patience, patience/3000, what)
}

// conns counts the connections of a Dial.
type conns struct{ open, ever atomic.Int64 }

func (n *conns) dial(ctx context.Context, network, host string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, host)
	if err != nil {
		return nil, err
	}
	n.open.Add(1)
	n.ever.Add(1)
	return &countedConn{Conn: c, n: n}, nil
}

type countedConn struct {
	net.Conn
	once sync.Once
	n    *conns
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.n.open.Add(-1) })
	return c.Conn.Close()
}
