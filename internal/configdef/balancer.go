package configdef

import (
	"context"
	"reflect"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

// javaAssignors returns kgo's own balancers with the public names of the Kafka
// classes that they are equivalent to.
func javaAssignors() []javaAssignor {
	const pkg = "org.apache.kafka.clients.consumer."
	return []javaAssignor{
		{kgo.RangeBalancer(), pkg + "RangeAssignor"},
		{kgo.RoundRobinBalancer(), pkg + "RoundRobinAssignor"},
		{kgo.StickyBalancer(), pkg + "StickyAssignor"},
		{kgo.CooperativeStickyBalancer(), pkg + "CooperativeStickyAssignor"},
	}
}

type javaAssignor struct {
	balancer kgo.GroupBalancer
	class    string
}

// javaClass returns the class name for a balancer of kgo's own. The type is
// compared before the name is asked for: a balancer of the application may
// claim any ProtocolName, and its code is not run.
func javaClass(b kgo.GroupBalancer) (string, bool) {
	for _, a := range javaAssignors() {
		if sameType(a.balancer, b) && a.balancer.ProtocolName() == b.ProtocolName() {
			return a.class, true
		}
	}
	return "", false
}

func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

// assignmentStrategy is not a key of the next generation protocol, where the
// broker assigns. One balancer without a name in Kafka hides the whole list:
// half of it would be a wrong value.
func assignmentStrategy() reader {
	return reader{text: func(v, _ *view) (string, bool) {
		if nextGen(v) {
			return "", false
		}
		var classes []string
		for _, b := range get[[]kgo.GroupBalancer](v, kgo.Balancers) {
			class, ok := javaClass(b)
			if !ok {
				v.skip = "the client has a group balancer that Kafka has no name for"
				return "", false
			}
			classes = append(classes, class)
		}
		return strings.Join(classes, ","), len(classes) > 0
	}}
}

// groupProtocol is a default only if it is classic: the reference client has
// the same protocol, because other keys' defaults hang on it.
func groupProtocol() reader {
	return reader{
		text: func(v, _ *view) (string, bool) {
			if nextGen(v) {
				return "consumer", true
			}
			return "classic", true
		},
		same: func(v, _ *view) bool { return !nextGen(v) },
	}
}

// remoteAssignor exists under the next generation protocol only.
func remoteAssignor() reader {
	return reader{text: func(v, _ *view) (string, bool) {
		assignor := serverAssignor(v)
		return assignor, assignor != ""
	}}
}

// classicOnly is for keys that Kafka refuses under the next generation
// protocol, where the broker says the session timeout and the pace.
func classicOnly(r reader) reader {
	return reader{
		text: func(v, ref *view) (string, bool) {
			if nextGen(v) {
				return "", false
			}
			return r.text(v, ref)
		},
		same: r.same,
	}
}

// nextGen reports whether the client asks for the next generation group
// protocol. An older broker still gives it a classic group, which only the wire
// shows.
func nextGen(v *view) bool { return serverAssignor(v) != "" }

// serverAssignor returns the broker's name for what the client's first balancer
// does, and nothing for a client that does not let the broker assign: one that
// was not told to, or whose first balancer brokers do not have.
func serverAssignor(v *view) string {
	balancers := get[[]kgo.GroupBalancer](v, kgo.Balancers)
	if len(balancers) == 0 || !(get[bool](v, kgo.ServerSideBalancer) || betaNextGen(v)) {
		return ""
	}
	switch b := balancers[0]; {
	case sameType(b, kgo.StickyBalancer()):
		return "uniform"
	case sameType(b, kgo.RangeBalancer()):
		return "range"
	}
	return ""
}

// betaNextGen looks for the key in the client's context that asked for the
// protocol before kgo had an option. kgo still honors it and says that it will
// not for long.
func betaNextGen(v *view) (on bool) {
	a, _ := v.raw(kgo.WithContext)
	if ctx, ok := a.(context.Context); ok {
		v.guard(func() { on = ctx.Value("opt_in_kafka_next_gen_balancer_beta") != nil })
	}
	return on
}
