package fakebroker

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/internal/identifier"
)

// seenByKfake counts the requests of a key that kfake gets.
func seenByKfake(c *Cluster, key int16) *atomic.Int32 {
	seen := new(atomic.Int32)
	c.Kfake().ControlKey(key, func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake().KeepControl()
		seen.Add(1)
		return nil, nil, false
	})
	return seen
}

// metadataAt is a Metadata request about topics.
func metadataAt(version int16, topics ...string) *kmsg.MetadataRequest {
	req := requestAt(kmsg.NewPtrMetadataRequest(), version)
	req.Topics = []kmsg.MetadataRequestTopic{}
	for _, name := range topics {
		rt := kmsg.NewMetadataRequestTopic()
		rt.Topic = &name
		req.Topics = append(req.Topics, rt)
	}
	return req
}

// topicCodes returns the codes of the topics in an answer to Metadata.
func topicCodes(resp *kmsg.MetadataResponse) map[string]int16 {
	out := make(map[string]int16)
	for _, rt := range resp.Topics {
		out[*rt.Topic] = rt.ErrorCode
	}
	return out
}

func TestTheTapRefusesWhatIsTooLongAndKeepsTheOrderOfAnswers(t *testing.T) {
	t.Parallel()
	c := start(t, Kafka50(), Topics(1, "t"))
	for _, n := range nameFields() {
		version := min(n.to, kmsg.RequestForKey(n.key).MaxVersion())
		req := fullRequest(n.key, version)
		if p, ok := req.(*kmsg.ProduceRequest); ok {
			p.Acks = -1
		}
		limit, _, _ := n.typ.Limit()
		require.True(t, n.set(req, nameOf(n.typ, limit+1)))
		r := dial(t, c, 0)
		r.send(metadataOf(), 1)
		r.send(req, 2)
		r.send(metadataAt(12, "t"), 3)
		answerOf(t, r.read(), kmsg.NewPtrMetadataResponse(), 12)
		frame := r.read()
		require.EqualValues(t, 2, correlation(frame))
		codes := codesOf(t, answerOf(t, frame, kmsg.ResponseForKey(n.key), version))
		assert.True(t, slices.Contains(codes, 42) || slices.Contains(codes, 12), "%s: %v", n, codes)
		frame = r.read()
		require.EqualValues(t, 3, correlation(frame))
		assert.Equal(t, map[string]int16{"t": 0}, topicCodes(answerOf(t, frame, kmsg.NewPtrMetadataResponse(), 12)))
	}
}

// Off is the default: kfake sees all that the tap would refuse.
func TestWithoutLimitsEveryLongNamePasses(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(1, "t"))
	for _, n := range nameFields() {
		req := fullRequest(n.key, min(n.to, kmsg.RequestForKey(n.key).MaxVersion()))
		if p, ok := req.(*kmsg.ProduceRequest); ok {
			p.Acks = -1
		}
		limit, _, _ := n.typ.Limit()
		require.True(t, n.set(req, nameOf(n.typ, limit+1)))
		seen := make(chan struct{})
		tell := sync.OnceFunc(func() { close(seen) }) // later ones of the key come by here too
		c.Kfake().ControlKey(n.key, func(kmsg.Request) (kmsg.Response, error, bool) {
			tell()
			return nil, nil, false
		})
		dial(t, c, 0).send(req, 1)
		select {
		case <-seen:
		case <-testContext(t).Done():
			require.Fail(t, "kfake did not see it", "%s", n)
		}
	}
}

func TestWithoutLimitsLongNamesReachKfake(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("g", 300)
	for _, tt := range []struct {
		opts []Option
		want int32
		code int16
	}{
		{nil, 1, 0},
		{[]Option{IdentifierLimits(false), Kafka50()}, 1, 0},
		{[]Option{IdentifierLimits(true)}, 0, 42},
		{[]Option{Kafka50()}, 0, 42},
	} {
		c := start(t, tt.opts...)
		seen := seenByKfake(c, 22)
		r := dial(t, c, 0)
		req := requestAt(kmsg.NewPtrInitProducerIDRequest(), 4)
		req.TransactionalID, req.TransactionTimeoutMillis, req.ProducerID, req.ProducerEpoch = &long, 1000, -1, -1
		r.send(req, 1)
		resp := answerOf(t, r.read(), kmsg.NewPtrInitProducerIDResponse(), 4)
		assert.Equal(t, tt.code, resp.ErrorCode)
		assert.Equal(t, tt.want, seen.Load())
		assert.Equal(t, 1, c.Count(AnyNode, 22), "it came")
	}
}

func TestTopicsAreRefusedOneByOneInMetadata(t *testing.T) {
	t.Parallel()
	c := start(t, IdentifierLimits(true), Topics(1, "t"))
	long, short := nameOf(identifier.Topic, 250), nameOf(identifier.Topic, 249)
	r := dial(t, c, 0)
	for v := range kmsg.NewPtrMetadataRequest().MaxVersion() + 1 {
		r.send(metadataAt(v, long, "t"), int32(v))
		resp := answerOf(t, r.read(), kmsg.NewPtrMetadataResponse(), v)
		assert.Equal(t, map[string]int16{"t": 0, long: kerr.InvalidTopicException.Code}, topicCodes(resp), "v%d", v)
		assert.Len(t, resp.Brokers, 1)

		r.send(metadataAt(v, long), int32(v))
		resp = answerOf(t, r.read(), kmsg.NewPtrMetadataResponse(), v)
		assert.Equal(t, map[string]int16{long: kerr.InvalidTopicException.Code}, topicCodes(resp), "v%d, no other", v)
		assert.Len(t, resp.Brokers, 1)

		r.send(metadataAt(v, short), int32(v))
		resp = answerOf(t, r.read(), kmsg.NewPtrMetadataResponse(), v)
		assert.Len(t, topicCodes(resp), 1)
	}
}

func TestTopicsAreRefusedOneByOneWhenMade(t *testing.T) {
	t.Parallel()
	c := start(t, IdentifierLimits(true))
	long := strings.Repeat("a", 250)
	r := dial(t, c, 0)
	for v := range kmsg.NewPtrCreateTopicsRequest().MaxVersion() + 1 {
		req := requestAt(kmsg.NewPtrCreateTopicsRequest(), v)
		for _, name := range []string{long, "made" + string(rune('a'+v))} {
			rt := kmsg.NewCreateTopicsRequestTopic()
			rt.Topic, rt.NumPartitions, rt.ReplicationFactor = name, 1, 1
			req.Topics = append(req.Topics, rt)
		}
		r.send(req, int32(v))
		codes := make(map[string]int16)
		for _, rt := range answerOf(t, r.read(), kmsg.NewPtrCreateTopicsResponse(), v).Topics {
			codes[rt.Topic] = rt.ErrorCode
		}
		assert.Equal(t, map[string]int16{long: kerr.InvalidTopicException.Code, "made" + string(rune('a'+v)): 0}, codes, "v%d", v)
	}
}

func TestTheClientIDOfTheHeaderCountsForEveryRequestWithNames(t *testing.T) {
	t.Parallel()
	c := start(t, IdentifierLimits(true))
	frame := func(req kmsg.Request, id string) []byte {
		return kmsg.NewRequestFormatter(kmsg.FormatterClientID(id)).AppendRequest(nil, req, 1)
	}
	at, above := nameOf(identifier.ClientID, 249), nameOf(identifier.ClientID, 250)
	for _, key := range limitedKeys() {
		version := kmsg.RequestForKey(key).MaxVersion()
		req := fullRequest(key, version)
		if p, ok := req.(*kmsg.ProduceRequest); ok {
			p.Acks = -1
		}
		r := dial(t, c, 0)
		r.write(frame(req, above))
		codes := codesOf(t, answerOf(t, r.read(), kmsg.ResponseForKey(key), version))
		assert.Contains(t, codes, int16(42), kmsg.NameForKey(key))
	}
	r := dial(t, c, 0)
	r.write(frame(metadataOf(), at))
	assert.Zero(t, answerOf(t, r.read(), kmsg.NewPtrMetadataResponse(), 12).ErrorCode)
	r.write(frame(apiVersionsRequest(3), above))
	assert.Zero(t, answerOf(t, r.read(), kmsg.NewPtrApiVersionsResponse(), 3).ErrorCode, "a client must be able to ask")
}

func TestAProduceWithoutAnAnswerIsRefusedByTheEndOfTheConnection(t *testing.T) {
	t.Parallel()
	c := start(t, IdentifierLimits(true), Topics(1, "t"))
	seen := seenByKfake(c, 0)
	r := dial(t, c, 0)
	r.send(produceOf(strings.Repeat("a", 250), 0, []byte("v")), 1)
	r.requireClosed()
	assert.Zero(t, seen.Load())
	r = dial(t, c, 0)
	r.send(produceOf("t", 0, []byte("v")), 1)
	r.send(metadataOf(), 2)
	require.EqualValues(t, 2, correlation(r.read()), "one that is not too long has no answer")
	assert.EqualValues(t, 1, seen.Load())
}

func TestNothingIsToldBeforeAuthentication(t *testing.T) {
	t.Parallel()
	c := start(t, IdentifierLimits(true), SASL(User{Mechanism: mechanismPlain, Name: "a", Password: "b"}))
	req := fullRequest(12, 4)
	*fields[string](reflect.ValueOf(req), "Group")[0] = strings.Repeat("a", 250)
	r := dial(t, c, 0)
	r.send(req, 1)
	r.requireClosed()
}

// Members of classic groups have ids that brokers make, which are longer than 36.
func TestAGroupWorksWithTheLimitsOn(t *testing.T) {
	t.Parallel()
	c := start(t, Kafka50(), Topics(1, "t"))
	cl := newClient(t, c, kgo.ClientID(strings.Repeat("c", 249)), kgo.ConsumerGroup(strings.Repeat("g", 249)), kgo.ConsumeTopics("t"),
		kgo.InstanceID(strings.Repeat("i", 249)), kgo.Rack(strings.Repeat("r", 249)), kgo.DefaultProduceTopic("t"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx := testContext(t)
	require.NoError(t, cl.ProduceSync(ctx, kgo.StringRecord("v")).FirstErr())
	fs := cl.PollFetches(ctx)
	require.NoError(t, fs.Err())
	require.Equal(t, 1, fs.NumRecords())
	require.NoError(t, cl.CommitUncommittedOffsets(ctx))
	member, _ := cl.GroupMetadata()
	require.Greater(t, len(member), 36)
}
