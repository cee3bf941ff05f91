package integration_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// acksOf returns the acks of the Produce requests that each node answered, in order,
// with repetitions taken out.
func acksOf(t *testing.T, c *kafkatest.Cluster, clientID string, topic kadm.TopicDetail) map[int][]int16 {
	t.Helper()
	runs := make(map[int][]int16)
	id := base64.RawURLEncoding.EncodeToString(topic.ID[:]) // as Kafka prints it
	requests, err := c.Requests(clientID)
	require.NoError(t, err)
	for _, r := range requests {
		if r.Name != "PRODUCE" {
			continue
		}
		var body struct {
			Acks      int16 `json:"acks"`
			TopicData []struct {
				Name string `json:"name"`
				ID   string `json:"topicId"`
			} `json:"topicData"`
		}
		require.NoError(t, json.Unmarshal(r.Body, &body))
		of := body.TopicData[0]
		if of.Name != topic.Topic && of.ID != id {
			continue // the client's record of itself
		}
		if run := runs[r.Node]; len(run) == 0 || run[len(run)-1] != body.Acks {
			runs[r.Node] = append(run, body.Acks)
		}
	}
	return runs
}

func topicDetail(t *testing.T, c *kafkatest.Cluster, topic string) kadm.TopicDetail {
	t.Helper()
	details, err := admin(t, c).ListTopics(withTimeout(t), topic)
	require.NoError(t, err)
	require.NoError(t, details[topic].Err)
	return details[topic]
}

// leaders returns the leaders of a topic, by partition.
func leaders(t *testing.T, c *kafkatest.Cluster, topic string) (nodes []int) {
	t.Helper()
	for _, p := range topicDetail(t, c, topic).Partitions.Sorted() {
		nodes = append(nodes, int(p.Leader))
	}
	return nodes
}

var acksCode = map[string]int16{"all": -1, "0": 0, "1": 1}

// another returns another value of acks.
func another(acks string) string {
	values := slices.DeleteFunc([]string{"all", "0", "1"}, func(s string) bool { return s == acks })
	return values[rand.IntN(len(values))]
}

func TestFlipsOfAcksOnALoadedProducerAreCarriedInOrderAndLoseNothing(t *testing.T) {
	c := kafka(t)
	id := name(t)
	st := startStream(t, c, id)
	st.await(t, 250)
	before := leaders(t, c, st.topic)
	acks, want := "all", []int16{-1}
	for range 12 {
		acks = another(acks)
		st.flip(t, acks)
		want = append(want, acksCode[acks])
	}
	st.end()
	require.Equal(t, before, leaders(t, c, st.topic), "all brokers were there all the time")

	total := 0
	got := st.places(t, c)
	for part, sent := range st.sent {
		total += len(sent)
		require.Len(t, got[part], len(sent), "partition %d: none lost and none twice", part)
		for place, d := range sent {
			require.False(t, d.failed, "record %d of partition %d", place, part)
			require.Equal(t, place, got[part][place], "partition %d is in order", part)
		}
	}
	nodes := slices.Compact(slices.Sorted(slices.Values(before)))
	topic := topicDetail(t, c, st.topic)
	var runs map[int][]int16
	eventually(t, func() bool { // Kafka writes its log after it answered
		runs = acksOf(t, c, id, topic)
		return !slices.ContainsFunc(nodes, func(node int) bool { return len(runs[node]) < len(want) })
	}, "the log has all of them")
	for _, node := range nodes {
		assert.Equal(t, want, runs[node], "node %d", node)
	}
	t.Logf("%d records", total)
}

// span is a time in which nothing but acks=all was used, by a stream's clock.
type span struct{ from, to int64 }

// surelyAll counts the records that were given to the client and acknowledged in
// one of the spans, and requires them in the log where the client was told.
func surelyAll(t *testing.T, st *stream, got [3][]int, spans []span) (n int) {
	t.Helper()
	for part, sent := range st.sent {
		for place, d := range sent {
			within := func(s span) bool { return s.from <= d.given && d.told <= s.to }
			if d.failed || !slices.ContainsFunc(spans, within) {
				continue
			}
			n++
			require.GreaterOrEqual(t, d.offset, int64(0), "record %d of partition %d: an answer tells an offset", place, part)
			require.Less(t, d.offset, int64(len(got[part])), "record %d of partition %d is lost", place, part)
			require.Equal(t, place, got[part][d.offset], "partition %d, offset %d", part, d.offset)
		}
	}
	return n
}

// What was acknowledged with acks=1, and what was sent with acks=0, may be lost with
// a leader, as on every client: only of acks=all something is required here.
func TestAKilledLeaderDuringFlipsTakesNothingWithItThatAllReplicasHad(t *testing.T) {
	c := kafka(t)
	id := name(t)
	st := startStream(t, c, id)
	victim := leaders(t, c, st.topic)[0]
	var spans []span
	all := func(during func()) {
		st.flip(t, "all")
		s := span{from: st.clock.Load()}
		during()
		s.to = st.clock.Load()
		spans = append(spans, s)
	}
	for _, acks := range []string{"1", "0"} {
		st.flip(t, acks)
		all(func() { st.await(t, 500) })
	}
	all(func() {
		st.await(t, 500)
		kill(t, c, victim)
		st.await(t, 2000) // goes on with other leaders
	})
	for _, acks := range []string{"0", "1"} {
		st.flip(t, acks) // while one is dead
		all(func() { st.await(t, 500) })
	}
	require.NotContains(t, leaders(t, c, st.topic), victim)
	require.NoError(t, c.Restart(withTimeout(t), victim))
	backToLeader(t, c, st.topic, victim)
	all(func() { st.await(t, 500) })
	st.flip(t, "1")
	topic := topicDetail(t, c, st.topic)
	want := []int16{-1, 1, -1, 0, -1, 0, -1, 1, -1, 1}
	eventually(t, func() bool {
		runs := acksOf(t, c, id, topic)
		for node, run := range runs {
			if node != victim && len(run) < len(want) || run[len(run)-1] != 1 {
				return false
			}
		}
		return true
	}, "each node gets what is set, the one that came back too")
	st.end()
	for node, run := range acksOf(t, c, id, topic) {
		if node != victim {
			assert.Equal(t, want, run, "node %d saw all of them", node)
		}
	}
	n := surelyAll(t, st, st.places(t, c), spans)
	assert.GreaterOrEqual(t, n, 3000)
	t.Logf("%d records were surely acknowledged by all", n)
}

// backToLeader waits until a node has caught up, and makes it the leader of what it
// should lead.
func backToLeader(t *testing.T, c *kafkatest.Cluster, topic string, node int) {
	t.Helper()
	adm := admin(t, c)
	eventually(t, func() bool {
		_, err := adm.ElectLeaders(withTimeout(t), kadm.ElectPreferredReplica, kadm.TopicsSet{topic: {0: {}}})
		return err == nil && slices.Contains(leaders(t, c, topic), node)
	}, fmt.Sprintf("node %d leads again", node))
}
