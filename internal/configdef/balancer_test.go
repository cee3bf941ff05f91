package configdef

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"
)

const javaPackage = "org.apache.kafka.clients.consumer."

// rangeLookalike is a balancer of the application with kgo's name.
type rangeLookalike struct{ kgo.GroupBalancer }

// silentBalancer must not be asked for its name.
type silentBalancer struct{ kgo.GroupBalancer }

func (silentBalancer) ProtocolName() string { panic("called") }

func balancerCases() []readCase {
	const (
		strategy = "partition.assignment.strategy"
		protocol = "group.protocol"
		assignor = "group.remote.assignor"
		session  = "session.timeout.ms"
		beat     = "heartbeat.interval.ms"
	)
	group := kgo.ConsumerGroup("g")
	with := func(b ...kgo.GroupBalancer) []kgo.Opt { return []kgo.Opt{group, kgo.Balancers(b...)} }
	next := func(b ...kgo.GroupBalancer) []kgo.Opt { return append(with(b...), kgo.ServerSideBalancer()) }
	//nolint:revive,staticcheck // kgo looks for a plain string
	beta := context.WithValue(context.Background(), "opt_in_kafka_next_gen_balancer_beta", true)

	cases := []readCase{
		{name: "default balancer", opts: []kgo.Opt{group}, want: map[string]string{
			strategy: javaPackage + "CooperativeStickyAssignor" + isDefault,
			protocol: "classic" + isDefault, assignor: absent,
		}},
		{name: "the default balancer by hand", opts: with(kgo.CooperativeStickyBalancer()), want: map[string]string{
			strategy: javaPackage + "CooperativeStickyAssignor" + isDefault,
		}},
		{name: "range balancer", opts: with(kgo.RangeBalancer()), want: map[string]string{strategy: javaPackage + "RangeAssignor"}},
		{name: "roundrobin balancer", opts: with(kgo.RoundRobinBalancer()), want: map[string]string{strategy: javaPackage + "RoundRobinAssignor"}},
		{name: "sticky balancer", opts: with(kgo.StickyBalancer()), want: map[string]string{strategy: javaPackage + "StickyAssignor"}},
		{name: "several balancers", opts: with(kgo.CooperativeStickyBalancer(), kgo.RangeBalancer()), want: map[string]string{
			strategy: javaPackage + "CooperativeStickyAssignor," + javaPackage + "RangeAssignor",
		}},
		{name: "a balancer of the application", opts: with(silentBalancer{}), want: map[string]string{
			strategy: absent, protocol: "classic" + isDefault,
		}},
		{name: "a balancer with the name of kgo's", opts: with(rangeLookalike{kgo.RangeBalancer()}), want: map[string]string{strategy: absent}},
		{name: "one balancer of the application among others", opts: with(kgo.RangeBalancer(), silentBalancer{}), want: map[string]string{strategy: absent}},

		{name: "next generation", opts: []kgo.Opt{group, kgo.ServerSideBalancer()}, want: map[string]string{
			protocol: "consumer", assignor: "uniform" + isDefault, strategy: absent, session: absent, beat: absent,
			"fetch.max.wait.ms": "5000" + isDefault, "enable.auto.commit": "true" + isDefault, "max.poll.interval.ms": "60000" + isDefault,
		}},
		{name: "next generation with a sticky balancer", opts: next(kgo.StickyBalancer()), want: map[string]string{
			protocol: "consumer", assignor: "uniform" + isDefault,
		}},
		{name: "next generation with a range balancer", opts: next(kgo.RangeBalancer()), want: map[string]string{
			protocol: "consumer", assignor: "range", strategy: absent,
		}},
		{name: "next generation with a balancer that brokers lack", opts: next(kgo.RoundRobinBalancer(), kgo.RangeBalancer()), want: map[string]string{
			protocol: "classic" + isDefault, assignor: absent, session: "45000" + isDefault, beat: "3000" + isDefault,
			strategy: javaPackage + "RoundRobinAssignor," + javaPackage + "RangeAssignor",
		}},
		{name: "next generation with a lookalike", opts: next(rangeLookalike{kgo.RangeBalancer()}), want: map[string]string{
			protocol: "classic" + isDefault, assignor: absent,
		}},
		{name: "next generation asked for in the old way", opts: []kgo.Opt{group, kgo.WithContext(beta)}, want: map[string]string{
			protocol: "consumer", assignor: "uniform" + isDefault, session: absent,
		}},
		{name: "a context that asks for nothing", opts: []kgo.Opt{group, kgo.WithContext(context.Background())}, want: map[string]string{
			protocol: "classic" + isDefault,
		}},
	}
	for i := range cases {
		cases[i].kind = consumer
	}
	return cases
}

func TestForeignBalancerIsReportedAsSkipped(t *testing.T) {
	s := NewSource(newClient(t, kgo.ConsumerGroup("g"), kgo.Balancers(rangeLookalike{kgo.RangeBalancer()})))
	want := []Skip{{"partition.assignment.strategy", "the client has a group balancer that Kafka has no name for"}}
	assert.Equal(t, want, s.Skipped(consumer))
	assert.Equal(t, want, s.Skipped(consumer|producer))
	assert.Empty(t, s.Skipped(producer), "a producer does not have the key")
	for _, e := range s.Collect(consumer) {
		assert.NotEqual(t, "partition.assignment.strategy", e.Key)
	}
}

func TestNothingIsSkippedWithoutACause(t *testing.T) {
	for name, opts := range map[string][]kgo.Opt{
		"nothing given":   nil,
		"own balancer":    {kgo.ConsumerGroup("g"), kgo.Balancers(kgo.RangeBalancer())},
		"next generation": {kgo.ConsumerGroup("g"), kgo.ServerSideBalancer()},
		"inexpressible":   {kgo.ConsumeStartOffset(kgo.NewOffset().At(5)), kgo.WithCompressor(ownCompressor{}), kgo.RetryBackoffFn(nil)},
	} {
		assert.Empty(t, NewSource(newClient(t, opts...)).Skipped(every), name)
	}
}
