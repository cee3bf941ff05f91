package integration_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

func TestCommandAltersTopicsBrokersAndGroups(t *testing.T) {
	c := kafka(t)
	k, topic, group := commandOf(t, c), newTopic(t, c, 1, 1), name(t)
	for _, tt := range []struct {
		what       []string
		key, value string
	}{
		{[]string{"--topic", topic}, "retention.ms", "3600000"},
		{[]string{"--broker", "1"}, "message.max.bytes", "2000000"},
		{[]string{"--group", group}, "consumer.session.timeout.ms", "50000"},
	} {
		t.Run(tt.what[0], func(t *testing.T) {
			if tt.what[0] == "--group" && strings.HasPrefix(c.Version(), "3.") {
				t.Skip("groups have no configurations before Kafka 4")
			}
			verb := func(verb string, more ...string) []string { return append(append([]string{verb}, tt.what...), more...) }
			describes := func() string { return k.ok(t, verb("describe")...) }
			r := k.run(t, verb("alter", "set", tt.key+"="+tt.value, "--dry-run")...)
			assert.Zero(t, r.code)
			assert.NotContains(t, describes(), tt.key, "a dry run changes nothing")

			assert.Contains(t, k.ok(t, verb("alter", "set", tt.key+"="+tt.value)...), "Completed updating config for "+tt.what[0][2:])
			eventually(t, func() bool { return strings.Contains(describes(), tt.value) }, "it is set") // nodes learn of it one by one
			k.ok(t, verb("alter", "--delete-config", tt.key)...)
			eventually(t, func() bool { return !strings.Contains(describes(), tt.key) }, "it is not set")

			r = k.run(t, verb("alter", "set", tt.key+"=soon")...)
			assert.Equal(t, 2, r.code, "Kafka refuses it")
			r = k.as(t, c, kafkatest.Bob, kafkatest.Password(kafkatest.Bob)).run(t, verb("alter", "set", tt.key+"="+tt.value)...)
			assert.Equal(t, 3, r.code, "who has no right")
			r = k.as(t, c, kafkatest.Bob, kafkatest.Password(kafkatest.Bob)).run(t, verb("describe")...)
			assert.Equal(t, 3, r.code, "who has no right")
		})
	}
}

func TestCommandChangesALiveClientAndWatchesItTakeThat(t *testing.T) {
	c := kafka(t)
	s := secured(t, c)
	k := commandOf(t, c)
	root, bob := k.over(s), k.as(t, c, kafkatest.Bob, kafkatest.Password(kafkatest.Bob)).over(s)
	id := name(t)
	topic := newTopic(t, c, 1, 3)
	allow(t, c, "User:"+kafkatest.Alice, topic)
	cl := ours(t, append(as(c, kafkatest.Alice), kgo.ClientID(id), kgo.DisableIdempotentWrite(), kgo.DefaultProduceTopic(topic)),
		append(s.where(), client.Principal(kafkatest.Alice), client.WithKind(kcfg.KindProducer))...)
	require.NoError(t, cl.PushConfig(withTimeout(t)))

	list := bob.ok(t, "clients")
	assert.Contains(t, list, id)
	assert.Contains(t, bob.ok(t, "show", id), "linger.ms")
	bob.ok(t, "drift", "--from-defaults")

	who := []string{"alter", "--entity-type", "users", "--entity-name", kafkatest.Alice, "--entity-type", "clients", "--entity-name", id, "--alter"}
	dry := bob.ok(t, append(who, "--add-config", "acks=1", "--dry-run")...)
	assert.Contains(t, dry, "It would reach:")
	assert.Contains(t, dry, id)
	described := bob.run(t, "describe", "--user", kafkatest.Alice, "--client-id", id)
	assert.Equal(t, 2, described.code, "but for the quotas, for which he lacks a right")
	assert.NotRegexp(t, ` acks +1 `, described.out, "a dry run changes nothing")

	// What is wished is in force when a request left with it.
	ctx := withTimeout(t)
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if err := cl.ProduceSync(ctx, kgo.StringRecord("x")).FirstErr(); err != nil {
				stopped <- err
				return
			}
		}
	}()
	watched := bob.ok(t, append(who, "--add-config", "acks=1", "--watch")...)
	close(stop)
	require.NoError(t, <-stopped)
	assert.Contains(t, watched, "Completed updating config for user "+kafkatest.Alice)
	assert.Contains(t, watched, "taken acks=1")
	assert.Equal(t, "1", *state(t, cl, "acks").InForce)

	// Quotas take another right, which Bob does not have.
	both := append(who, "--add-config", "heartbeat.interval.ms=2000,producer_byte_rate=60000000")
	r := bob.run(t, both...)
	assert.Equal(t, 2, r.code, "a part of it")
	assert.Contains(t, r.out+r.err, "producer_byte_rate")
	root.ok(t, both...)
	eventually(t, func() bool {
		out := root.ok(t, "describe", "--user", kafkatest.Alice, "--client-id", id)
		return strings.Contains(out, "producer_byte_rate") && strings.Contains(out, " heartbeat.interval.ms ")
	}, "both are set")
	root.ok(t, append(who, "--delete-config", "acks,heartbeat.interval.ms,producer_byte_rate")...)

	var clients any
	require.NoError(t, json.Unmarshal([]byte(bob.ok(t, "clients", "-o", "json")), &clients))
}
