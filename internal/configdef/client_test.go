package configdef

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"
)

func clientCases() []readCase {
	return []readCase{{
		name: "a client that was given nothing",
		kind: admin,
		want: map[string]string{
			"bootstrap.servers":                  "127.0.0.1:9092" + isDefault,
			"client.id":                          "kgo" + isDefault,
			"connections.max.idle.ms":            "30000" + isDefault,
			"default.api.timeout.ms":             "30000" + isDefault,
			"enable.metrics.push":                "true" + isDefault,
			"metadata.max.age.ms":                "300000" + isDefault,
			"request.timeout.ms":                 "10000" + isDefault,
			"retries":                            "20" + isDefault,
			"retry.backoff.ms":                   "250" + isDefault,
			"retry.backoff.max.ms":               "5000" + isDefault,
			"socket.connection.setup.timeout.ms": "10000" + isDefault,
			"acks":                               absent,
			"group.id":                           absent,
			"max.poll.records":                   absent,
		},
	}, {
		name: "what every client can be given",
		kind: admin,
		opts: []kgo.Opt{
			kgo.SeedBrokers("b1", "b2:9093", "10.0.0.1", "::1", "[::1]", "[::1]:9094"),
			kgo.ClientID("orders"),
			kgo.ConnIdleTimeout(time.Minute),
			kgo.RetryTimeout(90 * time.Second),
			kgo.DisableClientMetrics(),
			kgo.MetadataMaxAge(15 * time.Second),
			kgo.RequestTimeoutOverhead(11 * time.Second),
			kgo.RequestRetries(7),
			kgo.DialTimeout(3 * time.Second),
		},
		want: map[string]string{
			"bootstrap.servers":                  "b1:9092,b2:9093,10.0.0.1:9092,[::1]:9092,[::1]:9092,[::1]:9094",
			"client.id":                          "orders",
			"connections.max.idle.ms":            "60000",
			"default.api.timeout.ms":             "90000",
			"enable.metrics.push":                "false",
			"metadata.max.age.ms":                "15000",
			"request.timeout.ms":                 "11000",
			"retries":                            "7",
			"socket.connection.setup.timeout.ms": "3000",
		},
	}, {
		name: "unlimited is the largest number",
		kind: admin,
		opts: []kgo.Opt{kgo.RetryTimeout(0), kgo.DialTimeout(0)},
		want: map[string]string{
			"default.api.timeout.ms":             "2147483647",
			"socket.connection.setup.timeout.ms": "9223372036854775807",
		},
	}, {
		name: "too large for its type is the largest number",
		kind: admin,
		opts: []kgo.Opt{kgo.RetryTimeout(1000 * time.Hour), kgo.RequestRetries(1 << 40)},
		want: map[string]string{"default.api.timeout.ms": "2147483647", "retries": "2147483647"},
	}, {
		name: "negative is none",
		kind: admin,
		opts: []kgo.Opt{kgo.RetryTimeout(-time.Second), kgo.DialTimeout(-time.Second), kgo.RequestRetries(-1)},
		want: map[string]string{
			"default.api.timeout.ms":             "0",
			"socket.connection.setup.timeout.ms": "0",
			"retries":                            "0",
		},
	}, {
		name: "an empty client id is a value",
		kind: admin,
		opts: []kgo.Opt{kgo.ClientID("")},
		want: map[string]string{"client.id": ""},
	}, {
		name: "what was set to its default is a default",
		kind: admin,
		opts: []kgo.Opt{kgo.ClientID("kgo"), kgo.RequestRetries(20), kgo.SeedBrokers("127.0.0.1:9092")},
		want: map[string]string{
			"client.id":         "kgo" + isDefault,
			"retries":           "20" + isDefault,
			"bootstrap.servers": "127.0.0.1:9092" + isDefault,
		},
	}, {
		name: "a part of a millisecond is a change too",
		kind: admin,
		opts: []kgo.Opt{kgo.ConnIdleTimeout(30*time.Second + time.Microsecond)},
		want: map[string]string{"connections.max.idle.ms": "30000"},
	}, {
		name: "a backoff function of the application is not called",
		kind: admin,
		opts: []kgo.Opt{kgo.RetryBackoffFn(func(int) time.Duration { panic("called") })},
		want: map[string]string{"retry.backoff.ms": absent, "retry.backoff.max.ms": absent},
	}, {
		name: "no backoff function at all",
		kind: admin,
		opts: []kgo.Opt{kgo.RetryBackoffFn(nil)},
		want: map[string]string{"retry.backoff.ms": absent, "retry.backoff.max.ms": absent},
	}, {
		name: "a timeout function of the application is a change, whatever it says of key 0",
		kind: admin,
		opts: []kgo.Opt{kgo.RetryTimeoutFn(func(key int16) time.Duration { return time.Duration(30+key) * time.Second })},
		want: map[string]string{"default.api.timeout.ms": "30000"},
	}, {
		name: "a timeout function that panics",
		kind: admin,
		opts: []kgo.Opt{kgo.RetryTimeoutFn(func(int16) time.Duration { panic("on purpose") })},
		want: map[string]string{"default.api.timeout.ms": absent, "retries": "20" + isDefault},
	}, {
		name: "a consumer and admin has an admin's retries and the overhead alone",
		kind: consumer | admin,
		opts: []kgo.Opt{kgo.RequestRetries(7), kgo.RecordRetries(8)},
		want: map[string]string{"retries": "7", "request.timeout.ms": "10000" + isDefault},
	}, {
		name: "a producer and admin has a producer's retries and request timeout",
		kind: producer | admin | consumer,
		opts: []kgo.Opt{kgo.RequestRetries(7), kgo.RecordRetries(8)},
		want: map[string]string{"retries": "8", "request.timeout.ms": "20000" + isDefault},
	}, {
		name: "a consumer has no retries",
		kind: consumer,
		want: map[string]string{"retries": absent},
	}}
}

func TestSeedsHaveAPort(t *testing.T) {
	for in, want := range map[string]string{
		"host":             "host:9092",
		"host:1":           "host:1",
		"10.0.0.1":         "10.0.0.1:9092",
		"::1":              "[::1]:9092",
		"2001:db8::1":      "[2001:db8::1]:9092",
		"[2001:db8::1]":    "[2001:db8::1]:9092",
		"[2001:db8::1]:19": "[2001:db8::1]:19",
	} {
		assert.Equal(t, want, withPort(in), in)
	}
}
