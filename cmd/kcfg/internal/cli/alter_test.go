package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestMistakesInEntitiesAndChangesSendNothing(t *testing.T) {
	for _, args := range []string{
		"alter",
		"alter --user alice",
		"alter set acks=1",
		"alter --entity-type users set acks=1",
		"alter --user alice acks=1",
		"alter --user alice set acks",
		"alter --user alice --add-config acks",
		"alter --user alice --add-config acks=1 --delete-config acks",
		"alter --user alice --add-config SCRAM-SHA-256=[password=x]",
		"alter --user alice set producer_byte_rate=fast",
		"alter --client orders set acks=1",
		"alter --user-defaults set acks=1",
		"alter --user alice --topic orders set acks=1",
		"alter --broker x set a=b",
		"alter --topic-defaults set a=b",
		"alter --user alice --describe set acks=1",
		"alter --user alice set acks=1 --dry-run --watch",
		"alter --user alice set producer_byte_rate=1 --watch",
		"alter --topic orders set retention.ms=1 --watch",
		"alter --user alice set acks=1 --watch --watch-timeout 0s",
		"alter --user alice set acks=1 --watch --watch-interval 0s",
		"alter --user alice set acks=1 --watch-timeout 1m",
		"alter --user alice set acks=1 --watch-interval 1s",
		"alter --user alice set acks=1 --dry-run --watch-timeout 1m",
		"alter --alter=false --user alice set acks=1",
		"alter --user-defaults=false set producer_byte_rate=1",
		"alter --user alice --add-config-file= set acks=1",
		"alter --user alice --dynamic-topic= set acks=1",
		"describe",
		"describe --describe=false --topic orders",
		"describe --alter --topic orders",
		"describe --entity-type nothing",
		"describe --entity-type broker-loggers",
		"describe --topic orders extra",
		"describe --entity-type topics --entity-default",
	} {
		c, flags := broker(t, fakebroker.DynamicConfigs())
		r := run(t, append(flags, strings.Fields(args)...)...)
		assert.Equal(t, codeUsage, r.code, args)
		assert.Contains(t, r.err, "kcfg: ", args)
		assert.Empty(t, r.out, args)
		assert.Zero(t, c.Connections(fakebroker.AnyNode), args)
	}
}

func TestTheExampleOfTheProposalGoesToBothAPIs(t *testing.T) {
	c, flags := broker(t, fakebroker.DynamicConfigs())
	c.SetClientConfigs(kcfg.User("alice").Client("orders"), kcfg.Set("session.timeout.ms", "30000"))
	got := ok(t, append(flags, "alter", "--alter", "--entity-type", "users", "--entity-name", "alice", "--entity-type", "clients", "--entity-name", "orders",
		"--add-config", "acks=0,heartbeat.interval.ms=2000,producer_byte_rate=60000", "--delete-config", "session.timeout.ms")...)
	assert.Equal(t, "Completed updating config for user alice.\n", got)
	assert.Equal(t, map[kcfg.Entity]map[string]string{
		kcfg.User("alice").Client("orders"): {"acks": "0", "heartbeat.interval.ms": "2000"},
	}, c.ClientConfigs())
	quotas, err := kadminOf(t, c).DescribeClientQuotas(soon(t), true, nil)
	require.NoError(t, err)
	require.Len(t, quotas, 1)
	assert.Equal(t, "{user=alice, client-id=orders}", strings.ReplaceAll(quotaName(quotas[0].Entity), `"`, ""))
	assert.Equal(t, kadm.ClientQuotaValues{{Key: "producer_byte_rate", Value: 60000}}, quotas[0].Values)
}

func quotaName(e kadm.ClientQuotaEntity) string {
	var user, client string
	for _, c := range e {
		if c.Name == nil {
			continue
		}
		if c.Type == "user" {
			user = *c.Name
		} else {
			client = *c.Name
		}
	}
	return "{user=" + user + ", client-id=" + client + "}"
}

func kadminOf(t *testing.T, c *fakebroker.Cluster) *kadm.Client {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return kadm.NewClient(cl)
}

// failQuotas makes the broker refuse the next alteration of quotas.
func failQuotas(c *fakebroker.Cluster, code int16) {
	c.Kfake().ControlKey(int16(kmsg.AlterClientQuotas), func(req kmsg.Request) (kmsg.Response, error, bool) {
		q := req.(*kmsg.AlterClientQuotasRequest)
		resp := q.ResponseKind().(*kmsg.AlterClientQuotasResponse)
		for _, e := range q.Entries {
			one := kmsg.NewAlterClientQuotasResponseEntry()
			one.ErrorCode, one.ErrorMessage = code, new("because \x1b[2J")
			for _, p := range e.Entity {
				part := kmsg.NewAlterClientQuotasResponseEntryEntity()
				part.Type, part.Name = p.Type, p.Name
				one.Entity = append(one.Entity, part)
			}
			resp.Entries = append(resp.Entries, one)
		}
		return resp, nil, true
	})
}

func TestOneAPIThatFailsDoesNotStopTheOtherAndTheCodeSaysWhichIsWhich(t *testing.T) {
	const invalid, notAuthorized = 42, 31
	for _, tt := range []struct {
		name     string
		acks     string
		allowed  bool // to alter client configurations
		quotas   int16
		code     int
		contains []string
	}{
		{"both are done", "1", true, 0, codeOK, []string{"Completed updating config for user alice."}},
		{"quotas fail", "1", true, invalid, codeFailed, []string{"done", "failed", `because \x1b[2J`}},
		{"quotas are refused", "1", true, notAuthorized, codeFailed, []string{"AlterClientQuotas", "AlterConfigs"}},
		{"client configs fail", "x", true, 0, codeFailed, []string{"AlterClientConfigs", "failed", "done"}},
		{"both fail", "x", true, invalid, codeFailed, []string{"failed"}},
		{"both are refused", "1", false, notAuthorized, codeNotAllowed, []string{"failed"}},
		{"one is refused and one fails", "1", false, invalid, codeFailed, []string{"failed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, flags := broker(t, fakebroker.DynamicConfigs(), fakebroker.Authorizer(func(fakebroker.RequestContext, fakebroker.Operation) bool { return tt.allowed }))
			if tt.quotas != 0 {
				failQuotas(c, tt.quotas)
			}
			r := run(t, append(flags, "alter", "--user", "alice", "set", "acks="+tt.acks, "producer_byte_rate=7")...)
			assert.Equal(t, tt.code, r.code, r.err)
			for _, s := range tt.contains {
				assert.Contains(t, r.out+r.err, s)
			}
			assert.NotContains(t, r.out+r.err, "\x1b")
			assert.Equal(t, tt.acks == "1" && tt.allowed, len(c.ClientConfigs()) == 1)
			quotas, err := kadminOf(t, c).DescribeClientQuotas(soon(t), true, nil)
			require.NoError(t, err)
			assert.Equal(t, tt.quotas == 0, len(quotas) == 1)
		})
	}
}

func TestResourcesAreAlteredWithAllOperations(t *testing.T) {
	c, flags := broker(t, fakebroker.Topics(1, "orders"))
	assert.Equal(t, "Completed updating config for topic orders.\n", ok(t, append(flags, "alter", "--entity-type", "topics", "--entity-name", "orders",
		"--add-config", "cleanup.policy=[compact,delete],retention.ms=1000")...))
	assert.Contains(t, ok(t, append(flags, "describe", "--topic", "orders")...), "compact,delete")
	ok(t, append(flags, "alter", "--topic", "orders", "subtract", "cleanup.policy=delete", "delete", "retention.ms")...)
	got := ok(t, append(flags, "describe", "--topic", "orders")...)
	assert.Contains(t, got, "compact ")
	assert.NotContains(t, got, "delete")
	assert.NotContains(t, got, "retention.ms")
	assert.Contains(t, ok(t, append(flags, "describe", "--topic", "orders", "--all")...), "retention.ms")
	ok(t, append(flags, "alter", "--topic", "orders", "append", "cleanup.policy=delete")...)
	assert.Contains(t, ok(t, append(flags, "describe", "--topic", "orders")...), "compact,delete")

	assert.Equal(t, "Completed updating config for broker 0.\n", ok(t, append(flags, "alter", "--broker", "0", "set", "log.cleaner.threads=2")...))
	assert.Equal(t, "Completed updating default config for brokers in the cluster.\n", ok(t, append(flags, "alter", "--entity-type", "brokers", "--entity-default", "set", "log.cleaner.threads=3")...))
	got = ok(t, append(flags, "describe", "--entity-type", "brokers")...)
	assert.Contains(t, got, "<default>  log.cleaner.threads")
	assert.Contains(t, got, "0          log.cleaner.threads")
	assert.Equal(t, "Completed updating config for group g.\n", ok(t, append(flags, "alter", "--group", "g", "set", "consumer.session.timeout.ms=50000")...))
	assert.Contains(t, ok(t, append(flags, "describe", "--entity-type", "groups")...), "50000")
	assert.Equal(t, "Completed updating config for client-metric m.\n", ok(t, append(flags, "alter", "--client-metrics", "m", "set", "interval.ms=1000")...))
	assert.Contains(t, ok(t, append(flags, "describe", "--entity-type", "client-metrics")...), "interval.ms")
	assert.Contains(t, ok(t, append(flags, "describe", "--entity-type", "topics")...), "orders")
	assert.NotZero(t, c.Connections(fakebroker.AnyNode))
}

func TestWhatCannotBeAlteredIsSaid(t *testing.T) {
	_, flags := broker(t)
	r := run(t, append(flags, "alter", "--broker", "0", "set", "broker.rack=a")...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.err, "read-only")
	r = run(t, append(flags, "alter", "--topic", "nosuchtopic", "set", "retention.ms=1")...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.err, "UNKNOWN_TOPIC_OR_PARTITION")
	r = run(t, append(flags, "describe", "--topic", "nosuchtopic")...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.err, "nosuchtopic")
}

func TestAFileOfPropertiesMayComeFromStandardInput(t *testing.T) {
	c, flags := broker(t, fakebroker.DynamicConfigs())
	var out, err bytes.Buffer
	code := Run(soon(t), Streams{In: strings.NewReader("acks=1\nproducer_byte_rate=5\n"), Out: &out, Err: &err},
		append(flags, "alter", "--user", "alice", "--add-config-file", "-"))
	assert.Equal(t, codeOK, code, err.String())
	assert.Equal(t, map[string]string{"acks": "1"}, c.ClientConfigs()[kcfg.User("alice")])
}

func TestDescribeShowsWhatOneAPITellsIfTheOtherFails(t *testing.T) {
	c, flags := broker(t) // which has no dynamic configurations
	ok(t, append(flags, "alter", "--user", "alice", "set", "producer_byte_rate=5")...)
	r := run(t, append(flags, "--transport", "rpc", "describe", "--user", "alice")...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.out, "producer_byte_rate")
	assert.Contains(t, r.err, "DescribeClientConfigs")
	assert.NotEmpty(t, c.Addrs())

	_, flags = broker(t, fakebroker.DynamicConfigs(), fakebroker.Authorizer(func(_ fakebroker.RequestContext, op fakebroker.Operation) bool {
		return op != fakebroker.DescribeConfigs
	}))
	r = run(t, append(flags, "describe", "--user", "alice", "-o", "json")...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.out, `"api": "DescribeClientConfigs"`)
}

func TestSensitiveValuesAreMaskedEverywhere(t *testing.T) {
	c, flags := broker(t, fakebroker.DynamicConfigs(), fakebroker.Topics(1, "orders"))
	c.SetClientConfigs(kcfg.User("alice"), kcfg.Set("db.password", "hunter2hunter2"), kcfg.Set("metadata", "https://u:hunter2@x"))
	ok(t, append(flags, "alter", "--broker", "0", "set", "ssl.keystore.password=hunter2")...)
	for _, args := range [][]string{
		{"describe", "--user", "alice"},
		{"describe", "--entity-type", "users"},
		{"describe", "--broker", "0", "--all"},
		{"alter", "--broker", "0", "set", "ssl.keystore.password=hunter2x", "--dry-run"},
		{"alter", "--broker", "0", "set", "ssl.truststore.password=hunter2", "--dry-run"},
		{"alter", "--topic", "orders", "set", "sasl.jaas.config=hunter2", "--dry-run"},
	} {
		for _, form := range []string{"table", "json", "yaml"} {
			r := run(t, append(append(flags, args...), "--output", form)...)
			assert.Contains(t, r.out, redacted, "%q", args)
			assert.NotContains(t, r.out+r.err, "hunter2", "%q", args)
		}
	}
}
