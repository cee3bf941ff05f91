package integration_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
)

// second returns another operator of the same topics.
func (s store) second(t *testing.T, addrs []string) store {
	t.Helper()
	a, err := client.NewAdmin(bare(t, addrs), client.Transport(client.TransportTopics), client.Topics(s.names))
	require.NoError(t, err)
	return store{a, s.names}
}

func TestTwoOperatorsWhoSetUpAtOnceBothSucceed(t *testing.T) {
	c := kafka(t)
	first := operator(t, c)
	var both sync.WaitGroup
	var created [2]int
	for i, s := range []store{first, first.second(t, c.Addrs())} {
		both.Go(func() {
			made, err := s.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
			assert.NoError(t, err)
			for _, topic := range made.Topics {
				if topic.Created {
					created[i]++
				}
			}
		})
	}
	both.Wait()
	assert.Equal(t, 2, created[0]+created[1], "each topic was made once: %v", created)
	made, err := first.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
	require.NoError(t, err)
	assert.Zero(t, made.Headers)
	first.set(t, anonymous(), kcfg.Set("acks", "1"))
	require.NoError(t, acksClient(t, c, first).RefreshConfigs(withTimeout(t)))
}

// pairOf returns the two values of an alteration that belong together.
func pairOf(values []kcfg.KeyValue) (session, beat int, err error) {
	for _, v := range values {
		n, e := strconv.Atoi(v.Value)
		switch {
		case e != nil:
			return 0, 0, e
		case v.Key == "session.timeout.ms":
			session = n
		case v.Key == "heartbeat.interval.ms":
			beat = n
		}
	}
	return session, beat, nil
}

func TestOfTwoOperatorsAtOnceTheLaterOneWinsAndNobodySeesHalf(t *testing.T) {
	const rounds = 15
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	pair := func(n int) []kcfg.Op {
		return []kcfg.Op{
			kcfg.Set("session.timeout.ms", strconv.Itoa(10*n)), kcfg.Set("heartbeat.interval.ms", strconv.Itoa(n)),
		}
	}
	s.set(t, anonymous(), pair(1000)...)
	var writers sync.WaitGroup
	for i, operator := range []store{s, s.second(t, c.Addrs())} {
		writers.Go(func() {
			for round := range rounds {
				out, err := operator.AlterClientConfigs(withTimeout(t), kcfg.Alter(anonymous(), pair(2000*(i+1)+round)...))
				assert.NoError(t, err)
				assert.NoError(t, out[0].Err)
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()

	cl := acksClient(t, c, s)
	seen := make(map[int]bool)
	look := func() int {
		got, err := s.DescribeClientConfigs(withTimeout(t), kcfg.FilterUser("ANONYMOUS").StrictOnly())
		require.NoError(t, err)
		require.Len(t, got, 1)
		session, beat, err := pairOf(got[0].Values)
		require.NoError(t, err)
		require.Equal(t, session, 10*beat, "never half of an alteration")
		require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
		seen[beat] = true
		return beat
	}
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
			look()
		}
	}
	last := look()
	assert.Greater(t, len(seen), 2, "it was looked at meanwhile")
	records := dump(t, c, s.names.Dynamic, 5) // the partition of ANONYMOUS, by docs/topics.md
	end := records[len(records)-1]
	assert.Equal(t, `[1,"ANONYMOUS",null,"heartbeat.interval.ms"]`, string(end.Key))
	assert.JSONEq(t, fmt.Sprintf(`{"version":1,"value":"%d"}`, last), string(end.Value))
	assert.Len(t, records, 1+2+2*2*rounds, "all were written")
}
