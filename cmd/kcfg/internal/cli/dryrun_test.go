package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/fleet"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestADryRunChangesNothing(t *testing.T) {
	for _, transport := range []string{"rpc", "topics"} {
		t.Run(transport, func(t *testing.T) {
			_, _, flags := setUp(t, fakebroker.DynamicConfigs())
			flags = append(flags, "--transport", transport)
			all := func() (out []string) {
				for _, kind := range []string{"users", "topics", "brokers"} {
					out = append(out, ok(t, append(flags, "describe", "--entity-type", kind)...))
				}
				return out
			}
			ok(t, append(flags, "alter", "--user", "alice", "set", "acks=0", "request_percentage=5")...)
			ok(t, append(flags, "alter", "--topic", "orders", "set", "retention.ms=5")...)
			before := all()
			alterations := [][]string{
				{"alter", "--user", "alice", "set", "acks=1", "producer_byte_rate=1", "delete", "request_percentage"},
				{"alter", "--topic", "orders", "delete", "retention.ms", "set", "max.message.bytes=1000"},
				{"alter", "--broker", "0", "set", "log.cleaner.threads=7"},
			}
			for _, args := range alterations {
				assert.Contains(t, ok(t, append(append(flags, args...), "--dry-run")...), "would be done")
				assert.Equal(t, before, all(), "%q", args)
			}
			for _, args := range alterations {
				ok(t, append(flags, args...)...)
			}
			after := all()
			for i := range after {
				assert.NotEqual(t, before[i], after[i], "without --dry-run it is changed")
			}
		})
	}
}

func TestADryRunSaysWhatWouldFail(t *testing.T) {
	_, flags := broker(t, fakebroker.DynamicConfigs())
	r := run(t, append(flags, "alter", "--dry-run", "--user", "alice", "set", "acks=x", "producer_byte_rate=1")...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.out, "would fail")
	assert.Contains(t, r.out, "would be done")
	assert.Contains(t, r.out, "Which clients it would reach is not known")
	r = run(t, append(flags, "alter", "--dry-run", "--broker", "0", "set", "broker.rack=x")...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.out, "would fail")
}

func TestADryRunSaysWhichClientsItWouldReach(t *testing.T) {
	c, a, flags := setUp(t)
	accepts := alive(t, c, a, "accepts", noIdempotence())
	idempotent := alive(t, c, a, "idempotent", nil)
	narrow := alive(t, c, a, "narrow", noIdempotence())
	off := alive(t, c, a, "off", noIdempotence(), client.DisableDynamicConfigs())
	ok(t, append(flags, "alter", "--user", "ANONYMOUS", "--client-id", "narrow", "set", "acks=0")...)
	var doc rehearsed
	require.NoError(t, json.Unmarshal([]byte(ok(t, append(flags, "alter", "--dry-run", "-o", "json", "--user", "ANONYMOUS", "set", "acks=1")...)), &doc))
	require.Len(t, doc.Clients, 4)
	got := make(map[string]fleet.Prospect)
	for _, p := range doc.Clients {
		got[p.Instance] = p
	}
	assert.Equal(t, fleet.OutcomeRefused, got[off.ClientInstanceID()].State)
	assert.Equal(t, "the client takes no dynamic configurations", got[off.ClientInstanceID()].Reason)
	assert.Equal(t, fleet.OutcomeOverruled, got[narrow.ClientInstanceID()].State)
	assert.Equal(t, fleet.OutcomeRefused, got[idempotent.ClientInstanceID()].State)
	assert.Contains(t, got[idempotent.ClientInstanceID()].Reason, "kgo.DisableIdempotentWrite")
	assert.Equal(t, fleet.OutcomeTaken, got[accepts.ClientInstanceID()].State)
	assert.Equal(t, "all", *got[accepts.ClientInstanceID()].Own)
	assert.Equal(t, kcfg.EntityUser, doc.Entity[0].Type)
}

func TestListsChangeAsBrokersChangeThem(t *testing.T) {
	for _, tt := range []struct {
		now  *string
		op   kcfg.ConfigOp
		want string
	}{
		{nil, kcfg.AppendConfig("k", "a"), "a"},
		{new(""), kcfg.AppendConfig("k", "a"), "a"},
		{new("a"), kcfg.AppendConfig("k", "b,c"), "a,b,c"},
		{new("a,b"), kcfg.AppendConfig("k", "b"), "a,b"},
		{new("a,b"), kcfg.SubtractConfig("k", "b"), "a"},
		{new("a,b"), kcfg.SubtractConfig("k", "a,b"), ""},
		{new("a"), kcfg.SubtractConfig("k", "c"), "a"},
	} {
		assert.Equal(t, tt.want, listAfter(tt.now, tt.op))
	}
}

func TestWhatIsDeletedTakesTheNextOfItsSynonymsIfThatIsInItsUnit(t *testing.T) {
	own := kcfg.ConfigSynonym{Key: "retention.ms", Value: new("1"), Source: kcfg.SourceTopic}
	for name, tt := range map[string]struct {
		source   kcfg.ConfigSource
		synonyms []kcfg.ConfigSynonym
		want     *string
	}{
		"a broker's":                {kcfg.SourceTopic, []kcfg.ConfigSynonym{own, {Key: "log.retention.ms", Value: new("2"), Source: kcfg.SourceStatic}}, new("2")},
		"its own is not told":       {kcfg.SourceTopic, []kcfg.ConfigSynonym{{Key: "retention.ms", Value: new("2"), Source: kcfg.SourceDefault}}, new("2")},
		"another unit":              {kcfg.SourceTopic, []kcfg.ConfigSynonym{own, {Key: "log.retention.hours", Value: new("168"), Source: kcfg.SourceDefault}}, nil},
		"a default without a value": {kcfg.SourceTopic, []kcfg.ConfigSynonym{own, {Key: "log.retention.ms", Source: kcfg.SourceDefault}}, nil},
		"none":                      {kcfg.SourceTopic, nil, nil},
		"it is not set":             {kcfg.SourceDefault, nil, new("1")},
	} {
		s := &setting{Key: "retention.ms", Value: new("1"), Kind: kindConfig, Source: tt.source.String(), Synonyms: tt.synonyms}
		assert.Equal(t, tt.want, withoutOwn(s), name)
	}
	assert.Nil(t, withoutOwn(nil))
	assert.Nil(t, withoutOwn(&setting{Key: "acks", Value: new("1"), Kind: kindDynamic}))
}
